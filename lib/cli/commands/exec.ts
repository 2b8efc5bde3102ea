import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import { chosenByFlags, EXEC_FLAGS } from "../../config/flags.ts";
import { auditHeadsPath } from "../../turn/desk/audit_heads.ts";
import { UsageError } from "../../base/errors.ts";
import { type ExecOptions, executeExec } from "../../jobs/pipeline/execute.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import { pipelinesOf, requireTasks } from "../../jobs/pipeline/check_tasks.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import type { ExecPlan } from "../../jobs/pipeline/plan.ts";
import { previewRun } from "../../jobs/pipeline/preview.ts";
import { EXEC_SETTINGS } from "../../jobs/pipeline/settings.ts";
import { filesOf } from "../../jobs/pipeline/task_folder.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import type { RunResult } from "../../run/execution.ts";
import type { Progress } from "../../journal/progress.ts";
import { carryOut, NO_INPUT_FLAG, type Surroundings } from "../carry_out.ts";
import { askedQuestion } from "../console/ask_person.ts";
import { type CliIo, defineCommand, type GlobalFlags, switchFlag, textFlag } from "../console/command.ts";
import { detach, DETACH_FLAGS, refuseBegun, refuseKey } from "../detach.ts";
import { keepEditorSchema } from "../editor_schema.ts";
import { type BuiltIn, type ExecConfig, type ExecConfigOptions, loadExecConfig } from "../exec_config.ts";
import { findExecTarget } from "../exec_target.ts";
import { openPreflight } from "../preflight/mod.ts";
import { lookAtSteps } from "../preflight/look_at_needs.ts";
import { JUNIT_FLAG, openReports } from "../reports/mod.ts";
import { previewText } from "../show/preview_text.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { openLiveOutput } from "../show/live_output.ts";
import { examineFolder } from "../folder_trust.ts";
import { requireFolderTrust, requireTrust, TRUST_FLAG, type TrustSurroundings } from "../trust.ts";
import { present } from "../../base/schema.ts";

/** `panewright exec TASK|FOLDER` */
export const command = defineCommand({
  arguments: [{
    name: "TASK",
    description: "the file with the task, a folder of such files, the task itself as one text, or - for standard input",
    required: true,
  }],
  flags: {
    pipeline: textFlag("NAME", "the pipeline, whatever the task's front matter names"),
    config: textFlag("FILE", "the config file (panewright.jsonc where none is named)"),
    wd: textFlag("DIR", "the folder in which the agents work"),
    provider: textFlag("ID", "the agent CLI of steps that name none: codex, claude_code"),
    ...EXEC_FLAGS,
    only: textFlag("NAME", "of a folder, do this task only, by the name of its file; may be given several times", {
      repeatable: true,
    }),
    check: textFlag(
      "COMMAND",
      "the command that must pass after the built-in step, instead of the project's test command",
    ),
    "keep-going": switchFlag("do a folder's other tasks even if one has failed"),
    force: switchFlag("do a folder's tasks even if an earlier run has passed them"),
    "dry-run": switchFlag("show tasks, steps, prompts, command lines and checks, and run nothing"),
    junit: JUNIT_FLAG,
    "no-input": NO_INPUT_FLAG,
    ...DETACH_FLAGS,
    trust: TRUST_FLAG,
  },
  async run(parsed, io) {
    const { flags, positionals, global } = parsed;
    if (flags.detach === true) return await detach("exec", parsed, io);
    refuseKey(flags.key);
    const { pipeline, config: path, wd, provider, only, force, "keep-going": keepGoing, junit, check } = flags;
    if (check?.trim() === "") throw new UsageError("Cannot use --check: it names no command");
    const overrides: ExecOverrides = {
      ...present({ pipeline, only }),
      ...(keepGoing === true ? { keepGoing } : {}),
      ...(force === true ? { force } : {}),
      ...present({ provider, check }),
      ...chosenByFlags(EXEC_SETTINGS, flags),
    };
    const target = await findExecTarget(positionals[0] ?? "", { io, overrides });
    const builtIn = target.text === undefined ? undefined : { check, isOwn: check !== undefined };
    if (check !== undefined && builtIn === undefined) {
      throw new UsageError(
        "Cannot use --check with a file or a folder: the checks of its steps are in the configuration",
      );
    }
    const given = { ...present({ wd, provider }) };
    const config = { flags: given, ...present({ path }), builtIn };
    if (flags["dry-run"] === true) return await showPreview(config, { io, global, target, overrides });
    return await executeSteps(config, {
      io,
      global,
      noInput: flags["no-input"] === true,
      trust: flags.trust === true,
      ...present({ junit }),
      async pipelinesOf(plan) {
        const files = await filesOf(target, overrides);
        requireTasks(files, { ...target, plan, overrides, cwd: io.cwd });
        return pipelinesOf(files, { ...target, plan, overrides });
      },
      execute: (options, { file: configFile, builtIn: used }) =>
        executeExec(
          { target, overrides: used === undefined ? overrides : fixed(overrides, used), configFile },
          options,
        ),
    });
  },
});

