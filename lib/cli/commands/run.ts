import { resolve } from "@std/path/posix";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { loadConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import type { ReviewRunPlan } from "../../jobs/review_loop/plan.ts";
import { executeReviewRun, type ReviewRunOptions, type ReviewRunReport } from "../../jobs/review_loop/execute.ts";
import type { Progress } from "../../run/progress.ts";
import { privateWordsOf } from "../../redact/secret_patterns.ts";
import { type CliIo, defineCommand, type GlobalFlags } from "../console/command.ts";
import { askedDialog, openTerminalPerson } from "../console/ask_person.ts";
import { openLiveOutput } from "../show/live_output.ts";

/** `panewright run [CONFIG]` */
export const command = defineCommand({
  description:
    "Drives a job through five agents, each in a tmux pane of its own: analyst, analyst_review, programmer, programmer_review " +
    "and tester. Rounds go on until the tester says PASS and the project's own test command agrees, or a limit is " +
    "reached.\n\nExit codes: 0 the job passed, 1 it failed, 2 wrong usage or configuration, 3 a person is needed, 130 and " +
    "143 interrupted.",
  arguments: [{ name: "CONFIG", description: "the configuration file (panewright.jsonc where none is named)" }],
  flags: CONFIG_FLAGS,
  examples: [
    { command: "run", description: "with panewright.jsonc of this folder" },
    {
      command: "run --max-rounds 3 --test-cmd 'npm test'",
      description: "flags go before the environment and the file",
    },
    { command: "run --json", description: "what happens, as one JSON object a line" },
  ],
  async run({ flags, positionals, global }, io) {
    const [path] = positionals;
    const loaded = await loadConfig({
      cwd: io.cwd,
      env: (name) => io.env(name),
      flags,
      ...(path === undefined ? {} : { path }),
    });
    const origin = { configFile: absolute(loaded.file, io), cwd: io.cwd, flags };
    return await executeRun(toRunPlan(loaded), { io, global, run: (options) => executeReviewRun(origin, options) });
  },
});

function absolute(file: string | undefined, { cwd }: CliIo): string | null {
  return file === undefined ? null : resolve(cwd, file);
}

/** What {@linkcode executeRun} is given besides the plan. */
export interface RunSurroundings {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** How the run stood before, where it is resumed. */
  readonly earlier?: Progress | undefined;
  /** Executes the run, a new one or one that is resumed. */
  readonly run: (options: ReviewRunOptions) => Promise<ReviewRunReport>;
}

/**
 * Executes a plan and shows how it goes.
 *
 * @returns the exit code: 0 for a job that passed, 1 for one that failed
 * @throws like `executeReviewRun`
 */
export async function executeRun(plan: ReviewRunPlan, { io, global, earlier, run }: RunSurroundings): Promise<number> {
  using progress = openLiveOutput("run", { io, global, earlier });
  const hasPerson = io.isTerminal.stdin && io.isTerminal.stderr && !global.json;
  using person = hasPerson ? openTerminalPerson(io) : undefined;
  const report = await run({
    plan,
    whereArguments: plan.workdir === await Deno.realPath(io.cwd) ? [] : ["--wd", plan.workdir],
    onEvent: (event) => progress.onEvent(event),
    signal: io.signal,
    onForcedExit: (act) => io.onForcedExit(act),
    secrets: privateWordsOf(Deno.env.toObject(), "").secrets ?? [],
    ...(person === undefined ? {} : { person: (dialog, signal) => person.ask(askedDialog(dialog), signal) }),
  });
  return report.outcome === "pass" ? 0 : 1;
}
