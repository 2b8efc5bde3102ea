import { changedPaths } from "../workspace/result.ts";
import { textIn } from "../workspace/trees.ts";
import { type ChangedTestFile, factsOf } from "./remarks.ts";
import type { PartOf } from "./test_files.ts";

/** So many files are read; what is changed in more is told without their texts. */
const MOST_READ = 400;

/** The files between two commits that decide whether tests pass. */
export async function changedTests(
  [base, commit]: readonly [string, string],
  where: { readonly store: string; readonly signal: AbortSignal; readonly partOf: PartOf },
): Promise<readonly ChangedTestFile[]> {
  const found = (await changedPaths([base, commit], where)).flatMap((path) => {
    const part = where.partOf(path);
    return part === undefined ? [] : [{ path, part }];
  });
  const files: ChangedTestFile[] = [];
  for (const { part, path } of found.slice(0, MOST_READ)) {
    const factsIn = async (at: string) => {
      const text = await textIn(at, { path, ...where });
      return text === undefined ? undefined : await factsOf(path, text);
    };
    files.push({ path, part, before: await factsIn(base), after: await factsIn(commit) });
  }
  const unread = await factsOf("", "");
  return [...files, ...found.slice(MOST_READ).map((one) => ({ ...one, before: unread, after: unread }))];
}
