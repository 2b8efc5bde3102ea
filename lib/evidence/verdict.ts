import type { SettingsOf } from "../base/settings.ts";
import { type ChangedTestFile, remarksOn } from "./remarks.ts";
import type { EVIDENCE_SETTINGS } from "./settings.ts";
import { testPartOf } from "./test_files.ts";

/** What the checks were tried on, besides the files that agents have worked in. */
export type TrialKind = "clean" | "original" | "red";

/** How all checks of a trial have ended. */
export interface Trial {
  readonly kind: TrialKind;
  readonly passed: boolean;
  /** The check that failed, and how; empty where all passed. */
  readonly detail: string;
  /** Whether it could not be made: it says nothing then. @default {false} */
  readonly notMade?: boolean;
}

interface Judged {
  /** `undefined` where it cannot be told. */
  readonly files: readonly ChangedTestFile[] | undefined;
  readonly trials: readonly Trial[];
  readonly settings: SettingsOf<typeof EVIDENCE_SETTINGS>;
}

/** The changed files that were there before: with them as they were, what passes now must pass as well. */
export function guardedIn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.filter(({ before, path }) => before !== undefined && testPartOf(path) !== "ci").map(({ path }) => path);
}

/** The tests that are new, or were changed: on the code as it was they must fail. */
export function newTestsIn(files: readonly ChangedTestFile[]): readonly string[] {
  return files.filter(({ after, path }) => after !== undefined && testPartOf(path) === "test").map(({ path }) => path);
}

/**
 * Judges what is known of the tests by which work has passed.
 *
 * @returns `problem`: why it is no PASS; missing where it is one
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const settings = { cleanRoom: true, testsMay: "change", requireRed: false, strict: false } as const;
 * const trials = [{ kind: "clean", passed: false, detail: "npm test: exit code 1" }] as const;
 * const { problem } = verdictOf({ files: [], trials, settings });
 * assertEquals(problem, "it passes only where the agent worked; on a fresh checkout of its result: npm test: exit code 1");
 * ```
 */
export function verdictOf(
  { files: known, settings, trials }: Judged,
): { readonly remarks: readonly string[]; readonly problem?: string } {
  const files = known ?? [];
  const { requireRed, strict, testsMay } = settings;
  const trial = (kind: TrialKind) => trials.find((one) => one.kind === kind);
  const [clean, original, red] = [trial("clean"), trial("original"), trial("red")];
  const news = newTestsIn(files);
  const isUnproven = red?.passed === true;
  const unproven = `what is new in ${named(news)} passes on the code as it was, too: it proves nothing of the change`;
  const remarks = [
    ...(known === undefined ? [UNTOLD] : remarksOn(files)),
    ...(original?.passed === false ? [`with the tests as they were, it fails: ${original.detail}`] : []),
    ...(isUnproven ? [unproven] : []),
    ...(red?.notMade === true
      ? [`whether new tests fail on the code as it was could not be tried: ${red.detail}`]
      : []),
  ];
  const changed = testsMay === "change"
    ? []
    : files.filter(({ before, path }) =>
      testPartOf(path) === "test" && (testsMay === "nothing" || before !== undefined)
    ).map(({ path }) => path);
  const problem: string | undefined = clean?.passed === false
    ? `it passes only where the agent worked; on a fresh checkout of its result: ${clean.detail}`
    : known === undefined && testsMay !== "change"
    ? UNTOLD
    : changed.length > 0
    ? `tests were changed, and evidence.tests_may is "${testsMay}": ${named(changed)}`
    : requireRed && (isUnproven || red?.notMade === true)
    ? remarks.at(-1)
    : strict && remarks.length > 0
    ? `there are remarks, and evidence.strict is set: ${remarks[0]}`
    : undefined;
  return problem === undefined ? { remarks } : { remarks, problem };
}

const UNTOLD = "what was done to the tests cannot be told: they cannot be compared with what was there before";

const MOST_NAMED = 3;

function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
