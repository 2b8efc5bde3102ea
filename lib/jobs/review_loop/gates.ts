import { present } from "../../base/schema.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { couldNotRun, formatTestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewVerdict, TestVerdict } from "../verdicts.ts";
import { approvalObjection } from "./evidence.ts";
import type { Role } from "../../base/roles.ts";
import type { Feedback, LoopContext, LoopState, Transition } from "./state.ts";
import { firstWork, givenBy, mendsOf, roleAfter } from "./loops.ts";
import { authorOf, type LoopShape, rolesIn, testerIn } from "./shapes.ts";

interface Review {
  readonly context: LoopContext;
  readonly role: Role;
  readonly cycle: number;
  /** Missing where none was stated, even when asked. */
  readonly verdict: ReviewVerdict | undefined;
}

/** What follows the work of a role: whoever reviews it in the same cycle, the next one, or the test command. */
export function handOn(
  next: Role | undefined,
  { cycle, loop }: { readonly cycle: number; readonly loop: LoopShape },
): LoopState["stage"] {
  if (next === undefined && loop.until !== undefined) {
    return { kind: "finished", outcome: "pass", reason: `what the ${loop.until} begins with is there` };
  }
  if (next === undefined) return TEST_COMMAND;
  return givenBy(next, loop) === "review" ? { kind: "work", role: next, cycle } : firstWork(next, loop);
}

/** After a review: on to the next phase, or back to the author. */
export function afterReview(state: LoopState, review: Review): Transition {
  const { role, cycle, context: { settings } } = review;
  const { maxReviewCycles, atReviewLimit } = settings;
  const { round } = state;
  const author = authorOf(role, settings) ?? role;
  const note = objectionTo(state, review);
  const verdict = note === undefined && review.verdict === "APPROVED" ? "APPROVED" : "REVISE";
  const decided: ReviewFact = { type: "review_decided", role, round, cycle, verdict, ...present({ note }) };
  const forward = handOn(roleAfter(role, "pass", settings), { cycle, loop: settings });
  // What another reviewer of the same work could not be satisfied in stays open.
  const { [author]: open, ...otherFeedback } = state.feedback;
  const stands = open?.openIn === round ? open : undefined;
  if (verdict === "APPROVED") {
    const feedback = stands === undefined ? otherFeedback : { ...otherFeedback, [author]: stands };
    return { state: { ...state, feedback, stage: forward }, events: [decided] };
  }
  const given = { text: state.outputs[role] ?? "", note, files: state.sources[role]?.files ?? [], by: role };
  if (cycle < maxReviewCycles) {
    const stage = { kind: "work", role: author, cycle: cycle + 1 } as const;
    return { state: { ...state, feedback: { ...otherFeedback, [author]: given }, stage }, events: [decided] };
  }
  const left = { ...joined(stands, given), openIn: round };
  const revised = { ...state, feedback: { ...otherFeedback, [author]: left } };
  const limit: ReviewFact = { type: "review_limit_reached", role, round, then: atReviewLimit };
  if (atReviewLimit === "proceed") return { state: { ...revised, stage: forward }, events: [decided, limit] };
  const reason = `${role} did not approve in ${maxReviewCycles} review ${maxReviewCycles === 1 ? "cycle" : "cycles"}`;
  return {
    state: { ...revised, stage: { kind: "finished", outcome: "fail", reason } },
    events: [decided, limit, { type: "round_finished", round, verdict: "FAIL", note: reason }],
  };
}

function joined(before: Feedback | undefined, given: Feedback): Feedback {
  if (before === undefined) return given;
  return { ...given, text: `${before.text}\n\n${given.text}`, files: [...before.files, ...given.files] };
}

function objectionTo(
  { outputs, sources }: LoopState,
  { verdict, role, cycle, context: { settings } }: Review,
): string | undefined {
  if (verdict === undefined) return "no unambiguous verdict, even when asked: taken as REVISE";
  if (verdict === "REVISE") return undefined;
  return approvalObjection(outputs[role] ?? "", { cycle, settings, ...present({ names: sources[role]?.names }) });
}

/** What decides a round whose roles have all agreed. */
export const TEST_COMMAND = { kind: "test_command", testerVerdict: "PASS", note: undefined } as const;

interface Test {
  readonly context: LoopContext;
  readonly testerVerdict: TestVerdict;
  readonly note: string | undefined;
  /** What the project's test command came to; missing where there is none. */
  readonly command: TestCommandResult | undefined;
}

/** After the test of a round: the run's end, or another round. */
export function afterTest(before: LoopState, test: Test): Transition {
  const { context: { settings }, testerVerdict, command } = test;
  const { maxRounds, projectTestCmd } = settings;
  const { round } = before;
  const state: LoopState = command !== undefined && projectTestCmd !== undefined && !couldNotRun(command)
    ? { ...before, testCommandRan: formatTestCommand(projectTestCmd) }
    : before;
  if (testerVerdict === "PASS" && command?.passed !== false) {
    return {
      state: { ...state, stage: { kind: "finished", outcome: "pass", reason: `the test of round ${round} passed` } },
      events: [{ type: "round_finished", round, verdict: "PASS" }],
    };
  }
  const note = test.note ?? commandNote(test);
  const { outputs, sources } = state;
  const tester = testerIn(settings) ?? "";
  const told = { report: outputs[tester] ?? "", files: sources[tester]?.files ?? [] };
  const failed = { ...state, testEvidence: { round, ...told, command, note } };
  const finished: ReviewFact = { type: "round_finished", round, verdict: "FAIL", ...present({ note }) };
  if (round >= maxRounds) {
    const reason = `the test did not pass in ${maxRounds} ${maxRounds === 1 ? "round" : "rounds"}`;
    return { state: { ...failed, stage: { kind: "finished", outcome: "fail", reason } }, events: [finished] };
  }
  return { state: retry(failed, settings), events: [finished, { type: "round_started", round: round + 1, maxRounds }] };
}

function commandNote({ testerVerdict, command, context: { settings } }: Test): string | undefined {
  if (testerVerdict !== "PASS" || command === undefined) return undefined;
  const tester = testerIn(settings);
  const [and, but] = ["and", "but"].map((word) => tester === undefined ? "" : `the ${tester} said PASS, ${word} `);
  return command.problem !== undefined
    ? `${and}the test command passed, but that does not hold: ${command.problem}`
    : command.timedOut
    ? `${but}the test command did not end within its time limit`
    : couldNotRun(command)
    ? `${but}the test command, which could be run before, cannot any more (exit code ${command.exitCode})`
    : `${but}the test command ended with exit code ${command.exitCode}`;
}

function retry(state: LoopState, loop: LoopShape): LoopState {
  const mends = mendsOf(loop);
  const roles = rolesIn(loop);
  // What is done anew is forgotten.
  const again = new Set(roles.slice(roles.indexOf(mends)));
  const { [mends]: report } = state.outputs;
  return {
    ...state,
    round: state.round + 1,
    stage: firstWork(mends, loop),
    outputs: Object.fromEntries(Object.entries(state.outputs).filter(([role]) => !again.has(role))),
    earlierChanges: report === undefined ? state.earlierChanges : [...state.earlierChanges, {
      round: state.round,
      report,
      files: state.sources[mends]?.files ?? [],
    }],
  };
}
