import { resolve } from "@std/path/posix";
import { chosenByFlags, EXEC_FLAGS } from "../../config/flags.ts";
import { UsageError } from "../../errors.ts";
import { type ExecOptions, type ExecReport, executeExec } from "../../jobs/pipeline/execute.ts";
import type { ExecOverrides, ExecTarget } from "../../jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../../jobs/pipeline/settings.ts";
import { nextTaskOf } from "../../jobs/pipeline/task.ts";
import { askedQuestion, openTerminalPerson } from "../console/ask_person.ts";
import { type CliIo, defineCommand, type GlobalFlags } from "../console/command.ts";
import { type ExecConfig, loadExecConfig } from "../exec_config.ts";
import { openLiveOutput } from "../show/live_output.ts";

/** The flag that keeps panewright from asking at the terminal. */
export const NO_INPUT_FLAG = {
  name: "no-input",
  type: "switch",
  description: "never ask at this terminal: a question stops the run with exit code 3",
} as const;

/** `panewright exec TASK|FOLDER` */
export const command = defineCommand({
  description:
    "Takes a task through the steps of a pipeline, each with a coding agent without a terminal of its own (codex exec, claude -p). " +
    "After each step its checks decide whether the next one begins. A folder's tasks (.md files) are done in alphabetical " +
    "order, those whose name begins with _ left out.\n\nAn agent that needs a decision stops, and a person is asked: here in the " +
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
    using progress = openLiveOutput("exec", { io, global });
    const config = await loadExecConfig(io, {
      flags: wd === undefined ? {} : { wd },
      ...(path === undefined ? {} : { path }),
    }, ({ where, message }) => progress.onEvent({ type: "warning", message: `${where}: ${message}` }));
    const overrides: ExecOverrides = {
      ...(pipeline === undefined ? {} : { pipeline }),
      ...chosenByFlags(EXEC_SETTINGS, flags),
    };
    const noInput = flags["no-input"] === true;
    return await withExecOptions(
      { io, global, config, noInput, onEvent: progress.onEvent },
      (options) => executeExec({ target, overrides, configFile: config.file }, options),
    );
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
  throw new UsageError(`Cannot do the tasks of ${given}: there is none`, {
    hint: "A task is a file whose name ends with .md and does not begin with _ or a dot.",
  });
}

/** What {@linkcode withExecOptions} makes the options of a run from. */
export interface ExecSurroundings {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly config: ExecConfig;
  readonly noInput: boolean;
  readonly onEvent: NonNullable<ExecOptions["onEvent"]>;
}

/**
 * Executes a run with this command line around it.
 *
 * @returns the exit code
 */
export async function withExecOptions(
  { io, global, config, noInput, onEvent }: ExecSurroundings,
  execute: (options: ExecOptions) => Promise<ExecReport>,
): Promise<number> {
  const hasPerson = io.isTerminal.stdin && io.isTerminal.stderr && !global.json && !noInput;
  using person = hasPerson ? openTerminalPerson(io) : undefined;
  const { outcome } = await execute({
    plan: config.plan,
    whereArguments: config.plan.workdir === await Deno.realPath(io.cwd) ? [] : ["--wd", config.plan.workdir],
    onEvent,
    signal: io.signal,
    onForcedExit: (act) => io.onForcedExit(act),
    ...(person === undefined ? {} : { person: (question, signal) => person.ask(askedQuestion(question), signal) }),
  });
  return { pass: 0, fail: 1, waiting: 3 }[outcome];
}
