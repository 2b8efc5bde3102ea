import { plural } from "../journal/words/words.ts";
import { type TestResults, testsThat } from "./test_results.ts";

/** So many tests are named in a sentence. */
const MOST_NAMED = 3;

/** Names of tests, or of files, as a sentence has them. */
export function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Whether a runner has named all of its tests: what it does not name is not gone then. */
function namesAll({ tests, total }: TestResults): boolean {
  return tests.size >= total;
}

/**
 * What the results of the tests themselves have to say: tests that ran on the code as it was and do not any more, failures
 * of a command that ends with 0, a command that runs none.
 *
 * @param before on the code as it was; `undefined` where that is not known
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { resultsIn } from "./test_results.ts";
 *
 * const [before, now] = [resultsIn("1..2\nok 1 adds\nnot ok 2 rounds\n"), resultsIn("1..2\nok 1 adds\nok 2 rounds # SKIP\n")];
 * assertEquals(remarksOnResults(now!, before), ["1 test that ran before is skipped now: rounds"]);
 * ```
 */
export function remarksOnResults(now: TestResults, before: TestResults | undefined): readonly string[] {
  if (now.total === 0) return [NO_TEST];
  const failing = testsThat("failed", now);
  return [
    ...(failing.length === 0 ? [] : [
      `the checks end with 0, and tell of ${plural(failing.length, "test")} that failed: ${named(failing)}`,
    ]),
    ...(before === undefined ? [] : sinceThen(now, before)),
  ];
}

/** What is said where a command ends with 0, and has tested nothing. */
export const NO_TEST = "the checks run no test: nothing is proven but that they end with 0";

function sinceThen(now: TestResults, before: TestResults): readonly string[] {
  if (!namesAll(before) || !namesAll(now)) {
    return now.total < before.total ? [`${plural(now.total, "test")} run, and ${before.total} did before`] : [];
  }
  const ran = [...before.tests].filter(([, how]) => how !== "skipped").map(([name]) => name);
  const gone = ran.filter((name) => !now.tests.has(name));
  const skipped = ran.filter((name) => now.tests.get(name) === "skipped");
  const told = (names: readonly string[], how: readonly [string, string]) =>
    names.length === 0
      ? []
      : [`${plural(names.length, "test")} that ran before ${names.length === 1 ? how[0] : how[1]}: ${named(names)}`];
  return [
    ...told(gone, ["does not run any more", "do not run any more"]),
    ...told(skipped, ["is skipped now", "are skipped now"]),
  ];
}

/** The tests that are new, and pass on the code as it was as well: they prove nothing of the change. */
export function idleTests(
  now: TestResults,
  { before, onOldCode }: { readonly before: TestResults | undefined; readonly onOldCode: TestResults | undefined },
): readonly string[] {
  if (before === undefined || onOldCode === undefined || !namesAll(before)) return [];
  return testsThat("passed", now).filter((name) => !before.tests.has(name) && onOldCode.tests.get(name) === "passed");
}

/**
 * Which tests have failed where a change was taken back, and did not with it; `undefined` where none that is known ran:
 * nothing was built, so nobody knows what they would have noticed.
 */
export function noticedBy(without: TestResults | undefined, result: TestResults): readonly string[] | undefined {
  if (!namesAll(result) || result.total === 0) return [];
  const ran = [...without?.tests ?? []].filter(([name]) => result.tests.has(name));
  if (ran.length === 0) return undefined;
  return ran.flatMap(([name, how]) => how === "failed" && result.tests.get(name) !== "failed" ? [name] : []);
}
