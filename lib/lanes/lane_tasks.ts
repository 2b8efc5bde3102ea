import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/suggest.ts";
import { choosePipeline, parseTask } from "../jobs/pipeline/task.ts";
import { filesOf } from "../jobs/pipeline/task_folder.ts";
import { readText } from "../jobs/pipeline/read_text.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { ExecOverrides, ExecTarget } from "../journal/exec/fields.ts";
import { plainName } from "../journal/exec/place.ts";

/** A task of the folder, as far as its order is concerned. Files are absolute paths. */
export interface LaneTask {
  readonly file: string;
  readonly number: number;
  readonly pipeline: string;
  readonly text: string;
  /** The files of the tasks that come before it. */
  readonly needs: readonly string[];
  /** Patterns of the files that it writes; none where it does not say. */
  readonly writes: readonly string[];
}

/**
 * The tasks of a folder, in the order of their names.
 *
 * @throws {UsageError} where one cannot be used, or needs what is not there, itself, or what needs it
 */
export async function readLaneTasks(
  target: ExecTarget,
  { plan, overrides }: { readonly plan: ExecPlan; readonly overrides: ExecOverrides },
): Promise<readonly LaneTask[]> {
  const files = await filesOf(target, overrides);
  const tasks = files.map((file, index) => {
    const task = parseTask(readText(file), { file });
    const { needs = [], writes = [], text } = task;
    const needed = needs.map((name) => neededFile(name, { file, files }));
    return {
      file,
      number: index + 1,
      pipeline: choosePipeline(plan, { task, overrides, file }),
      text,
      needs: needed,
      writes,
    };
  });
  requireOrder(tasks);
  return tasks;
}

function neededFile(
  name: string,
  { file, files }: { readonly file: string; readonly files: readonly string[] },
): string {
  const found = files.find((other) => plainName(other) === plainName(name));
  if (found !== undefined && found !== file) return found;
  const others = files.filter((other) => other !== file).map(plainName);
  throw new UsageError(
    found === file
      ? `Cannot do the task ${file}: it needs itself`
      : `Cannot do the task ${file}: it needs "${name}", and there is no such task${didYouMean(name, others)}`,
    { hint: `needs: names tasks of the same folder: ${others.join(", ")}` },
  );
}

function requireOrder(tasks: readonly LaneTask[]): void {
  const circle = circleIn(tasks);
  if (circle === undefined) return;
  throw new UsageError(`Cannot do the tasks: they need each other in a circle: ${circle.map(plainName).join(" -> ")}`, {
    hint: "Take one of these out of needs: of the task before it.",
  });
}

/** A task that comes before itself by what it needs, with the way there. */
function circleIn(tasks: readonly LaneTask[]): readonly string[] | undefined {
  const needs = new Map(tasks.map((task) => [task.file, task.needs]));
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const other of needs.get(file) ?? []) {
      const found = visit(other, [...way, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const { file } of tasks) {
    const found = visit(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two tasks say that they write the same files: by what of their patterns comes before the first wildcard. */
export function writesSame(one: LaneTask, other: LaneTask): boolean {
  const starts = ({ writes }: LaneTask) => writes.map((pattern) => /^[^*?[{]*/.exec(pattern)?.[0] ?? "");
  return starts(one).some((left) => starts(other).some((right) => left.startsWith(right) || right.startsWith(left)));
}
