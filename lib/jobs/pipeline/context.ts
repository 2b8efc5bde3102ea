import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import type { AttemptRequest, HeadlessResult } from "../../agents/process/seam.ts";
import type { PlannedOptions, Run, RunResult } from "../../run/execution.ts";
import type { AskPerson } from "./await_answer.ts";
import type { ExecEvent, ExecFact } from "../../journal/exec/facts.ts";
import type { Judge } from "../evidence/gather.ts";
import type { LeftCommands } from "../left_running.ts";
import type { PassedTasks } from "./passed_tasks.ts";
import type { ExecPlan } from "./plan.ts";
import type { ExecState } from "../../journal/exec/state.ts";

export interface Drive extends Run<ExecFact, ExecState> {
  readonly plan: ExecPlan;
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
  /** Missing where no task counts as passed before. */
  readonly passedTasks: PassedTasks | undefined;
  /** What agents leave running. */
  readonly left: LeftCommands;
  readonly onActivity: (event: Extract<ExecEvent, { type: "agent_activity" }>) => void;
  readonly person: AskPerson | undefined;
  /** Whether a question is waited for although nobody sits at a terminal. */
  readonly isPatient: boolean;
  readonly runHeadless: (request: AttemptRequest) => Promise<HeadlessResult>;
  readonly judge: Judge;
  /** What the checkout is is noted beside what goes before the first step. */
  readonly noted: Promise<void>;
}

export interface ExecOptions extends PlannedOptions<ExecEvent, ExecPlan, AskPerson> {
  /** Absolute path of the record of passed tasks; without one, no task is left out. */
  readonly passedTasksFile?: string;
  readonly beforeResume?: (pipelines: readonly string[]) => Promise<void>;
  /** What plays the run instead of its steps one after another. */
  readonly play?: (run: Run<ExecFact, ExecState>) => Promise<RunResult>;
  /** @default {runHeadless of lib/agents} */
  readonly runHeadless?: (request: AttemptRequest) => Promise<HeadlessResult>;
}
