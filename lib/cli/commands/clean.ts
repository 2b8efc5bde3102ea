import { UsageError } from "../../base/errors.ts";
import { notedName } from "../../workspace/checkout.ts";
import { dropTrials } from "../../workspace/result.ts";
import { listRunIds } from "../../run/find_run.ts";
import { refuseLinks, type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Condition } from "../../run/condition.ts";
import { isAnythingLeft, type LiveProcesses, lookAtProcesses } from "../../run/live_agents.ts";
import { readOverview, type RunOverview } from "../../run/overview.ts";
import { UnknownRecordError } from "../../journal/fact_reader.ts";
import { isRunFolder, removeRun, sizeOfFolder } from "../../run/remove_run.ts";
import { defineCommand, integerFlag, switchFlag, textFlag } from "../console/command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { conditionText } from "../../api/show/run_words.ts";
import { outputLine } from "../../api/output/line.ts";
import { age, byteSize, plural } from "../../journal/words/words.ts";

const DEFAULT_OLDER_THAN = "14d";
const DEFAULT_KEEP = 5;

export const command = defineCommand({
  flags: {
    "older-than": textFlag("AGE", `how long ago a run must have ended: 12h, 3d, 2w (default ${DEFAULT_OLDER_THAN})`),
    keep: integerFlag("N", `how many of the newest runs are kept whatever their age (default ${DEFAULT_KEEP})`),
    all: switchFlag("remove runs that could be resumed, and damaged ones, too"),
    "dry-run": switchFlag("only say what would be removed"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, global }, io) {
    const olderThanSeconds = parseAge(flags["older-than"] ?? DEFAULT_OLDER_THAN);
    const isDryRun = flags["dry-run"] === true;
    const workdir = await findRunsWorkdir(io, flags.wd);
    refuseLinks(workdir);
    const kept = new Map<string, number>();
    let runs = 0;
    let bytes = 0;
    const keep = flags.keep ?? DEFAULT_KEEP;
    for await (const one of cleanRuns(workdir, { keep, olderThanSeconds, all: flags.all === true, isDryRun })) {
      if (one.keptBecause !== undefined) {
        kept.set(one.keptBecause, (kept.get(one.keptBecause) ?? 0) + 1);
        continue;
      }
      runs++;
      bytes += one.bytes;
      if (global.json) io.stdout(outputLine("removed", removedFields(one, isDryRun)));
      else if (!global.quiet) io.stdout(removedLine(one));
    }
    if (global.json) {
      io.stdout(outputLine("cleaned", { runs, bytes, kept: Object.fromEntries(kept), dryRun: isDryRun }));
    } else if (!global.quiet) {
      const verb = isDryRun ? "would be removed" : runs === 1 ? "was removed" : "were removed";
      io.stdout(`${plural(runs, "run")} ${verb}: ${byteSize(bytes)}.\n`);
      for (const [why, count] of kept) io.stdout(`Kept: ${plural(count, "old run")} that ${why}.\n`);
    }
    return 0;
  },
});

interface CleanOptions {
  readonly keep: number;
  readonly olderThanSeconds: number;
  readonly all: boolean;
  readonly isDryRun: boolean;
}

interface CleanedRun {
  readonly overview: RunOverview;
  readonly endedSeconds: number;
  readonly bytes: number;
  readonly keptBecause: string | undefined;
}

async function* cleanRuns(workdir: string, options: CleanOptions): AsyncGenerator<CleanedRun> {
  const processes = await lookAtProcesses();
  for (const folder of await oldFolders(workdir, options)) {
    const overview = await readOverview(folder, JOBS);
    const endedAt = overview.progress?.lastAt ?? await lastWritten(folder);
    const endedSeconds = (Date.now() - Date.parse(endedAt)) / 1000;
    if (endedSeconds < options.olderThanSeconds) continue;
    const bytes = await sizeOfFolder(folder.path);
    const reason = await reasonToKeep(overview, { all: options.all, processes });
    const isKept = reason !== undefined || !options.isDryRun && !await removeRun(folder);
    // Of a run in the checkout itself that was killed, and was not resumed.
    if (!isKept && !options.isDryRun) await dropTrials(notedName(folder.id));
    yield { overview, endedSeconds, bytes, keptBecause: isKept ? reason ?? IS_EXECUTED : undefined };
  }
}

/** The folders of all runs but the newest, oldest first. */
async function oldFolders(workdir: string, { keep }: CleanOptions): Promise<readonly RunFolder[]> {
  const runs: RunFolder[] = [];
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    if (await isRunFolder(folder)) runs.push(folder);
  }
  return runs.slice(0, Math.max(0, runs.length - keep));
}

async function lastWritten({ journalPath }: RunFolder): Promise<string> {
  return ((await Deno.lstat(journalPath)).mtime ?? new Date()).toISOString();
}

const OVER: ReadonlySet<Condition> = new Set(["passed", "failed"]);
// These reasons are keys in --json.
const IS_EXECUTED = "is executed";

async function reasonToKeep(
  { folder, condition, executed, progress, problem }: RunOverview,
  { all, processes }: { readonly all: boolean; readonly processes: LiveProcesses },
): Promise<string | undefined> {
  if (executed) return IS_EXECUTED;
  if (problem instanceof UnknownRecordError) return "was written by a later panewright";
  if (!all && !OVER.has(condition)) return "could be resumed, or cannot be read (--all takes them too)";
  if (progress === undefined || !await isAnythingLeft(progress, folder, processes)) return undefined;
  return "has agents that are alive (panewright stop ends them)";
}

function removedFields({ overview: { folder, condition }, bytes }: CleanedRun, dryRun: boolean) {
  return { run: folder.id, state: condition, bytes, dryRun };
}

function removedLine({ overview, endedSeconds, bytes }: CleanedRun): string {
  return `${overview.folder.id}  ${conditionText(overview)}, ended ${age(endedSeconds)} ago, ${byteSize(bytes)}\n`;
}

const SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400, w: 604_800 };

export function parseAge(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * SECONDS[unit]!;
  throw new UsageError(`Cannot use --older-than ${JSON.stringify(text)}: it is not an age`, {
    hint: "An age is a number of hours, days or weeks: 12h, 3d, 2w.",
  });
}
