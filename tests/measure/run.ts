/**
 * Measures what panewright itself takes of a job of 14 turns with five real agents, whose model answers at once.
 *
 * `deno task measure:run [codex|claude_code]... [--runs N] [--beside BUNDLE]... [--keep FOLDER]`
 *
 * Each run is one of `dist/panewright.mjs`; with `--beside`, bundles of other states of the sources take turns with it,
 * so that a machine whose speed changes does so for all of them. A part of a run is told as the median over its runs;
 * `--keep` keeps the journals, each with what was seen of its run from outside.
 */
import { parseArgs } from "@std/cli/parse-args";
import { walk } from "@std/fs";
import type { ModelServer } from "../lab/model_server.ts";
import type { Step } from "../lab/steps.ts";
import { answerOf, reviewProject } from "../e2e/review_project.ts";
import { createReviewModel } from "../e2e/review_model.ts";
import type { CliName } from "../support/clis.ts";
import { denoDirectory } from "../support/run_panewright.ts";
import {
  CLI_PARTS,
  type ObservedRun,
  PART_TEXTS,
  PARTS,
  type RunTime,
  runTimeOf,
  type TimedRecord,
} from "./run_time.ts";

const OWN_BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;

const COMMAND = [Deno.execPath(), "run", "--quiet", "--allow-all"] as const;

/** A bundle that was measured with one CLI. */
interface Subject {
  readonly bundle: string;
  readonly times: RunTime[];
}

/** Plays the job once. */
async function measureRun(
  cli: CliName,
  bundle: string,
  { keepAs }: { readonly keepAs: string | undefined },
): Promise<RunTime> {
  const model = createReviewModel(answerOf, { thinkMs: 0 });
  await using review = await reviewProject({
    provider: cli,
    panewright: {
      name: bundle,
      argv: [...COMMAND, bundle],
      env: { DENO_DIR: denoDirectory(), DENO_NO_UPDATE_CHECK: "1" },
    },
    respond: async (request) => (await model.respond(request)).map(withoutPauses),
    config: { handoff: undefined },
  });
  const { sandbox: { home, project, root }, server } = review;
  const startedAt = Date.now();
  const { code, stderr } = await review.run("run", "panewright.jsonc", "--json");
  const endedAt = Date.now();
  if (code !== 0) throw new Error(`Cannot measure ${bundle}: it ended with ${code}\n${stderr}`);
  const [journal = ""] = await pathsBelow(`${project}/.panewright/runs`, "journal.ndjson");
  const observed: ObservedRun = {
    records: await readLines(journal) as readonly TimedRecord[],
    process: { startedAt, endedAt },
    modelEnds: modelEndsOf(server),
    cliEnds: cli === "codex"
      ? await recordedTimes(`${root}/codex-home/sessions`, (record) => record.payload?.type === "task_complete")
      : await recordedTimes(`${home}/.claude/projects`, (record) => record.subtype === "turn_duration"),
  };
  if (keepAs !== undefined) await Deno.writeTextFile(keepAs, JSON.stringify(observed));
  return runTimeOf(observed);
}

function withoutPauses(step: Step): Step {
  return step.do === "wait" ? { ...step, ms: 0 } : step.do === "say" ? { ...step, chunkMs: 0 } : step;
}

function modelEndsOf({ log }: ModelServer): readonly number[] {
  return log.entries.flatMap((entry) => entry.event === "idle" && entry.endsTurn ? [entry.t] : []);
}

/** A line of a CLI's own record. */
interface CliRecord {
  readonly timestamp?: string;
  readonly subtype?: string;
  readonly payload?: { readonly type?: string };
}

/** The times of those records of all sessions that fit, in their order. */
async function recordedTimes(folder: string, fits: (record: CliRecord) => boolean): Promise<readonly number[]> {
  const paths = await pathsBelow(folder, ".jsonl");
  const records = (await Promise.all(paths.map(readLines))).flat() as readonly CliRecord[];
  return records.filter(fits).map(({ timestamp = "" }) => Date.parse(timestamp)).sort((one, other) => one - other);
}

async function pathsBelow(folder: string, end: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(walk(folder, { includeDirs: false }));
  return entries.map(({ path }) => path).filter((path) => path.endsWith(end));
}

async function readLines(path: string): Promise<readonly unknown[]> {
  return (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The table of one CLI: a row for each part, a column for each bundle, in seconds. */
function describe(cli: CliName, subjects: readonly Subject[]): string {
  const row = (name: string, of: (time: RunTime) => number) =>
    `| ${name} | ${subjects.map(({ times }) => (median(times.map(of)) / 1000).toFixed(2)).join(" | ")} |`;
  return [
    `${cli}: ${subjects[0]?.times[0]?.turns} turns, medians of ${subjects[0]?.times.length} runs, seconds`,
    `| part | ${subjects.map(({ bundle }) => bundle).join(" | ")} |`,
    `| --- |${" ---: |".repeat(subjects.length)}`,
    ...PARTS.map((part) =>
      row(`${PART_TEXTS[part]}${CLI_PARTS.has(part) ? " (the CLIs')" : ""}`, ({ parts }) => parts[part])
    ),
    row("**panewright's own: the run less the CLIs'**", (time) => time.ownMs),
    row("the run less the turns up to the model's last byte", (time) => time.strictMs),
    row("the run", (time) => time.wholeMs),
  ].join("\n");
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
}

function isCliName(name: unknown): name is CliName {
  return name === "codex" || name === "claude_code";
}

function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

if (import.meta.main) {
  const args = parseArgs(Deno.args, { string: ["runs", "beside", "keep"], collect: ["beside"] });
  const [runs = "5"] = textsOf(args["runs"]);
  const [keep] = textsOf(args["keep"]);
  const clis = args._.filter(isCliName);
  if (clis.length < args._.length) throw new TypeError(`Cannot measure ${args._.join(", ")}: not a CLI of the tests`);
  if (keep !== undefined) await Deno.mkdir(keep, { recursive: true });
  for (const cli of clis.length === 0 ? ["codex", "claude_code"] as const : clis) {
    const bundles = [...textsOf(args["beside"]), OWN_BUNDLE];
    const subjects: readonly Subject[] = bundles.map((bundle) => ({ bundle, times: [] }));
    for (let run = 1; run <= Number(runs); run++) {
      for (const [column, { bundle, times }] of subjects.entries()) {
        const keepAs = keep === undefined ? undefined : `${keep}/${cli}-${column + 1}-${run}.json`;
        times.push(await measureRun(cli, bundle, { keepAs }));
      }
    }
    await Deno.stdout.write(new TextEncoder().encode(`${describe(cli, subjects)}\n\n`));
  }
}
