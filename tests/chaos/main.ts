import { parseArgs } from "@std/cli/parse-args";
import { type TaskLine, taskLine } from "../support/task_line.ts";
import { CODEX_JOB } from "./codex_job.ts";
import { DEMO_JOB } from "./demo_job.ts";
import { ChaosFailure } from "./play.ts";
import { runChaos } from "./run_chaos.ts";

const USAGE =
  `Kills panewright, its tmux server and its agents over and over, and looks whether anything is lost or repeated.

  deno task test:chaos [--seed N] [--kills N] [--job demo|codex|both] [--first N] [--bundle FILE] [--verbose]

  --seed N    the random numbers' seed (the time where none is given); plans are the same for the same seed,
              the moments in which they hit are never exactly
  --kills N   how many kills there are at least (200); with both jobs a quarter of them are the Codex job's
  --job JOB   which job is played (both)
  --first N   the number of the first job, to begin with the one that failed (0: killed from record to record,
              1: at each Enter and each response, 2 and 3: at each archiving of a response, from 4 on at random;
              odd numbers: with the responses on another mount than the run)
  --bundle F  the program (dist/panewright.mjs)
  --verbose   each command and each kill
`;

const { say, fail, count }: TaskLine = taskLine(USAGE);
const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, {
  string: ["seed", "kills", "job", "first", "bundle"],
  boolean: ["help", "verbose"],
  unknown: (arg: string) => fail(`Cannot take ${arg}\n\n${USAGE}`),
});
const seed = count("seed", args["seed"], Date.now() % 1_000_000);
const kills = count("kills", args["kills"], 200);
const first = count("first", args["first"], 0);
const job = args.job ?? "both";
const jobs = [DEMO_JOB, CODEX_JOB].filter(({ name }) => job === "both" || name === job);
if (args.help) {
  say(USAGE);
  Deno.exit(0);
}
if (jobs.length === 0) fail(`Cannot play the job ${job}\n\n${USAGE}`);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => stop.abort(new Error(`Stopped by ${signal}`)));
}
try {
  for (const job of jobs) {
    await runChaos(job, {
      seed,
      kills: jobs.length === 1 ? kills : Math.ceil(kills * (job === CODEX_JOB ? 0.25 : 0.75)),
      first,
      bundle: typeof args.bundle === "string"
        ? args.bundle
        : new URL("../../dist/panewright.mjs", import.meta.url).pathname,
      failuresIn: new URL("../../.cache/chaos", import.meta.url).pathname,
      say,
      verbose: args.verbose === true,
      signal: stop.signal,
    });
  }
} catch (error) {
  if (error instanceof ChaosFailure) fail(error.message);
  if (stop.signal.aborted) fail(String(stop.signal.reason));
  throw error;
}
Deno.exit(0);
