import type { Job } from "../../../lib/journal/loop/fields.ts";
import type { Role } from "../../../lib/base/roles.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { type ReviewLoopOptions, type ReviewLoopResult, runReviewLoop } from "../../../lib/jobs/review_loop/loop.ts";
import { type ReviewLoopSettings, reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import type { Turn } from "../../../lib/jobs/review_loop/state.ts";

export const JOB: Job = {
  introduction: "",
  exploreSummary: "Add a --shout flag to the greeter in src/greet.ts.",
  scenarioTest: "Run `greet --shout Ada` and see HELLO ADA.",
};

/** A review that holds everything that an approval needs. */
export const GOOD_REVIEW = `ARTEFACTS: the implementation in src/greet.ts is correct, its tests pass.
TRACEABILITY: scenario step 1 is covered by tests/greet_test.ts.
INTERFACES: opened src/greet.ts and tests/greet_test.ts; the function \`greet(name, options)\` keeps its signature.
ACTION_ITEMS:
- Keep \`greet\` as it is in src/greet.ts.
REVIEW_NOTES: I read both files and ran the tests.
REVIEW_RESULT: APPROVED`;

export const REVISE = "REVIEW_NOTES: The empty name is not handled.\nREVIEW_RESULT: REVISE";
export const PASS = "Ran the scenario: HELLO ADA.\nRESULT: PASS";
export const FAIL = "Ran the scenario: got hello ada.\nRESULT: FAIL";

/** One prompt that was sent, and to whom. */
export interface Sent {
  readonly role: Role;
  readonly prompt: string;
  readonly turn: Turn;
}

/** A loop that was run against scripted agents, and all that was seen of it. */
export interface ScriptedRun {
  readonly result: ReviewLoopResult;
  readonly sent: readonly Sent[];
  readonly events: readonly ReviewFact[];
  /** The turn ids in the order of the prompts. */
  readonly turnIds: readonly string[];
}

/** What each role answers, in order; the last answer is given again when they run out. */
export type Script = Readonly<Partial<Record<Role, readonly string[]>>>;

const DEFAULT_SCRIPT: Record<Role, readonly string[]> = {
  analyst: ["Analysis: change src/greet.ts."],
  analyst_review: [GOOD_REVIEW],
  programmer: ["Files changed: src/greet.ts."],
  programmer_review: [GOOD_REVIEW],
  tester: [PASS],
};

/** Gives each role's answers one after the other. */
export function scriptedAsk(script: Script, sent: Sent[] = []): ReviewLoopOptions["askAgent"] {
  const asked = new Map<Role, number>();
  return (role, prompt, turn) => {
    const answers = script[role] ?? DEFAULT_SCRIPT[role];
    const count = asked.get(role) ?? 0;
    asked.set(role, count + 1);
    sent.push({ role, prompt, turn });
    return Promise.resolve(answers[Math.min(count, answers.length - 1)] ?? "");
  };
}

/** Runs a whole loop. */
export async function runScripted(
  script: Script,
  options: Partial<Omit<ReviewLoopOptions, "settings">> & { readonly settings?: Partial<ReviewLoopSettings> } = {},
): Promise<ScriptedRun> {
  const sent: Sent[] = [];
  const events: ReviewFact[] = [];
  const result = await runReviewLoop({
    workdir: "/job",
    job: JOB,
    askAgent: scriptedAsk(script, sent),
    onEvent: (event) => void events.push(event),
    ...options,
    settings: reviewLoopSettings({ minReviewCyclesBeforeApproval: 1, ...options.settings }),
  });
  return { result, sent, events, turnIds: sent.map(({ turn }) => turn.id) };
}
