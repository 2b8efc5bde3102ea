import { named } from "../../evidence/compare_results.ts";
import { testPartOf } from "../../evidence/test_files.ts";
import { listByGit } from "../../jobs/files/list.ts";

/** Which files count as tests by their names; `undefined` where git cannot tell what is there. */
export async function testFilesText(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const listed = await listByGit({ folder, signal }).catch(() => undefined);
  const tests = listed?.names.filter((path) => testPartOf(path) === "test");
  if (tests?.length === 0) return "none is known by its name: evidence.tests says which ones are tests";
  return tests === undefined ? undefined : `${tests.length} by their names: ${named(tests)}`;
}
