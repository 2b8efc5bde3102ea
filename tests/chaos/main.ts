import { parseArgs } from "@std/cli/parse-args";
import { type TaskLine, taskLine } from "../support/task_line.ts";
import { ACP_JOB } from "./acp_job.ts";
import { CODEX_ACP_JOB } from "./codex_acp_job.ts";
import { CODEX_JOB } from "./codex_job.ts";
import { DEMO_JOB } from "./demo_job.ts";
import { ChaosFailure } from "./play.ts";
import { runFleetChaos } from "./fleet.ts";
import { runChaos } from "./run_chaos.ts";
import { runPipelineChaos } from "./run_pipeline_chaos.ts";

const USAGE =
  `Kills panewright, its tmux server and its agents over and over, and looks whether anything is lost or repeated.

  deno task test:chaos [--seed N] [--kills N] [--job demo|codex|acp|codex_acp|exec|fleet|all] [--jobs N] [--first N] [--bundle FILE] [--verbose]

  --seed N    the random numbers' seed (the time where none is given); plans are the same for the same seed,
              the moments in which they hit are never exactly
  --kills N   how many kills there are at least (200); with all jobs, shared among them
  --job JOB   which job is played (all): the review loop with replayed agents, with Codex, with agents over ACP, with
              Codex over ACP, a pipeline with agents over ACP, or, where it is named, the jobs of a fleet
  --jobs N    how many jobs a fleet has (60)
  --first N   the number of the first job, to begin with the one that failed (0: killed from record to record,
              1: at each Enter and each response, 2 and 3: at each archiving of a response, from 4 on at random;
              odd numbers: with the responses on another mount than the run)
  --bundle F  the program (dist/panewright.mjs)
  --verbose   each command and each kill
`;

/** Of the kills, where all jobs are played. */
const SHARES = { demo: 0.3, acp: 0.3, exec: 0.15, codex: 0.2, codex_acp: 0.05 } as const;

const { say, fail, count }: TaskLine = taskLine(USAGE);
const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, {
  string: ["seed", "kills", "job", "jobs", "first", "bundle"],
  boolean: ["help", "verbose"],
  unknown: (arg: string) => fail(`Cannot take ${arg}\n\n${USAGE}`),
});
const seed = count("seed", args["seed"], Date.now() % 1_000_000);
const kills = count("kills", args["kills"], 200);
const first = count("first", args["first"], 0);
const job = args.job ?? "all";
const isPlayed = (name: string) => job === "all" || name === job;
const jobs = [DEMO_JOB, CODEX_JOB, ACP_JOB, CODEX_ACP_JOB].filter(({ name }) => isPlayed(name));
if (args.help) {
  say(USAGE);
  Deno.exit(0);
}
if (jobs.length === 0 && !isPlayed("exec") && job !== "fleet") fail(`Cannot play the job ${job}\n\n${USAGE}`);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => stop.abort(new Error(`Stopped by ${signal}`)));
}
try {
  const killsOf = (name: keyof typeof SHARES) => job === "all" ? Math.ceil(kills * SHARES[name]) : kills;
  const common = {
    seed,
    first,
    bundle: typeof args.bundle === "string"
      ? args.bundle
      : new URL("../../dist/panewright.mjs", import.meta.url).pathname,
    say,
    signal: stop.signal,
  };
  for (const job of jobs) {
    await runChaos(job, {
      ...common,
      kills: killsOf(job.name),
      failuresIn: new URL("../../.cache/chaos", import.meta.url).pathname,
      verbose: args.verbose === true,
    });
  }
  if (job === "fleet") {
    await runFleetChaos({ ...common, jobs: count("jobs", args["jobs"], 60), faults: kills });
  }
  if (isPlayed("exec")) await runPipelineChaos({ ...common, kills: killsOf("exec") });
} catch (error) {
  if (error instanceof ChaosFailure) fail(error.message);
  if (stop.signal.aborted) fail(String(stop.signal.reason));
  throw error;
}
Deno.exit(0);
