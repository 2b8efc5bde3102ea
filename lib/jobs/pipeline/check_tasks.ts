import type { ExecOverrides } from "../../journal/exec/fields.ts";
import { relative } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { isGraph } from "../flow.ts";
import type { ExecPlan } from "./plan.ts";
import { choosePipeline, pipelineProblem, readTask, taskError, type TaskProblem } from "./task.ts";
import { sourceOf } from "./task_folder.ts";
import { needsOf, orderProblems } from "./task_order.ts";
import { isUnwritten } from "./task_template.ts";

interface TaskCheckOptions {
  /** @default the pipelines that tasks name are not looked up */
  readonly plan?: Pick<ExecPlan, "pipelines" | "defaultPipeline">;
  readonly overrides: ExecOverrides;
  readonly text?: string;
}

export interface TaskFileProblem extends TaskProblem {
  readonly file: string;
  /** Whether the task is right, but still the text that `panewright init` writes. @default {false} */
  readonly isUnwritten?: boolean;
}

export function checkTasks(files: readonly string[], options: TaskCheckOptions): readonly TaskFileProblem[] {
  const problems = files.flatMap((file) => problemsOf(file, options).map((problem) => ({ file, ...problem })));
  // Of what cannot be read nobody knows what it needs.
  return problems.length > 0 ? problems : orderProblems(files.map((file) => ({ file, needs: needsOf(file, options) })));
}

export function requireTasks(
  files: readonly string[],
  { cwd, ...options }: TaskCheckOptions & { readonly cwd: string },
): void {
  const problems = checkTasks(files, options);
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "" : `${problems.length} problems\n  `;
  throw taskError(
    `Cannot do the ${files.length === 1 ? "task" : "tasks"}: ${count}`,
    problems.map((problem) => ({ ...problem, file: shownPath(problem.file, cwd) })),
  );
}

/** A path from a folder, unless it leads out of it. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return shown.startsWith("../") ? path : shown;
}

export function pipelinesOf(
  files: readonly string[],
  { plan, overrides, ...target }: TaskCheckOptions & Required<Pick<TaskCheckOptions, "plan">>,
): readonly string[] {
  const names = files.map((file) => choosePipeline(plan, { file, task: readTask(sourceOf(file, target)), overrides }));
  return [...new Set(names)];
}

/** Whether one of these pipelines has steps that do not wait for each other. */
export function hasGraph(names: readonly string[], { pipelines }: Pick<ExecPlan, "pipelines">): boolean {
  return names.some((name) => isGraph(pipelines[name] ?? []));
}

function problemsOf(file: string, options: TaskCheckOptions): readonly Omit<TaskFileProblem, "file">[] {
  const { plan, overrides, ...target } = options;
  try {
    const { problems, pipelinePlace, ...task } = readTask(sourceOf(file, target));
    const message = plan && pipelineProblem(plan, { task, overrides });
    const isOfTask = overrides.pipeline === undefined;
    const unwritten = "it is as `panewright init` wrote it: write in it what to do";
    return [
      ...problems,
      ...(isUnwritten(task.text) ? [{ message: unwritten, isUnwritten: true }] : []),
      ...(message === undefined ? [] : [{ message, ...(isOfTask && pipelinePlace && { excerpt: pipelinePlace }) }]),
    ];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ message: error.message }];
  }
}
