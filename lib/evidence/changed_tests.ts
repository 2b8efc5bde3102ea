import { changedPaths } from "../workspace/result.ts";
import { textIn } from "../workspace/trees.ts";
import { type ChangedTestFile, factsOf } from "./remarks.ts";
import { testPartOf } from "./test_files.ts";

/** So many files are read; what is changed in more is told without their texts. */
const MOST_READ = 400;

/** The files between two commits that decide whether tests pass. */
export async function changedTests(
  [base, commit]: readonly [string, string],
  where: { readonly store: string; readonly signal: AbortSignal },
): Promise<readonly ChangedTestFile[]> {
  const paths = (await changedPaths([base, commit], where)).filter((path) => testPartOf(path) !== undefined);
  const files: ChangedTestFile[] = [];
  for (const path of paths.slice(0, MOST_READ)) {
    const factsIn = async (at: string) => {
      const text = await textIn(at, { path, ...where });
      return text === undefined ? undefined : await factsOf(path, text);
    };
    files.push({ path, before: await factsIn(base), after: await factsIn(commit) });
  }
  const unread = await factsOf("", "");
  return [...files, ...paths.slice(MOST_READ).map((path) => ({ path, before: unread, after: unread }))];
}