/** The agent's work could change which test command is found: a run that is resumed keeps its own. */
function fixed(overrides: ExecOverrides, { provider, check }: BuiltIn): ExecOverrides {
  return { ...overrides, provider, check };
}

interface PreviewSurroundings {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
}

/** Shows what a run would do. What is shown was not run, so it need not be trusted. */
async function showPreview(
  config: ExecConfigOptions,
  { io, global, target, overrides }: PreviewSurroundings,
): Promise<number> {
  const { plan } = await loadExecConfig(io, config, ({ where, message }) => {
    io.stderr(`warning: ${sanitizeLine(`${where}: ${message}`)}\n`);
  });
  requireTasks(await filesOf(target, overrides), { ...target, plan, overrides, cwd: io.cwd });
  const path = io.env("PATH") ?? "";
  const tasks = await previewRun(target, { plan, overrides, path, ...passedTasksFileIn(io) });
  for (const [index, task] of tasks.entries()) {
    if (global.json) io.stdout(outputLine("task_preview", task));
    else {
      const rows = previewText(task, { number: index + 1, of: tasks.length, verbose: global.verbose });
      io.stdout(rows.map((row) => `${row}\n`).join(""));
    }
  }
  return 0;
}

/** Where it is kept which tasks have passed, if there is a place. */
function passedTasksFileIn(io: CliIo): { readonly passedTasksFile?: string } {
  const state = stateFolder(io.env);
  return state === undefined ? {} : { passedTasksFile: `${state}/passed.ndjson` };
}

/** Where and how {@linkcode executeSteps} executes a run. */
export interface StepsSurroundings extends Omit<Surroundings, "workdir" | "output">, Pick<TrustSurroundings, "trust"> {
  /** How the run stood before, where it is resumed. */
  readonly earlier?: Progress;
  /** The facts of its earlier processes, where it is resumed. */
  readonly facts?: readonly ExecFact[];
  /** The file for JUnit XML, as the person named it. */
  readonly junit?: string;
  /**
   * Of a new run: looks for mistakes in what the plan is to be used for.
   *
   * @returns the names of the pipelines that are to be used
   */
  readonly pipelinesOf?: (plan: ExecPlan) => Promise<readonly string[]>;
  /** Executes the run, a new one or one that is resumed. */
  readonly execute: (options: ExecOptions, config: ExecConfig) => Promise<RunResult>;
}

/**
 * Executes a run of the pipeline by a configuration and shows how it goes.
 *
 * @returns the exit code: 0 for tasks that passed, 1 for one that failed, 3 for a question that waits
 * @throws {ConfigError} when the configuration cannot be used
 * @throws like `executeExec`
 */
export async function executeSteps(config: ExecConfigOptions, around: StepsSurroundings): Promise<number> {
  const { io, execute, earlier, facts = [], junit } = around;
  const reports = openReports({ io, junit, earlier: facts });
  using output = openLiveOutput(PIPELINE, { ...around, earlier, beforeResult: reports.table });
  const warn = (message: string) => output.onEvent({ type: "warning", message });
  const preflight = openPreflight(earlier === undefined ? "start the run" : "resume the run", {
    ...around,
    onWarning: warn,
  });
  const read = await preflight.readBesideMachine(
    // Of all pipelines, only those that are used need their programs.
    () =>
      loadExecConfig(io, { ...config, programsNeeded: false }, ({ where, message }) => warn(`${where}: ${message}`)),
    { panes: false },
  );
  const { plan, loaded, builtIn } = read;
  await refuseBegun(plan.workdir, io);
  const pipelines = await around.pipelinesOf?.(plan);
  const whoTrusts = { ...around, mayAsk: !around.global.json && around.noInput !== true };
  await requireTrust(loaded, whoTrusts);
  if (builtIn !== undefined) {
    await requireFolderTrust(examineFolder(plan.workdir, builtIn.check), { ...whoTrusts, isOwn: builtIn.isOwn });
  }
  if (pipelines !== undefined) {
    preflight.require(await lookAtSteps({ plan, pipelines }, preflight));
    await keepEditorSchema(loaded, io);
  }
  try {
    return await carryOut({ ...around, output, workdir: plan.workdir }, ({ person, onEvent, ...options }) =>
      execute({
        ...options,
        plan,
        // Whoever has started it cannot be told at its end how to resume it.
        isPatient: io.detached !== undefined,
        auditCopy: (run) => auditHeadsPath(run, (name) => io.env(name)),
        onEvent(event) {
          reports.before(event);
          onEvent?.(event);
          reports.after(event);
        },
        ...passedTasksFileIn(io),
        async beforeResume(used) {
          preflight.require(await lookAtSteps({ plan, pipelines: used }, preflight));
        },
        ...(person && { person: (question, signal) => person.ask(askedQuestion(question), signal) }),
      }, read));
  } finally {
    await reports.write();
  }
}
