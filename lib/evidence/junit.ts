import sax from "sax";
import { namedOnce, type TestOutcome, type TestResults } from "./test_results.ts";

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { failure: "failed", error: "failed", skipped: "skipped" };

/**
 * Reads a report as JUnit writes it: each `testcase`, by its class and name.
 *
 * @throws {Error} for what is no XML
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const xml = '<testsuite><testcase classname="a" name="adds"/><testcase name="rounds"><failure/></testcase></testsuite>';
 * assertEquals([...resultsInJUnit(xml).tests], [["a > adds", "passed"], ["rounds", "failed"]]);
 * ```
 */
export function resultsInJUnit(xml: string): TestResults {
  const named: [string, TestOutcome][] = [];
  let inside: [string, TestOutcome] | undefined;
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = ({ attributes: { classname, name }, name: tag }) => {
    if (tag === "testcase") inside = [[classname, name].filter((part) => part !== undefined).join(" > "), "passed"];
    else if (inside !== undefined) inside[1] = OUTCOMES[tag] ?? inside[1];
  };
  parser.onclosetag = (tag) => {
    if (tag !== "testcase" || inside === undefined) return;
    named.push(inside);
    inside = undefined;
  };
  parser.write(xml).close();
  return { tests: namedOnce(named), total: named.length };
}
