/** How a test has ended, as its runner tells. */
export type TestOutcome = "passed" | "failed" | "skipped";

/** What a runner's output tells of its tests, one by one where it names them. */
export interface TestResults {
  /** By what the runner calls each: of several that are called the same, the second has ` (2)` behind its name. */
  readonly tests: ReadonlyMap<string, TestOutcome>;
  /** How many it says there are; of a runner that does not, those that it names. */
  readonly total: number;
}

type Named = readonly [name: string, outcome: TestOutcome];

/**
 * Reads the output of a test command; `undefined` where no known runner has written it.
 *
 * Known: TAP (node:test, bats, tape), the lists of node:test, Mocha, Jest and Vitest, `deno test`, `cargo test`, unittest,
 * pytest with `-rA`, `go test -v`. Their summaries count where they name no test.
 *
 * @param output without control characters
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const { tests, total } = resultsIn("1..2\nok 1 adds\nnot ok 2 rounds\n")!;
 * assertEquals([[...tests], total], [[["adds", "passed"], ["rounds", "failed"]], 2]);
 * ```
 */
export function resultsIn(output: string): TestResults | undefined {
  const lines = output.split("\n").filter((line) => line.length <= LONGEST_LINE);
  const said = totalIn(lines);
  // Lines like theirs are written by others as well: all but go test sum up.
  const readers = said === undefined ? [namedByGo] : [namedInTap, namedInTree, namedWithDots, namedByPytest, namedByGo];
  const named = readers.map((read) => read(lines)).reduce((most, one) => one.length > most.length ? one : most, []);
  if (named.length === 0 && said === undefined) return undefined;
  return { tests: namedOnce(named), total: Math.max(said ?? 0, named.length) };
}

/** What is longer is not a test's name. */
const LONGEST_LINE = 2000;

/** The results of several commands as one. */
export function joinResults(all: readonly (TestResults | undefined)[]): TestResults | undefined {
  const known = all.filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  return {
    tests: namedOnce(known.flatMap(({ tests }) => [...tests])),
    total: known.reduce((sum, { total }) => sum + total, 0),
  };
}

/** The tests that ended in a way, by name. */
export function testsThat(outcome: TestOutcome, { tests }: Pick<TestResults, "tests">): readonly string[] {
  return [...tests].flatMap(([name, how]) => how === outcome ? [name] : []);
}

export function namedOnce(named: readonly Named[]): ReadonlyMap<string, TestOutcome> {
  const tests = new Map<string, TestOutcome>();
  const seen = new Map<string, number>();
  for (const [long, outcome] of named) {
    const name = long.slice(0, LONGEST_NAME);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    tests.set(count === 1 ? name : `${name} (${count})`, outcome);
  }
  return tests;
}

const LONGEST_NAME = 200;

/** https://testanything.org, with the subtests of node:test: what has some is none itself. */
function namedInTap(lines: readonly string[]): readonly Named[] {
  const named: Named[] = [];
  const open: { readonly indent: number; readonly name: string; hasTests: boolean }[] = [];
  for (const line of lines) {
    const heading = /^( *)# Subtest: (.+)$/.exec(line);
    const result = /^( *)(not )?ok \d+ *(?:- )?(.*)$/i.exec(line);
    const found = heading ?? result;
    if (found === null) continue;
    const indent = found[1]?.length ?? 0;
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) > indent) open.pop();
    if (heading !== null) {
      if (open.at(-1)?.indent === indent) open.pop();
      open.push({ indent, name: heading[2] ?? "", hasTests: false });
      continue;
    }
    const own = open.at(-1)?.indent === indent ? open.pop() : undefined;
    for (const one of open) one.hasTests = true;
    if (own?.hasTests === true) continue;
    const text = result?.[3] ?? "";
    const marked = /# *(?:skip|todo)\b/i.exec(text);
    const name = text.slice(0, marked?.index).replace(/ # .*$/, "").trim();
    const outcome = marked !== null ? "skipped" : result?.[2] === undefined ? "passed" : "failed";
    if (name !== "" && !FILE.test(name)) named.push([[...open.map((one) => one.name), name].join(" > "), outcome]);
  }
  return named;
}

/** What node:test names in place of the tests of a file that cannot be loaded. */
const FILE = /^\/|^\S+\.[cm]?[jt]sx?$/;

const SIGNS: Readonly<Record<string, TestOutcome>> = {
  ...{ "✔": "passed", "✓": "passed", "√": "passed", "✖": "failed", "✕": "failed", "×": "failed", "✗": "failed" },
  ...{ "﹣": "skipped", "⚠": "skipped", "○": "skipped", "✎": "skipped", "↓": "skipped", "□": "skipped" },
};

const TIME = / \(?\d+(?:\.\d+)?\s?m?s\)?$/;

