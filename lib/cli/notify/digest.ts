import { outputLine } from "../../api/output/line.ts";
import { groupOf, headOf } from "../../api/card/sections.ts";
import { waitingText } from "../../api/show/run_words.ts";
import { UsageError } from "../../base/errors.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { makeOwnFolder, NO_STATE_FOLDER, STATE_FOLDER_HINT, stateFolder } from "../../base/ports/state_folder.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { firstLine } from "../../base/text/lines.ts";
import { JOBS } from "../../jobs/mod.ts";
import { workdirOf } from "../../journal/paths.ts";
import { forHowLong } from "../../journal/words/words.ts";
import { listAllRuns } from "../../run/all_runs.ts";
import { type Notification, outgoing } from "../../run/notify/notification.ts";
import { readOverview, type RunOverview } from "../../run/overview.ts";
import { workspaceAround } from "../../workspace/workspace.ts";
import { runNameOf } from "../run_names.ts";
import type { NotifySurroundings } from "./around.ts";
import { planToTell, sendToAll } from "./send.ts";

/** Where nobody was told before: what has ended since yesterday. */
const FIRST_MS = 24 * 3_600_000;

/** Of the runs of a person, so many of the newest are looked at. */
const MOST_LOOKED_AT = 500;

interface Told {
  readonly needs: readonly string[];
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** Sends one message of all that has ended since the last one, in all folders, and of what waits for the person now. */
export async function sendDigest(config: string | undefined, around: NotifySurroundings): Promise<number> {
  const { io, json, quiet } = around;
  const to = await planToTell(config, around);
  const state = stateFolder(io.env);
  if (state === undefined) {
    throw new UsageError(`Cannot tell what was told last: ${NO_STATE_FOLDER}`, { hint: STATE_FOLDER_HINT });
  }
  const file = `${state}/notify/digest`;
  const now = new Date();
  const since = lastToldAt(file) ?? new Date(now.getTime() - FIRST_MS);
  const notification = digestOf(await toldSince(since, state), since, now);
  if (notification === undefined) {
    if (json) io.stdout(outputLine("digest", { since: since.toISOString(), runs: 0 }));
    else if (!quiet) {
      io.stdout(`Nothing has ended in the last ${forHowLong(since.toISOString(), now)}, and nothing waits for you.\n`);
    }
    return 0;
  }
  const { runs, ...message } = notification;
  if (json) io.stdout(outputLine("digest", { since: since.toISOString(), runs }));
  const isSent = await sendToAll(to, outgoing(message, { redactor: redactorOf(), buttons: "none" }), around);
  // What reached somebody not is told the next time again.
  if (!isSent) return 1;
  makeOwnFolder(`${state}/notify`);
  await replaceFile(file, `${now.toISOString()}\n`);
  return 0;
}

function lastToldAt(file: string): Date | undefined {
  try {
    const at = new Date(readRegularText(file, { maxBytes: 64 }).trim());
    return Number.isNaN(at.getTime()) ? undefined : at;
  } catch {
    return undefined;
  }
}

async function toldSince(since: Date, state: string): Promise<Told> {
  const told = { needs: [] as string[], passed: [] as string[], failed: [] as string[] };
  for (const folder of listAllRuns(state).slice(0, MOST_LOOKED_AT)) {
    const overview = await readOverview(folder, JOBS, { brief: true });
    const line = lineOf(overview);
    if (line === undefined) continue;
    const group = groupOf(overview.condition);
    const isLane = workspaceAround(workdirOf(folder.path) ?? "")?.partOf !== undefined;
    const endedAt = overview.progress?.finished?.at;
    if (group === "needs you") told.needs.push(line);
    else if (group === "done" && !isLane && endedAt !== undefined && new Date(endedAt) > since) {
      (overview.condition === "passed" ? told.passed : told.failed).push(line);
    }
  }
  return told;
}

function lineOf({ condition, folder, progress, question }: RunOverview): string | undefined {
  if (progress === undefined) return undefined;
  const { mark } = headOf({ state: condition, seconds: 0, turns: 0 });
  // Only the first line: below it errors show screens, and what they show is nobody else's.
  const what = question === undefined ? firstLine(progress.finished?.reason ?? "") : waitingText(question);
  return `${mark} ${runNameOf(folder, progress)}: ${what}`;
}

function digestOf({ failed, needs, passed }: Told, since: Date, now: Date) {
  const runs = needs.length + failed.length + passed.length;
  if (runs === 0) return undefined;
  const counts = [[needs, "needs you", "need you"], [failed, "failed", "failed"], [
    passed,
    "passed",
    "passed",
  ]] as const;
  const title = counts.flatMap(([all, one, several]) =>
    all.length === 0 ? [] : `${all.length} ${all.length === 1 ? one : several}`
  );
  const priority: Notification["priority"] = needs.length > 0 ? 5 : failed.length > 0 ? 4 : 3;
  return {
    runs,
    ...{ kind: "digest", priority, title: `panewright: ${title.join(", ")}` } as const,
    text: [`In the last ${forHowLong(since.toISOString(), now)}:`, ...needs, ...failed, ...passed].join("\n"),
  };
}
