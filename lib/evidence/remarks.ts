import { plural } from "../journal/words/words.ts";
import { changesTests, testPartOf } from "./test_files.ts";

/** A file that decides whether tests pass, before and after an agent has worked; `undefined` where it was not, or is not, there. */
export interface ChangedTestFile {
  /** Below the top of the repository. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** How many tests, assertions and marks a file has, as far as its words tell. */
interface Counts {
  readonly tests: number;
  readonly assertions: number;
  readonly skipped: number;
  readonly only: number;
}

const TESTS =
  /\b(?:test|it|specify|Deno\.test|t\.test)\s*(?:\.\w+\s*)*\(|^\s*(?:async\s+)?def\s+test\w*\s*\(|^func\s+Test\w*\s*\(|#\[(?:\w+::)?test\]|^\s*@Test\b|^@test\s/gm;

const ASSERTIONS =
  /\bassert\w*(?:\.\w+)*\s*[!(]|^\s*assert\s|\bself\.assert\w+\s*\(|\bexpect\s*\(|\.should\b|\bt\.(?:Error|Fatal)\w*\s*\(|\b(?:require|assert)\.\w+\(t\b/gm;

const SKIPPED =
  /\.(?:skip|todo|skipIf|failing)\b|\b(?:xit|xtest|xdescribe)\s*\(|@(?:pytest\.mark\.)?(?:skip|skipif|xfail)\b|@unittest\.(?:skip\w*|expectedFailure)|\bself\.skipTest\s*\(|\bt\.Skip\w*\s*\(|#\[ignore|@(?:Disabled|Ignore)\b|\bignore:\s*true\b|\bpending\s*\(/g;

const ONLY = /\.only\b|\b(?:fit|fdescribe|ftest)\s*\(|\bonly:\s*true\b/g;

/** Counts what a test file has, by its words: what is written otherwise is not seen. */
export function countsOf(text: string): Counts {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return { tests: count(TESTS), assertions: count(ASSERTIONS), skipped: count(SKIPPED), only: count(ONLY) };
}

/**
 * What a person should know of the tests by which work was judged, in words that accuse nobody: `test/a.js has 1
 * assertion less`. A change that adds tests alone is no remark.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const [before, after] = ["test('a', () => assert(1));", "test.skip('a', () => assert(1));"];
 * assertEquals(remarksOn([{ path: "a.test.js", before, after }]), ["a.test.js was changed: 1 test more is skipped"]);
 * ```
 */
export function remarksOn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.flatMap(({ after, before, path }) => {
    const part = testPartOf(path);
    if (part === undefined) return [];
    if (before === undefined) {
      return part === "test" || part === "snapshot"
        ? onlyIn(path, after ?? "")
        : [`${path} is new, and may decide how tests run`];
    }
    if (after === undefined) return [removed(path, { part, before })];
    switch (part) {
      case "test":
        return [changed(path, { before: countsOf(before), after: countsOf(after) })];
      case "snapshot":
        return [`${path} was changed: tests compare with it`];
      case "runner":
        return !changesTests(path, { before, after }) ? [] : [`${path} was changed: it may decide how tests run`];
      case "ci":
        return [`${path} was changed: it decides what CI checks`];
    }
  });
}

function onlyIn(path: string, text: string): readonly string[] {
  const { only, skipped } = countsOf(text);
  if (only > 0) {
    return [`${path} is new, and has the runner leave out all other tests (${plural(only, "mark")} "only")`];
  }
  return skipped > 0 ? [`${path} is new, and skips ${plural(skipped, "test")}`] : [];
}

function removed(path: string, { before, part }: { readonly before: string; readonly part: string }): string {
  const { tests } = countsOf(before);
  return part === "test" && tests > 0 ? `${path} was removed, with ${plural(tests, "test")}` : `${path} was removed`;
}

function changed(path: string, { after, before }: { readonly before: Counts; readonly after: Counts }): string {
  const less = (of: "tests" | "assertions") => before[of] - after[of];
  const what = [
    ...(less("tests") > 0 ? [`${plural(less("tests"), "test")} less`] : []),
    ...(less("assertions") > 0 ? [`${plural(less("assertions"), "assertion")} less`] : []),
    ...(after.skipped > before.skipped ? [moreSkipped(after.skipped - before.skipped)] : []),
    ...(after.only > before.only ? ['a mark "only", by which other tests are left out'] : []),
  ];
  return `${path} was changed${what.length === 0 ? "" : `: ${what.join(", ")}`}`;
}

function moreSkipped(count: number): string {
  return `${plural(count, "test")} more ${count === 1 ? "is" : "are"} skipped`;
}
