import { plural } from "../journal/words/words.ts";
import { idleTests, named, NO_TEST, remarksOnResults } from "./compare_results.ts";
import { type ChangedTestFile, remarksOn } from "./remarks.ts";
import type { EvidencePlan } from "./settings.ts";
import type { TestResults } from "./test_results.ts";

/** What the checks were tried on, besides the files that agents have worked in. */
export type TrialKind =
  | "clean"
  | "base"
  | "original"
  | "red"
  | "canary"
  | "canary_before"
  | "hidden"
  | "again"
  | "again_before"
  | "mutation";

/** How all checks of a trial have ended. */
export interface Trial {
  readonly kind: TrialKind;
  /** Of several of a kind, what makes this one: the file with the canary, the environment. */
  readonly of?: string;
  readonly passed: boolean;
  /** The check that failed, and how; empty where all passed. */
  readonly detail: string;
  /** The tests that failed, where they are told by name. */
  readonly failed?: readonly string[];
  /** Whether it could not be made: it says nothing then. @default {false} */
  readonly notMade?: boolean;
}

/** A place that was changed, and whether the checks fail without it. */
export interface TriedHunk {
  readonly path: string;
  readonly lines: string;
  readonly noticed: boolean;
  /** The tests that fail without it, where they are told by name. */
  readonly by?: readonly string[];
}

interface Judged {
  /** `undefined` where it cannot be told. */
  readonly files: readonly ChangedTestFile[] | undefined;
  readonly trials: readonly Trial[];
  /** @default {[]} */
  readonly hunks?: readonly TriedHunk[];
  /** Lines of the change that know what is in tests. @default {[]} */
  readonly inputs?: readonly string[];
  /** What the tests of the result have come to, and those of the code as it was; missing where it is not known. */
  readonly results?: {
    readonly now?: TestResults | undefined;
    readonly before?: TestResults | undefined;
    readonly red?: TestResults | undefined;
  };
  readonly settings: EvidencePlan;
  /** Whether agents have worked in the checkout itself: what git ignores there may be a person's own. @default {false} */
  readonly isCheckout?: boolean;
}

/** The changed files that were there before: with them as they were, what passes now must pass as well. */
export function guardedIn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.filter(({ before, part }) => before !== undefined && part !== "ci").map(({ path }) => path);
}

/** The tests that are new, or were changed: on the code as it was they must fail. */
export function newTestsIn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.filter(({ after, part }) => after !== undefined && part === "test").map(({ path }) => path);
}

/**
 * Judges what is known of the tests by which work has passed.
 *
 * @returns `problem`: why it is no PASS; missing where it is one
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { defaultsOf } from "../base/settings.ts";
 * import { EVIDENCE_SETTINGS } from "./settings.ts";
 *
 * const settings = defaultsOf(EVIDENCE_SETTINGS);
 * const trials = [{ kind: "clean", passed: false, detail: "npm test: exit code 1" }] as const;
 * const { problem } = verdictOf({ files: [], trials, settings });
 * assertEquals(problem, "it passes only where the agent worked; on a fresh checkout of its result: npm test: exit code 1");
 * ```
 */
