import { basename } from "@std/path/posix";
import { type CardHead, groupOf, headOf } from "../api/card/sections.ts";
import { outputLine } from "../api/output/line.ts";
import { runFields } from "../api/output/run_fields.ts";
import { placeText, waitingText } from "../api/show/run_words.ts";
import { cut, displayWidth } from "../base/text/display_width.ts";
import { firstLine } from "../base/text/lines.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { JOBS } from "../jobs/mod.ts";
import { workdirOf } from "../journal/paths.ts";
import { ago, forHowLong } from "../journal/words/words.ts";
import { listAllRuns } from "../run/all_runs.ts";
import { readOverview, type RunOverview } from "../run/overview.ts";
import { findWorkspace, folderOfPerson, type Workspace, workspaceAround } from "../workspace/workspace.ts";
import { paint, type Style } from "./console/color.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { padEnd } from "./console/layout.ts";
import { runNameOf } from "./run_names.ts";

/** Of all runs of a person, so many of the newest are looked at; of those that are over, so many are shown. */
const MOST_LOOKED_AT = 200;
const MOST_DONE = 10;

const GROUPS = ["needs you", "working", "done"] as const;

interface Row {
  readonly group: typeof GROUPS[number];
  readonly name: string;
  readonly folder: string;
  readonly text: string;
  readonly head: CardHead;
}

/**
 * Lists the runs of this person in all folders: those that need them, those at work, and those that are over.
 *
 * @returns false where there are none
 */
export async function listCards(io: CliIo, { color, json }: Pick<GlobalFlags, "color" | "json">): Promise<boolean> {
  const rows: Row[] = [];
  const now = new Date();
  for (const folder of listAllRuns().slice(0, MOST_LOOKED_AT)) {
    const overview = await readOverview(folder, JOBS, { brief: true });
    const isLane = workspaceAround(workdirOf(folder.path) ?? "")?.partOf !== undefined;
    // What is done side by side is told by the run of all of it, but what one of them asks.
    if (overview.progress === undefined || isLane && groupOf(overview.condition) !== "needs you") continue;
    if (json) io.stdout(outputLine("run", runFields({ ...overview, agentsLeft: false })));
    rows.push(rowOf(overview, overview.progress, now));
  }
  if (!json && rows.length > 0) {
    io.stdout(listText(rows, { here: io.cwd, width: io.isTerminal.stdout ? io.columns() : 120, color: color.stdout }));
  }
  return rows.length > 0;
}

function rowOf(
  { condition, folder, question }: RunOverview,
  progress: NonNullable<RunOverview["progress"]>,
  now: Date,
): Row {
  const { executedSince, finished, target } = progress;
  const workdir = workdirOf(folder.path) ?? "";
  const workspace = target === undefined ? workspaceAround(workdir) : findWorkspace(target);
  const name = runNameOf(folder, progress);
  const group = groupOf(condition);
  const head = headOf({ state: condition, seconds: 0, turns: 0 });
  const texts = {
    "needs you": question === undefined
      ? sanitizeLine(firstLine(finished?.reason ?? ""))
      : `${waitingText(question)}  ${ago(question.askedAt, now)}`,
    working: `${placeText(progress)}  for ${forHowLong(executedSince, now)}`,
    done: `${head.mark} ${sanitizeLine(firstLine(finished?.reason ?? head.word.toLowerCase()))}${actionsOn(workspace)}`,
  };
  return { group, name, head, text: texts[group], folder: folderOfPerson(workdir) };
}

/** What can still be done with it, where its workspace is there. */
function actionsOn(workspace: Workspace | undefined): string {
  if (workspace === undefined) return "";
  return `  ${["apply", "pr", ...(workspace.isTarget === true ? [] : ["reply"]), "discard"].join(" · ")}`;
}

const LABEL = 12;

function listText(
  rows: readonly Row[],
  { color, here, width }: { readonly here: string; readonly width: number; readonly color: boolean },
): string {
  const shown = GROUPS.map((group) => rows.filter((row) => row.group === group));
  const [asking = [], working = [], done = []] = shown;
  const all = [...asking, ...working, ...done.slice(0, MOST_DONE)];
  const longest = Math.max(...all.map(({ name }) => displayWidth(name)));
  const lines = all.map((row, index) => {
    const label = all[index - 1]?.group === row.group ? "" : row.group;
    const where = row.folder === here || here.startsWith(`${row.folder}/`)
      ? ""
      : `  in ${sanitizeLine(basename(row.folder))}`;
    const text = cut(`${row.text}${where}`, Math.max(20, width - LABEL - longest - 2));
    const painted = row.group === "done"
      ? `${paint(text.slice(0, 1), styleOf(row.head), color)}${text.slice(1)}`
      : text;
    return `${paint(padEnd(label, LABEL), "strong", color)}${padEnd(row.name, longest)}  ${painted}`.trimEnd();
  });
  const more = done.length - Math.min(done.length, MOST_DONE);
  const rest = more === 0 ? [] : [`${" ".repeat(LABEL)}and ${more} more`];
  return `${
    [...lines, ...rest, "", 'panewright show NAME is the card of one; panewright "…" begins another.'].join("\n")
  }\n`;
}

function styleOf({ tone }: CardHead): Style | undefined {
  return tone === "plain" || tone === "heading" ? undefined : tone;
}