/** The lists of node:test, Mocha, Jest and Vitest, up to where they tell of what failed. */
function namedInTree(lines: readonly string[]): readonly Named[] {
  const end = lines.findIndex((line) => /^ℹ tests \d|^ +\d+ passing\b|^Test Suites: |^⎯+ Failed/.test(line));
  const isMocha = lines.some((line) => /^ +\d+ passing\b/.test(line));
  const named: Named[] = [];
  const open: { readonly indent: number; readonly name: string }[] = [];
  for (const line of lines.slice(0, end === -1 ? undefined : end)) {
    const [, before = "", sign = "", rest = ""] = /^( *)(▶|[✔✓√✖✕×✗﹣⚠○✎↓□]|\d+\)|-) (.+)$/.exec(line) ?? [];
    const indent = before.length;
    const isMochaOnly = sign === "-" || sign.endsWith(")");
    if (sign === "" || isMochaOnly && (!isMocha || indent < 2)) continue;
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) > indent) open.pop();
    const name = rest.replace(/ # (?:SKIP|TODO).*$/, "").replace(TIME, "").replace(/^(?:skipped|todo) (?=.)/, "")
      .trim();
    if (open.at(-1)?.indent === indent) {
      // Its result stands below what it has.
      if (open.pop()?.name === name) continue;
    }
    if (sign === "▶") open.push({ indent, name });
    // Vitest names a file in place of its tests, and each test of a file that fails.
    else if (!/ \(\d+ tests?\b.*\)$/.test(name) && !FILE.test(name)) {
      const marked = / # (?:SKIP|TODO)\b/.test(rest) ? "skipped" : SIGNS[sign];
      const outcome = marked ?? (sign === "-" ? "skipped" : "failed");
      named.push([[...open.map((one) => one.name), name].join(" > "), outcome]);
    }
  }
  return named;
}

/** `deno test`, `cargo test` and unittest end a test's line with three dots and how it ended. */
function namedWithDots(lines: readonly string[]): readonly Named[] {
  const named: Named[] = [];
  let place = "";
  for (const line of lines) {
    const [, where] = /^(?:running \d+ tests? from|\s+(?:Running|Doc-tests)) (?:unittests )?(\S+)/.exec(line) ?? [];
    if (where !== undefined) place = `${where} > `;
    const [, name = "", how = ""] =
      /^(?:test )?(?=\S)(.+?) \.\.\. (ok|FAILED|failed|FAIL|ERROR|ignored|skipped|expected failure)\b/.exec(line) ?? [];
    if (name === "") continue;
    named.push([`${place}${name}`, DOTTED[how] ?? "failed"]);
  }
  return named;
}

const DOTTED: Readonly<Record<string, TestOutcome>> = {
  ...{ ok: "passed", "expected failure": "passed", ignored: "skipped", skipped: "skipped" },
};

const PYTEST: Readonly<Record<string, TestOutcome>> = {
  ...{ PASSED: "passed", XFAIL: "passed", XPASS: "passed", FAILED: "failed", ERROR: "failed", SKIPPED: "skipped" },
};

function namedByPytest(lines: readonly string[]): readonly Named[] {
  const start = lines.findLastIndex((line) => /^=+ short test summary info =+$/.test(line));
  return start === -1 ? [] : lines.slice(start).flatMap((line): readonly Named[] => {
    const [, how = "", count = "1", name = ""] =
      /^(PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (?:\[(\d+)\] )?(.+?)(?: - .*)?$/.exec(line) ?? [];
    const outcome = PYTEST[how];
    return outcome === undefined
      ? []
      : Array.from({ length: Math.min(Number(count), MOST_ALIKE) }, () => [name, outcome]);
  });
}

const MOST_ALIKE = 10_000;

function namedByGo(lines: readonly string[]): readonly Named[] {
  const named: Named[] = [];
  let ofPackage: Named[] = [];
  for (const line of lines) {
    const [, how, name = ""] = /^ *--- (PASS|FAIL|SKIP): (\S+)/.exec(line) ?? [];
    if (how !== undefined) ofPackage.push([name, how === "PASS" ? "passed" : how === "SKIP" ? "skipped" : "failed"]);
    const [, where] = /^(?:ok|FAIL|\?)\s+(\S+)/.exec(line) ?? [];
    if (where === undefined) continue;
    named.push(...ofPackage.map(([test, outcome]): Named => [`${where} > ${test}`, outcome]));
    ofPackage = [];
  }
  return [...named, ...ofPackage];
}

/** How many tests the summaries count, each in the words of its runner. */
function totalIn(lines: readonly string[]): number | undefined {
  const counted = SUMMARIES.map(({ counts, line: kind }) => {
    const found = lines.filter((line) => kind.test(line));
    if (found.length === 0) return undefined;
    return found.flatMap((line) => [...line.matchAll(counts)]).reduce((sum, [, count]) => sum + Number(count), 0);
  });
  return counted.find((count) => count !== undefined);
}

const SUMMARIES: readonly { readonly line: RegExp; readonly counts: RegExp }[] = [
  { line: /^[#ℹ] tests \d+$/, counts: /\b(\d+)$/g },
  { line: /^Tests: .* total$/, counts: /\b(\d+) total/g },
  { line: /^ +Tests +.*\(\d+\)$|^No test files found/, counts: /\((\d+)\)$/g },
  { line: /^ +\d+ (?:passing|failing|pending)\b/, counts: /\b(\d+) (?:passing|failing|pending)/g },
  { line: /^Ran \d+ tests? in /, counts: /^Ran (\d+)/g },
  {
    line:
      /^(?:=+ )?(?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?)|no tests ran)\b.* in [\d.]+s/,
    counts: /\b(\d+) (?:passed|failed|skipped|errors?|xfailed|xpassed)/g,
  },
  { line: /^test result: /, counts: /\b(\d+) (?:passed|failed|ignored)/g },
  { line: /^(?:ok|FAILED) \| \d+ passed/, counts: /(?<=\| )(\d+) (?:passed|failed|ignored)/g },
  { line: /^1\.\.\d+$/, counts: /\b(\d+)$/g },
];
