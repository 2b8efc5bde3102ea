import { basename } from "@std/path/posix";
import { present } from "../../base/schema.ts";
import { chosenByFlags, EXEC_FLAGS, STRICT_FLAG } from "../../config/flags.ts";
import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import { UsageError } from "../../base/errors.ts";
import { executeExec } from "../../jobs/pipeline/execute.ts";
import { hasGraph, pipelinesOf, requireTasks } from "../../jobs/pipeline/check_tasks.ts";
import { settingsIn } from "../../config/settings_in.ts";
import { LANE_SETTINGS } from "../../lanes/settings.ts";
import { type ExecConfig, keptOf } from "../exec_config.ts";
import { EXEC_SETTINGS } from "../../jobs/pipeline/settings.ts";
import { filesOf } from "../../jobs/pipeline/task_folder.ts";
import { BEGIN_FLAGS, beginRun } from "../begin_run.ts";
import { NO_INPUT_FLAG } from "../carry_out.ts";
import { type CliIo, defineCommand, type ParsedCommand, switchFlag, textFlag } from "../console/command.ts";
import { findExecTarget } from "../exec_target.ts";
import { JUNIT_FLAG } from "../reports/mod.ts";
import { TRUST_FLAG } from "../trust.ts";
import { showPreview } from "../exec_preview.ts";
import { WORKSPACE_FLAG } from "../in_workspace.ts";
import { executeSteps } from "../execute_steps.ts";

/** What a task on the command line may be done with. */
export const FLAGS = {
  pipeline: textFlag("NAME", "the pipeline, whatever the task's front matter names"),
  config: textFlag("FILE", "the config file (panewright.jsonc where none is named)"),
  wd: textFlag("DIR", "the folder in which the agents work"),
  provider: textFlag("ID", "the agent CLI of steps that name none: codex, claude_code"),
  ...EXEC_FLAGS,
  strict: STRICT_FLAG,
  only: textFlag("NAME", "of a folder, do this task only, by the name of its file; may be given several times", {
    repeatable: true,
  }),
  check: textFlag(
    "COMMAND",
    "the command that must pass after the built-in step, instead of the project's test command",
  ),
  "keep-going": switchFlag("do a folder's other tasks even if one has failed, or waits for an answer"),
  force: switchFlag("do a folder's tasks even if an earlier run has passed them"),
  workspace: WORKSPACE_FLAG,
  "dry-run": switchFlag("show tasks, steps, prompts, command lines and checks, and run nothing"),
  junit: JUNIT_FLAG,
  "no-input": NO_INPUT_FLAG,
  ...BEGIN_FLAGS,
  trust: TRUST_FLAG,
} as const;

export const command = defineCommand({
  arguments: [{
    name: "TASK",
    description: "the file with the task, a folder of such files, the task itself as one text, or - for standard input",
    required: true,
  }],
  flags: FLAGS,
  run: (parsed, io) => beginRun("exec", { parsed, io, here: (flags, io) => runExec({ ...parsed, flags }, io, {}) }),
});

interface ExecManner {
  /** Where the roles of a review loop do each task. @default pipelines do them */
  readonly byRoles?: Required<Pick<ExecOverrides, "roles" | "pipeline">>;
  /** What is to be done, where it is not what the argument names. */
  readonly target?: ExecTarget;
  /** As in `StepsSurroundings`. */
  readonly prefersApart?: boolean;
  /** The session of the flags' provider that the agent continues a copy of. */
  readonly session?: Required<ExecOverrides>["session"];
}

/** Carries out a task, or a folder of them, as the command line says. */
export async function runExec(
  parsed: ParsedCommand<typeof FLAGS>,
  io: CliIo,
  { byRoles, prefersApart = false, session, target: given }: ExecManner,
): Promise<number> {
  const { flags, positionals, global } = parsed;
  const { pipeline, config: path, wd, provider, only, force, "keep-going": keepGoing, junit, check, strict } = flags;
  if (check?.trim() === "") throw new UsageError("Cannot use --check: it names no command");
  const overrides: ExecOverrides = {
    ...present({ pipeline, only, provider, check, session, strict }),
    ...byRoles,
    ...present({ keepGoing: keepGoing || undefined, force: force || undefined }),
    ...chosenByFlags(EXEC_SETTINGS, flags),
  };
  const target = given ?? await findExecTarget(positionals[0] ?? "", { io, overrides });
  const builtIn = {
    ...{ check, isOwn: check !== undefined, mayBeUnchecked: prefersApart || byRoles !== undefined },
    ...(byRoles === undefined ? {} : { isForRoles: true, review: "never" as const }),
  };
  const { attempts, choose: chooser, parallel }: Readonly<Record<string, unknown>> = flags;
  let hasSeveral = target.kind === "folder";
  const widthOf = ({ loaded: { config } }: ExecConfig) => {
    const { attempts, choose, parallel } = settingsIn(config, LANE_SETTINGS);
    if (chooser !== undefined && attempts === 1) {
      throw new UsageError("Cannot use --choose: it is for several attempts of a task", {
        hint: "Say how many with --attempts.",
      });
    }
    if (session !== undefined && attempts > 1) {
      throw new UsageError('Cannot continue a session in several attempts: the configuration has "attempts"');
    }
    return { attempts, choose, parallel: Math.max(attempts, hasSeveral ? parallel : 1) };
  };
  const config = {
    flags: { ...byRoles?.roles.flags, ...present({ wd, provider, attempts, choose: chooser, parallel, strict }) },
    ...present({ path }),
    builtIn,
  };
  if (flags["dry-run"] === true) return await showPreview(config, { io, global, target, overrides });
  return await executeSteps(config, {
    io,
    global,
    noInput: flags["no-input"] === true,
    trust: flags.trust === true,
    ...present({ junit, isApart: flags.workspace }),
    prefersApart,
    widthOf,
    ...present({ roles: byRoles?.roles }),
    taskName: nameOfTask(positionals[0]),
    async pipelinesOf(plan) {
      const files = await filesOf(target, overrides);
      requireTasks(files, { ...target, plan, overrides, cwd: io.cwd });
      const names = pipelinesOf(files, { ...target, plan, overrides });
      hasSeveral ||= hasGraph(names, plan);
      if (hasSeveral || parallel === undefined) return names;
      throw new UsageError(
        "Cannot use --parallel: it is for the tasks of a folder, and for steps that say what they need",
      );
    },
    execute: (options, read) =>
      executeExec({
        target,
        overrides: {
          ...overrides,
          ...keptOf(read),
          ...(options.play === undefined ? {} : widthOf(read)),
        },
        configFile: read.file,
      }, options),
  });
}

/** What a workspace is named by. */
function nameOfTask(given = ""): string {
  return given.includes(" ") ? given.trim().split("\n", 1)[0] ?? "" : basename(given).replace(/\.\w+$/, "");
}
