import { expandGlob } from "@std/fs";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { errorText } from "../../base/text/error_text.ts";
import { joinResults, type TestResults, testsThat } from "../../evidence/test_results.ts";

const MOST_BYTES = 64 * 1024 * 1024;

/** The reports that are in a folder, each with what tells one that is written anew from it. */
type Reports = ReadonlyMap<string, string>;

/** @param pattern `evidence.junit` */
export async function reportsIn(workdir: string, pattern: string | undefined): Promise<Reports> {
  if (pattern === undefined) return new Map();
  const found = expandGlob(pattern, { root: workdir, includeDirs: false, followSymlinks: false });
  const reports = new Map<string, string>();
  const own = `${await Deno.realPath(workdir)}/`;
  for await (const { path } of found) {
    if (!(await Deno.realPath(path)).startsWith(own)) continue;
    const { ino, mtime, size } = await Deno.lstat(path);
    reports.set(path, `${ino} ${mtime?.getTime()} ${size}`);
  }
  return reports;
}

/**
 * The reports that a check has written in a folder.
 *
 * @param before what was there before it: what a commit has brought along says nothing of the check
 * @returns `problem`: why a check that ended with 0 has not passed
 */
export async function readReports(
  workdir: string,
  { before, pattern }: { readonly pattern: string | undefined; readonly before: Reports },
): Promise<{ readonly results?: TestResults | undefined; readonly problem?: string }> {
  if (pattern === undefined) return {};
  try {
    const paths = [...await reportsIn(workdir, pattern)].flatMap(([path, is]) => before.get(path) === is ? [] : [path]);
    if (paths.length === 0) return { problem: `no report ${pattern} was written` };
    // Few projects have reports: what reads them is not loaded for the others.
    const { resultsInJUnit } = await import("../../evidence/junit.ts");
    const results = joinResults(paths.map((path) => resultsInJUnit(readRegularText(path, { maxBytes: MOST_BYTES }))));
    const failing = results === undefined ? [] : testsThat("failed", results);
    return failing.length === 0 ? { results } : { results, problem: "its report has tests that failed" };
  } catch (error) {
    return { problem: `the report ${pattern} cannot be read: ${errorText(error)}` };
  }
}
