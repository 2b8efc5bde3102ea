import { plainName } from "../../journal/exec/place.ts";
import type { ExecTarget } from "../../journal/exec/fields.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { circleIn } from "../flow.ts";
import { readTask } from "./task.ts";
import { sourceOf } from "./task_folder.ts";

interface OrderedTask {
  readonly file: string;
  /** The names of tasks of the same folder. */
  readonly needs?: readonly string[] | undefined;
}

/** What a task needs; nothing where it cannot be read. */
export function needsOf(file: string, target: Pick<ExecTarget, "text">): readonly string[] {
  try {
    return readTask(sourceOf(file, target)).needs ?? [];
  } catch {
    return [];
  }
}

/** The files of the tasks that come before one; names that no task has are left out. */
export function neededFiles({ needs = [] }: Omit<OrderedTask, "file">, files: readonly string[]): readonly string[] {
  return needs.flatMap((name) => files.find((file) => plainName(file) === plainName(name)) ?? []);
}

/** What is wrong with what tasks need: what is not there, themselves, or what needs them. */
export function orderProblems(
  tasks: readonly OrderedTask[],
): readonly { readonly file: string; readonly message: string }[] {
  const files = tasks.map(({ file }) => file);
  const named = tasks.flatMap(({ file, needs = [] }) =>
    needs.flatMap((name) => {
      const [found] = neededFiles({ needs: [name] }, files);
      if (found !== undefined && found !== file) return [];
      const others = files.filter((other) => other !== file).map(plainName);
      const among = others.length === 0 ? "; it is the only one" : `${didYouMean(name, others)}: ${others.join(", ")}`;
      const message = found === file ? "it needs itself" : `it needs "${name}", and there is no such task${among}`;
      return [{ file, message }];
    })
  );
  if (named.length > 0) return named;
  const circle = circleIn(new Map(tasks.map((task) => [task.file, neededFiles(task, files)])));
  if (circle === undefined) return [];
  const names = circle.map(plainName).join(" -> ");
  return [{ file: circle[0] ?? "", message: `it needs itself by what it needs: ${names}` }];
}
