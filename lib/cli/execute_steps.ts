import { present } from "../base/schema.ts";
import { auditHeadsPath } from "../turn/desk/audit_heads.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import type { RunResult } from "../run/execution.ts";
import type { Progress } from "../journal/progress.ts";
import { carryOut, type Surroundings } from "./carry_out.ts";
import { askedQuestion } from "./console/ask_person.ts";
import type { CliIo } from "./console/command.ts";
import type { ExecConfig, ExecConfigOptions } from "./exec_config.ts";
import { openPreflight } from "./preflight/mod.ts";
import { lookAtSteps } from "./preflight/look_at_needs.ts";
import { openReports } from "./reports/mod.ts";
import { openLiveOutput } from "./show/live_output.ts";
import { type Apartness, openWorkPlace } from "./work_place.ts";
import { type ReadingSteps, readSteps } from "./read_steps.ts";

/** Where it is kept which tasks have passed, if there is a place. */
export function passedTasksFileIn(io: CliIo): { readonly passedTasksFile?: string } {
  const state = stateFolder(io.env);
  return state === undefined ? {} : { passedTasksFile: `${state}/passed.ndjson` };
}

export interface StepsSurroundings
  extends Omit<Surroundings, "workdir" | "output">, Omit<ReadingSteps, "global">, Apartness {
  readonly earlier?: Progress;
  readonly facts?: readonly ExecFact[];
  readonly junit?: string;
  /** How many lanes there are at a time. @default one after another, without lanes */
  readonly widthOf?: (config: ExecConfig) => { readonly parallel: number };
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
  const { read, ...reading } = await readSteps(config, around, { preflight, warn });
  const { plan } = read;
  const { taskName, isApart, prefersApart, widthOf } = around;
  await using place = await openWorkPlace({
    ...{ io, global: around.global, read, config, facts, ...reading },
    hasLanes: reading.loopIn !== undefined || (widthOf?.(read).parallel ?? 1) > 1,
    ...{ task: taskName, isApart, prefersApart },
  });
  const { plan: { workdir } } = place.config;
  try {
    return await carryOut({ ...around, output, workdir }, ({ person, onEvent, ...given }) => {
      const options: ExecOptions = {
        ...given,
        plan: place.config.plan,
        auditCopy: (run) => auditHeadsPath(run, (name) => io.env(name)),
        ...present({ mirror: io.detached?.mirror }),
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
