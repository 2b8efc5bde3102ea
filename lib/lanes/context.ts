import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import type { Lane } from "../journal/exec/lane.ts";
import type { ExecState } from "../journal/exec/state.ts";
import type { Run } from "../run/execution.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { LaneTask } from "./lane_tasks.ts";

/** What the lanes of a run have in common. */
export interface Lanes {
  /** The run that is all of them; each lane has another one of its own. */
  readonly run: Run<ExecFact, ExecState>;
  /** What the runs of lanes are carried out by, besides their plan. */
  readonly options: Omit<ExecOptions, "plan">;
  readonly plan: ExecPlan;
  /** The plan for another folder. */
  readonly planIn: (workdir: string) => Promise<ExecPlan>;
  readonly tasks: readonly LaneTask[];
  readonly target: Workspace;
  readonly onAsking: (lane: Lane, isAsking: boolean) => void;
  readonly signal: AbortSignal;
}
