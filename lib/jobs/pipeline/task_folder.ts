import { plainName } from "../../journal/exec/place.ts";
import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import { basename } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { errorText } from "../../base/text/error_text.ts";
import { compareText } from "../../base/text/order.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { readText } from "./read_text.ts";

/**
 * The files of the tasks that are to be done, in their order: of a folder, the `.md` files in it without those whose
 * name begins with `_` or a dot, by {@linkcode compareNames}.
 */
export async function filesOf(
  { kind, path }: ExecTarget,
  { only, over = [] }: Pick<ExecOverrides, "only"> & { readonly over?: readonly string[] },
): Promise<readonly string[]> {
  if (kind === "task") return [path];
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      // What is no regular file, such as a link, is refused where it is read.
      if (!isDirectory && isTaskName(name)) names.push(name);
    }
  } catch (cause) {
    throw new UsageError(`Cannot read the folder of tasks ${path}: ${errorText(cause)}`, { cause });
  }
  return chosenOf(names.sort(compareNames), { only, over, path }).map((name) => `${path}/${name}`);
}

export function sourceOf(file: string, { text }: Pick<ExecTarget, "text">): string {
  return text ?? readText(file);
}

function chosenOf(
  names: readonly string[],
  { only, over, path }: {
    readonly only: readonly string[] | undefined;
    readonly over: readonly string[];
    readonly path: string;
  },
): readonly string[] {
  if (only === undefined) return names;
  const isNamed = (name: string, wish: string) => name === wish || plainName(name) === wish;
  for (const wish of only) {
    if ([...names, ...over.map((file) => basename(file))].some((name) => isNamed(name, wish))) continue;
    const hint = names.length === 0 ? "There are none." : `The tasks are ${names.map(plainName).join(", ")}.`;
    const meant = didYouMean(wish, names.map(plainName));
    throw new UsageError(`Cannot do only "${wish}": there is no such task in ${path}${meant}`, { hint });
  }
  return names.filter((name) => only.some((wish) => isNamed(name, wish)));
}

/** The order of names in which numbers count as numbers: 2 comes before 10. */
function compareNames(left: string, right: string): number {
  const [lefts, rights] = [left, right].map((name) => name.split(/(\d+)/)) as [string[], string[]];
  for (let index = 0; index < Math.min(lefts.length, rights.length); index++) {
    const [a, b] = [lefts[index]!, rights[index]!];
    // Every other part is a number.
    const order = index % 2 === 1 ? compareNumbers(a, b) : compareText(a, b);
    if (order !== 0) return order;
  }
  return compareText(left, right);
}

function compareNumbers(left: string, right: string): number {
  const [a, b] = [left.replace(/^0+/, ""), right.replace(/^0+/, "")];
  return a.length - b.length || compareText(a, b);
}

/** Whether a file of a folder is a task, by its name. */
export function isTaskName(name: string): boolean {
  return /^[^_.].*\.md$/is.test(basename(name));
}
