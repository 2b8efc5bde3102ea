import { UsageError } from "../base/errors.ts";
import { choosePipeline, parseTask } from "../jobs/pipeline/task.ts";
import { neededFiles, orderProblems } from "../jobs/pipeline/task_order.ts";
import { filesOf, sourceOf } from "../jobs/pipeline/task_folder.ts";
import { isGraph } from "../jobs/flow.ts";
import type { ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import type { Lane } from "../journal/exec/lane.ts";
import { present } from "../base/schema.ts";
import type { ExecOverrides, ExecTarget } from "../journal/exec/fields.ts";

type Work = Pick<Lane, "file" | "part">;

/** A task, or a step of one whose steps form a graph, as far as the order is concerned. Files are absolute paths. */
export interface LaneTask extends Work {
  readonly number: number;
  readonly pipeline: string;
  readonly text: string;
  /** What comes before it. */
  readonly needs: readonly Work[];
  /** Patterns of the files that it writes; none where it does not say. */
  readonly writes: readonly string[];
}

/**
 * The tasks of a folder, in the order of their names, or the only one.
 *
 * @throws {UsageError} where one cannot be used
 */
export async function readLaneTasks(
  target: ExecTarget,
  { plan, overrides }: { readonly plan: ExecPlan; readonly overrides: ExecOverrides },
): Promise<readonly LaneTask[]> {
  const files = await filesOf(target, overrides);
  const tasks = files.map((file) => ({ file, ...parseTask(sourceOf(file, target), { file }) }));
  const [problem] = orderProblems(tasks);
  if (problem !== undefined) throw new UsageError(`Cannot do the task ${problem.file}: ${problem.message}`);
  const works = tasks.map(({ file, text, writes = [], ...task }) => {
    const pipeline = choosePipeline(plan, { task, overrides, file });
    return { file, text, writes, pipeline, before: neededFiles(task, files), steps: partsOf(plan.pipelines[pipeline]) };
  });
  const all = works.flatMap(({ before, steps, writes, ...task }) => {
    const others = works.filter(({ file }) => before.includes(file)).flatMap(({ file, steps }) =>
      steps.map(({ name: part }) => ({ file, ...present({ part }) }))
    );
    return steps.map(({ name: part, allowWrite = [], needs = [], prompt }) => ({
      ...{
        ...task,
        writes: part === undefined ? writes : allowWrite,
        ...present({ part }),
        text: textOf(task.text, { part, prompt }),
      },
      needs: [...others, ...needs.map((name) => ({ file: task.file, part: name }))],
    }));
  });
  return all.map((work, index) => ({ ...work, number: index + 1 }));
}

/** What is done by itself of a pipeline: each step of a graph, else all of it. */
function partsOf(steps: readonly StepPlan[] = []): readonly (Partial<StepPlan> & Pick<StepPlan, "needs">)[] {
  return isGraph(steps) ? steps : [{}];
}

/** What somebody is told of it who has to bring it together with other work. */
function textOf(
  task: string,
  { part, prompt }: { readonly part: string | undefined; readonly prompt: StepPlan["prompt"] | undefined },
) {
  if (part === undefined) return task;
  const own = prompt?.kind === "file" ? `${prompt.text ?? ""}\n\n` : "";
  return `Step "${part}" of a task.\n\n${own}The task:\n\n${task}`;
}

/** The steps of a plan that are done in a lane of this. */
export function stepsOfWork({ part, pipeline }: LaneTask, { pipelines }: ExecPlan): readonly StepPlan[] {
  const steps = pipelines[pipeline] ?? [];
  return part === undefined ? steps : steps.filter(({ name }) => name === part);
}

/** Whether two tasks say that they write the same files: by what of their patterns comes before the first wildcard. */
export function writesSame(one: LaneTask, other: LaneTask): boolean {
  const starts = ({ writes }: LaneTask) => writes.map((pattern) => /^[^*?[{]*/.exec(pattern)?.[0] ?? "");
  return starts(one).some((left) => starts(other).some((right) => left.startsWith(right) || right.startsWith(left)));
}
