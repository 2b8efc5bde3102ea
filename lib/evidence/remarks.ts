import { sha256Hex } from "../base/text/digest.ts";
import { plural } from "../journal/words/words.ts";
import { linesAboutTests, type TestPart } from "./test_files.ts";

/** What is known of the text of a file that decides whether tests pass: enough to tell what was changed in it. */
export interface TestFacts {
  /** SHA-256 of its lines that are about tests. */
  readonly about: string;
  /** How many tests, assertions and marks it has, as far as its words tell. */
  readonly tests: number;
  readonly assertions: number;
  readonly skipped: number;
  readonly only: number;
}

/** Such a file, before and after an agent has worked; `undefined` where it was not, or is not, there. */
export interface ChangedTestFile {
  /** Below the top of the repository. */
  readonly path: string;
  readonly part: TestPart;
  readonly before: TestFacts | undefined;
  readonly after: TestFacts | undefined;
}

const TESTS =
  /\b(?:test|it|specify|Deno\.test|t\.test)\s*(?:\.\w+\s*)*\(|^\s*(?:async\s+)?def\s+test\w*\s*\(|^func\s+Test\w*\s*\(|#\[(?:\w+::)?test\]|^\s*@Test\b|^@test\s/gm;

const ASSERTIONS =
  /\bassert\w*(?:\.\w+)*\s*[!(]|^\s*assert\s|\bself\.assert\w+\s*\(|\bexpect\s*\(|\.should\b|\bt\.(?:Error|Fatal)\w*\s*\(|\b(?:require|assert)\.\w+\(t\b/gm;

const SKIPPED =
  /\.(?:skip|todo|skipIf|failing)\b|\b(?:xit|xtest|xdescribe)\s*\(|@(?:pytest\.mark\.)?(?:skip|skipif|xfail)\b|@unittest\.(?:skip\w*|expectedFailure)|\bself\.skipTest\s*\(|\bt\.Skip\w*\s*\(|#\[ignore|@(?:Disabled|Ignore)\b|\bignore:\s*true\b|\bpending\s*\(/g;

const ONLY = /\.only\b|\b(?:fit|fdescribe|ftest)\s*\(|\bonly:\s*true\b/g;

/** What is known of a text: what is written otherwise than common runners have it is not seen. */
export async function factsOf(path: string, text: string): Promise<TestFacts> {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    about: await sha256Hex(linesAboutTests(path, text)),
    ...{ tests: count(TESTS), assertions: count(ASSERTIONS), skipped: count(SKIPPED), only: count(ONLY) },
  };
}

/**
 * What a person should know of the tests by which work was judged, in words that accuse nobody: `test/a.js has 1
 * assertion less`. A change that adds tests alone is no remark.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const path = "a.test.js";
 * const before = await factsOf(path, "test('a', () => assert(1));");
 * const after = await factsOf(path, "test.skip('a', () => assert(1));");
 * assertEquals(remarksOn([{ path, part: "test", before, after }]), ["a.test.js was changed: 1 test more is skipped"]);
 * ```
 */
export function remarksOn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.flatMap(({ after, before, part, path }) => {
    if (before === undefined) {
      return part === "test" || part === "snapshot"
        ? after === undefined ? [] : onlyIn(path, after)
        : [`${path} is new, and may decide how tests run`];
    }
    if (after === undefined) return [removed(path, { part, before })];
    switch (part) {
      case "test":
        return [changed(path, { before, after })];
      case "snapshot":
        return [`${path} was changed: tests compare with it`];
      case "runner":
        return before.about === after.about ? [] : [`${path} was changed: it may decide how tests run`];
      case "ci":
        return [`${path} was changed: it decides what CI checks`];
    }
  });
}

function onlyIn(path: string, { only, skipped }: TestFacts): readonly string[] {
  if (only > 0) {
    return [`${path} is new, and has the runner leave out all other tests (${plural(only, "mark")} "only")`];
  }
  return skipped > 0 ? [`${path} is new, and skips ${plural(skipped, "test")}`] : [];
}

function removed(path: string, { before, part }: { readonly before: TestFacts; readonly part: string }): string {
  const tests = part === "test" ? before.tests : 0;
  return `${path} was removed${tests === 0 ? "" : `, with ${plural(tests, "test")}`}`;
}

function changed(path: string, { after, before }: { readonly before: TestFacts; readonly after: TestFacts }): string {
  const less = (of: "tests" | "assertions") => before[of] - after[of];
  const skipped = after.skipped - before.skipped;
  const what = [
    ...(less("tests") > 0 ? [`${plural(less("tests"), "test")} less`] : []),
    ...(less("assertions") > 0 ? [`${plural(less("assertions"), "assertion")} less`] : []),
    ...(skipped > 0 ? [`${plural(skipped, "test")} more ${skipped === 1 ? "is" : "are"} skipped`] : []),
    ...(after.only > before.only ? ['a mark "only", by which other tests are left out'] : []),
  ];
  return `${path} was changed${what.length === 0 ? "" : `: ${what.join(", ")}`}`;
}
