import { auditHeadsPath } from "../turn/desk/audit_heads.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import { type ExecPlan, plannedAgents } from "../jobs/pipeline/plan.ts";
import { agentsUsed } from "../jobs/review_loop/plan.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import { present } from "../base/schema.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import type { RunResult } from "../run/execution.ts";
import type { Progress } from "../journal/progress.ts";
import { carryOut, type Surroundings } from "./carry_out.ts";
import { askedQuestion } from "./console/ask_person.ts";
import type { CliIo } from "./console/command.ts";
import { refuseBegun } from "./detach.ts";
import { keepEditorSchema } from "./editor_schema.ts";
import { type ExecConfig, type ExecConfigOptions, loadExecConfig } from "./exec_config.ts";
import { openPreflight } from "./preflight/mod.ts";
import { lookAtSteps } from "./preflight/look_at_needs.ts";
import { openReports } from "./reports/mod.ts";
import { openLiveOutput } from "./show/live_output.ts";
import { readLoop, requireLoop, type RolesOfTasks } from "./loop_of_task.ts";
import { type Apartness, openWorkPlace } from "./work_place.ts";
import { keepUsed, requireTrust, type TrustSurroundings } from "./trust.ts";

/** Where it is kept which tasks have passed, if there is a place. */
export function passedTasksFileIn(io: CliIo): { readonly passedTasksFile?: string } {
  const state = stateFolder(io.env);
  return state === undefined ? {} : { passedTasksFile: `${state}/passed.ndjson` };
}

export interface StepsSurroundings
  extends Omit<Surroundings, "workdir" | "output">, Pick<TrustSurroundings, "trust">, Apartness {
  readonly earlier?: Progress;
  readonly facts?: readonly ExecFact[];
  readonly junit?: string;
  /** What a new run is about, in a few words; missing for one that is resumed. */
  readonly taskName?: string;
  /** Of a new run: looks for mistakes in what the plan is to be used for, and names the pipelines that are used. */
  readonly pipelinesOf?: (plan: ExecPlan) => Promise<readonly string[]>;
  /** How many lanes there are at a time. @default one after another, without lanes */
  readonly widthOf?: (config: ExecConfig) => { readonly parallel: number };
  /** Where the roles of a review loop do each task. @default pipelines do them */
  readonly roles?: RolesOfTasks | undefined;
  readonly execute: (options: ExecOptions, config: ExecConfig) => Promise<RunResult>;
}

/**
 * Executes a run of the pipeline by a configuration and shows how it goes.
 *
 * @returns the exit code: 0 for tasks that passed, 1 for one that failed, 3 for a question that waits
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
  // Of all pipelines, only those that are used need their programs.
  const load = (more: ExecConfigOptions) =>
    loadExecConfig(io, { ...more, programsNeeded: false }, ({ where, message }) => warn(`${where}: ${message}`));
  const { roles } = around;
  const loopIn = roles &&
    ((workdir: string, text: string) => readLoop(roles, { io, path: config.path, workdir, text }));
  const { loop, ...read } = await preflight.readBesideMachine(async () => {
    const read = await load(config);
    return { ...read, loop: await loopIn?.(read.plan.workdir, "the task") };
  }, { panes: roles !== undefined && (({ loop }) => loop !== undefined && hasPanes(loop.plan)) });
  const { plan, builtIn } = read;
  const { loaded } = loop ?? read;
  await refuseBegun(plan.workdir, io);
  const pipelines = await around.pipelinesOf?.(plan);
  const isContinued = around.taskName === undefined;
  const whoTrusts = { ...around, isContinued, mayAsk: !around.global.json && around.noInput !== true };
  const { workdir: folder } = plan;
  const toTrust = {
    config: loaded,
    ...(builtIn && { folder: { folder, check: builtIn.check, isOwn: builtIn.isOwn } }),
    obeyed: {
      workdir: folder,
      agents: [
        ...plannedAgents(plan).map(({ provider }) => provider),
        ...(loop === undefined ? [] : agentsUsed(loop.plan)),
      ],
    },
  };
  await requireTrust(toTrust, whoTrusts);
  if (pipelines !== undefined) {
    preflight.require(await lookAtSteps({ plan, pipelines }, preflight));
    if (loop !== undefined) await requireLoop(loop, preflight);
    await keepEditorSchema(loaded, io);
    if (!isContinued) await keepUsed(toTrust, whoTrusts);
  }
  const { taskName, isApart, prefersApart, widthOf } = around;
  await using place = await openWorkPlace({
    ...{ io, global: around.global, read, config, load, facts },
    hasLanes: roles !== undefined || (widthOf?.(read).parallel ?? 1) > 1,
    ...present({ loopIn }),
    ...{ task: taskName, isApart, prefersApart },
  });
  const { plan: { workdir } } = place.config;
  try {
    return await carryOut({ ...around, output, workdir }, ({ person, onEvent, ...given }) => {
      const options: ExecOptions = {
        ...given,
        plan: place.config.plan,
        auditCopy: (run) => auditHeadsPath(run, (name) => io.env(name)),
        onEvent(event) {
          place.onEvent(event);
          reports.before(event);
          onEvent?.(event);
          reports.after(event);
        },
        ...passedTasksFileIn(io),
        async beforeResume(pipelines) {
          preflight.require(await lookAtSteps({ plan, pipelines }, preflight));
        },
        ...(person && {
          askAtTerminal: person.ask,
          async person(question, signal) {
            using _held = output.hold();
            return await person.ask(askedQuestion(question), signal);
          },
        }),
      };
      return execute({ ...options, ...place.play(options) }, place.config);
    });
  } finally {
    await reports.write();
  }
}