export function verdictOf(
  { files: known, hunks = [], inputs = [], isCheckout = false, results = {}, settings, trials }: Judged,
): { readonly remarks: readonly string[]; readonly problem?: string } {
  const files = known ?? [];
  const { before, now, red: onOldCode } = results;
  const { maxUnnoticed = Infinity, requireRed, requireTests, strict, testsMay } = settings;
  const trial = (kind: TrialKind) => trials.find((one) => one.kind === kind);
  const [clean, original, red, hidden] = [trial("clean"), trial("original"), trial("red"), trial("hidden")];
  const idle = now === undefined ? [] : idleTests(now, { before, onOldCode });
  const ofRed = remarksOnRed(red, { files, idle });
  const deaf = trials.filter(({ kind, passed }) => kind === "canary" && passed);
  const wasHeard = ({ of: path }: Trial) =>
    trials.some(({ kind, notMade, of, passed }) =>
      kind === "canary_before" && of === path && !passed && notMade !== true
    );
  const muffled = trials.filter((one) => one.kind === "canary" && one.notMade === true && wasHeard(one));
  const deafNow = deaf.filter(wasHeard).map(({ of = "" }) => of);
  const unnoticed = hunks.filter(({ noticed }) => !noticed).map(({ lines, path }) => `${path}:${lines}`);
  const remarks = [
    ...(known === undefined ? [UNTOLD] : remarksOn(files)),
    ...(isCheckout && clean?.passed === false
      ? [`on a fresh checkout, without what git ignores, it does not pass: ${clean.detail}`]
      : []),
    ...inputs,
    ...(now === undefined ? [] : remarksOnResults(now, before)),
    ...(original?.passed === false ? [`with the tests as they were, it fails: ${original.detail}`] : []),
    ...ofRed,
    ...deaf.filter((one) => !wasHeard(one)).map(({ of }) => {
      const before = trials.some((one) => one.kind === "canary_before" && one.of === of && one.passed)
        ? "; nor did it before"
        : "";
      return `a test that must fail, put into ${of}, does not make the checks fail${before}`;
    }),
    ...muffled.map(({ detail, of }) =>
      `a test that must fail, put into ${of}, is not told by its name any more, as it was before: ${detail}`
    ),
    ...unsteady(trials),
    ...trials.filter(({ kind, passed }) => kind === "mutation" && !passed).map(({ detail }) =>
      `what changes the code on purpose says more: ${detail}`
    ),
    ...(unnoticed.length === 0 ? [] : [
      `no check misses ${plural(unnoticed.length, "place")} that ${unnoticed.length === 1 ? "was" : "were"} changed: ${
        named(unnoticed)
      }`,
    ]),
  ];
  const changed = testsMay === "change"
    ? []
    : files.filter(({ before, part }) => part === "test" && (testsMay === "nothing" || before !== undefined)).map((
      { path },
    ) => path);
  const problems = [
    !isCheckout && clean?.passed === false &&
    `it passes only where the agent worked; on a fresh checkout of its result: ${clean.detail}`,
    hidden?.passed === false && `the hidden tests do not pass: ${hidden.detail}`,
    deafNow.length > 0 &&
    `a test that must fail, put into ${named(deafNow)}, made the checks fail before, and does not any more`,
    known === undefined && testsMay !== "change" && UNTOLD,
    changed.length > 0 && `tests were changed, and evidence.tests_may is "${testsMay}": ${named(changed)}`,
    requireRed && ofRed[0],
    requireTests && clean?.passed === true &&
    (now === undefined
      ? "whether the checks run a test cannot be told, and evidence.require_tests is set"
      : now.total === 0 && NO_TEST),
    unnoticed.length > maxUnnoticed && remarks.at(-1),
    strict && remarks.length > 0 && `there are remarks, and evidence.strict is set: ${remarks[0]}`,
  ];
  const problem = problems.find((one) => typeof one === "string");
  return problem === undefined ? { remarks } : { remarks, problem };
}

/** What new tests do not prove. */
function remarksOnRed(
  red: Trial | undefined,
  { files, idle }: { readonly files: readonly ChangedTestFile[]; readonly idle: readonly string[] },
): readonly string[] {
  if (red?.passed === true) {
    const news = named(newTestsIn(files));
    return [`what is new in ${news} passes on the code as it was, too: it proves nothing of the change`];
  }
  if (idle.length > 0) {
    const pass = idle.length === 1 ? "passes" : "pass";
    return [`${plural(idle.length, "new test")} ${pass} on the code as it was, too: ${named(idle)}`];
  }
  return red?.notMade === true
    ? [`whether new tests fail on the code as it was could not be tried: ${red.detail}`]
    : [];
}

const UNTOLD = "what was done to the tests cannot be told: they cannot be compared with what was there before";

/** Where the checks fail in another place, and whether they did so before the change. */
function unsteady(trials: readonly Trial[]): readonly string[] {
  // What fails in any case says nothing of the place.
  const isBroken = trials.some(({ kind, passed }) => kind === "base" && !passed);
  return trials.filter(({ kind, passed }) => kind === "again" && !passed).map(({ detail, of }) => {
    const before = trials.find((one) => one.kind === "again_before" && one.of === of && one.notMade !== true);
    const told = before?.passed === true ? "; on the code as it was it does not" : "; so it did before";
    const isTold = before !== undefined && (before.passed || !isBroken);
    return `it is not the same each time: with ${of}, it fails: ${detail}${isTold ? told : ""}`;
  });
}
