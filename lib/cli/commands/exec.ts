import { resolve } from "@std/path/posix";
import { chosenByFlags, EXEC_FLAGS } from "../../config/flags.ts";
import { UsageError } from "../../errors.ts";
import { type ExecOptions, executeExec } from "../../jobs/pipeline/execute.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import type { ExecOverrides, ExecTarget } from "../../jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../../jobs/pipeline/settings.ts";
import { nextTaskOf } from "../../jobs/pipeline/task.ts";
import type { RunResult } from "../../run/conduct.ts";
import type { Progress } from "../../run/progress.ts";
import { carryOut, NO_INPUT_FLAG, type Surroundings } from "../carry_out.ts";
import { askedQuestion } from "../console/ask_person.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { type ExecConfigOptions, loadExecConfig } from "../exec_config.ts";
import { openLiveOutput } from "../show/live_output.ts";
import { requireTrust, TRUST_FLAG, type TrustSurroundings } from "../trust.ts";

/** `panewright exec TASK|FOLDER` */
export const command = defineCommand({
  description:
    "Takes a task through the steps of a pipeline, each with a coding agent without a terminal of its own (codex exec, claude -p). " +
    "After each step its checks decide whether the next one begins. A folder's tasks (.md files) are done in alphabetical " +
    "order; those whose name begins with _ are left out.\n\nAn agent that needs a decision stops, and a person is asked: here in the " +
    "terminal, or by `panewright answer` and `panewright resume`.\n\nExit codes: 0 all steps passed, 1 one failed, 2 wrong usage or " +
    "configuration, 3 a question waits for its answer, 130 and 143 interrupted.",
  arguments: [{ name: "TASK", description: "the file with the task, or a folder of such files", required: true }],
  flags: [
    {
      name: "pipeline",
      type: "string",
      placeholder: "NAME",
      description: "the pipeline, whatever the task's front matter names",
    },
    {
      name: "config",
      type: "string",
      placeholder: "FILE",
      description: "the config file (panewright.jsonc where none is named)",
    },
    { name: "wd", type: "string", placeholder: "DIR", description: "the folder in which the agents work" },
    ...EXEC_FLAGS,
    NO_INPUT_FLAG,
    TRUST_FLAG,
  ],
  examples: [
    { command: "exec add-login.md", description: "with the pipeline that its front matter names, or the default one" },
    {
      command: "exec tasks/ --pipeline fix --autonomy-level 3",
      description: "all tasks of a folder, one after the other",
    },
    { command: "exec add-login.md --json", description: "what happens, as one JSON object a line" },
  ],
  async run({ flags, positionals, global }, io) {
    const { pipeline, config: path, wd } = flags;
    const target = await findTarget(positionals[0] ?? "", io);
    const overrides: ExecOverrides = {
      ...(pipeline === undefined ? {} : { pipeline }),
      ...chosenByFlags(EXEC_SETTINGS, flags),
    };
    return await executeSteps({ flags: wd === undefined ? {} : { wd }, ...(path === undefined ? {} : { path }) }, {
      io,
      global,
      noInput: flags["no-input"] === true,
      trust: flags.trust === true,
      execute: (options, configFile) => executeExec({ target, overrides, configFile }, options),
    });
  },
});

async function findTarget(given: string, io: CliIo): Promise<ExecTarget> {
  const path = resolve(io.cwd, given);
  let info: Deno.FileInfo;
  try {
    info = await Deno.stat(path);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file or folder" : String(cause);
    throw new UsageError(`Cannot do the task ${given}: ${reason}`, { cause });
  }
  if (!info.isDirectory) return { kind: "task", path };
  if (await nextTaskOf(path, []) !== undefined) return { kind: "folder", path };
  throw new UsageError(`Cannot do the tasks of ${given}: it has no tasks`, {
    hint: "A task is a file whose name ends with .md and does not begin with _ or a dot.",
  });
}

/** Where and how {@linkcode executeSteps} executes a run. */
export interface StepsSurroundings extends Omit<Surroundings, "workdir" | "output">, Pick<TrustSurroundings, "trust"> {
  /** How the run stood before, where it is resumed. */
  readonly earlier?: Progress;
  /** Executes the run, a new one or one that is resumed. */
  readonly execute: (options: ExecOptions, configFile: string | null) => Promise<RunResult>;
}

/**
 * Executes a run of the pipeline by a configuration and shows how it goes.
 *
 * @returns the exit code: 0 for tasks that passed, 1 for one that failed, 3 for a question that waits
 * @throws {ConfigError} when the configuration cannot be used
 * @throws like `executeExec`
 */
export async function executeSteps(config: ExecConfigOptions, around: StepsSurroundings): Promise<number> {
  const { io, execute, earlier } = around;
  using output = openLiveOutput(PIPELINE, { ...around, earlier });
  const { plan, file, loaded } = await loadExecConfig(
    io,
    config,
    ({ where, message }) => output.onEvent({ type: "warning", message: `${where}: ${message}` }),
  );
  await requireTrust(loaded, { ...around, mayAsk: !around.global.json && around.noInput !== true });
  return await carryOut({ ...around, output, workdir: plan.workdir }, ({ person, ...options }) =>
    execute({
      ...options,
      plan,
      ...(person && { person: (question, signal) => person.ask(askedQuestion(question), signal) }),
    }, file));
}
