import { present } from "../../base/schema.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { couldNotRun, formatTestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewVerdict, TestVerdict } from "../verdicts.ts";
import { approvalObjection } from "./evidence.ts";
import type { LoopContext, LoopState, ReviewerRole, Transition } from "./state.ts";
import { firstWork, roleAfter } from "./loops.ts";
import { hasTester, MENDS } from "./shapes.ts";

interface Review {
  readonly context: LoopContext;
  readonly role: ReviewerRole;
  readonly cycle: number;
  /** Missing where none was stated, even when asked. */
  readonly verdict: ReviewVerdict | undefined;
}

/** After a review: on to the next phase, or back to the author. */
export function afterReview(state: LoopState, review: Review): Transition {
  const { role, cycle, context: { settings: { maxReviewCycles, atReviewLimit, shape } } } = review;
  const { round } = state;
  const text = state.outputs[role] ?? "";
  const author = role === "analyst_review" ? "analyst" : "programmer";
  const { [author]: _decided, ...otherFeedback } = state.feedback;
  const note = objectionTo(state, review);
  const verdict = note === undefined && review.verdict === "APPROVED" ? "APPROVED" : "REVISE";
  const decided: ReviewFact = { type: "review_decided", role, round, cycle, verdict, ...present({ note }) };
  const next = roleAfter(role, "pass", shape);
  const forward = next === undefined ? TEST_COMMAND : firstWork(next, shape);
  if (verdict === "APPROVED") {
    return { state: { ...state, feedback: otherFeedback, stage: forward }, events: [decided] };
  }
  const files = state.sources[role]?.files ?? [];
  const revised = { ...state, feedback: { ...otherFeedback, [author]: { text, note, files } } };
  if (cycle < maxReviewCycles) {
    const stage = { kind: "work", role: author, cycle: cycle + 1 } as const;
    return { state: { ...revised, stage }, events: [decided] };
  }
  const limit: ReviewFact = { type: "review_limit_reached", role, round, then: atReviewLimit };
  if (atReviewLimit === "proceed") return { state: { ...revised, stage: forward }, events: [decided, limit] };
  const reason = `${role} did not approve in ${maxReviewCycles} review ${maxReviewCycles === 1 ? "cycle" : "cycles"}`;
  return {
    state: { ...revised, stage: { kind: "finished", outcome: "fail", reason } },
    events: [decided, limit, { type: "round_finished", round, verdict: "FAIL", note: reason }],
  };
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
  const { context: { settings: { maxRounds, projectTestCmd, shape } }, testerVerdict, command } = test;
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
  const told = hasTester(shape)
    ? { report: outputs.tester ?? "", files: sources.tester?.files ?? [] }
    : { report: "", files: [] };
  const failed = { ...state, testEvidence: { round, ...told, command, note } };
  const finished: ReviewFact = { type: "round_finished", round, verdict: "FAIL", ...present({ note }) };
  if (round >= maxRounds) {
    const reason = `the test did not pass in ${maxRounds} ${maxRounds === 1 ? "round" : "rounds"}`;
    return { state: { ...failed, stage: { kind: "finished", outcome: "fail", reason } }, events: [finished] };
  }
  return { state: retry(failed, shape), events: [finished, { type: "round_started", round: round + 1, maxRounds }] };
}

function commandNote({ testerVerdict, command, context: { settings: { shape } } }: Test): string | undefined {
  if (testerVerdict !== "PASS" || command === undefined) return undefined;
  const [and, but] = hasTester(shape) ? ["the tester said PASS, and ", "the tester said PASS, but "] : ["", ""];
  return command.problem !== undefined
    ? `${and}the test command passed, but that does not hold: ${command.problem}`
    : command.timedOut
    ? `${but}the test command did not end within its time limit`
    : couldNotRun(command)
    ? `${but}the test command, which could be run before, cannot any more (exit code ${command.exitCode})`
    : `${but}the test command ended with exit code ${command.exitCode}`;
}

function retry(state: LoopState, shape: LoopContext["settings"]["shape"]): LoopState {
  const { programmer, programmer_review: _review, tester, ...others } = state.outputs;
  const kept = { ...others, ...present({ tester: hasTester(shape) ? undefined : tester }) };
  return {
    ...state,
    round: state.round + 1,
    stage: firstWork(MENDS, shape),
    outputs: kept,
    earlierChanges: programmer === undefined ? state.earlierChanges : [...state.earlierChanges, {
      round: state.round,
      report: programmer,
      files: state.sources.programmer?.files ?? [],
    }],
  };
}
