import type { ExecOptions, ExecReport } from "../jobs/pipeline/execute.ts";
import type { ReviewRunOptions } from "../jobs/review_loop/execute.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import type { Lane } from "../journal/exec/lane.ts";
import type { ExecState } from "../journal/exec/state.ts";
import type { RunOrigin } from "../journal/loop/fields.ts";
import type { Run } from "../run/execution.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { LaneTask } from "./lane_tasks.ts";

/** What the roles of a review loop do a task by, in the workspace of its lane. */
export interface LoopOfTask extends Pick<ReviewRunOptions, "plan" | "person"> {
  readonly origin: RunOrigin;
}

/** What the lanes of a run have in common. */
export interface Lanes {
  /** The run that is all of them; each lane has another one of its own. */
  readonly run: Run<ExecFact, ExecState>;
  /** What the runs of lanes are carried out by, besides their plan. */
  readonly options: Omit<ExecOptions, "plan">;
  readonly plan: ExecPlan;
  /** The plan for another folder. */
  readonly planIn: (workdir: string) => Promise<ExecPlan>;
  /** Where the roles of a review loop do each task: their plan for one, in another folder. @default a pipeline does it */
  readonly loopIn?: (workdir: string, task: string) => Promise<LoopOfTask>;
  readonly tasks: readonly LaneTask[];
  readonly target: Workspace;
  readonly onAsking: (lane: Lane, isAsking: boolean) => void;
  readonly signal: AbortSignal;
}

/** How the run of a lane has ended. */
export type LaneEnd = Pick<ExecReport, "outcome" | "reason"> & {
  /** The commands that answer what it waits for. */
  readonly questions: readonly { readonly id: string; readonly text: string; readonly answerCommand: string }[];
};
