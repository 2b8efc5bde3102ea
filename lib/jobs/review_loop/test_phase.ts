import { couldNotRun, formatTestCommand, type TestCommandResult } from "../test_command.ts";
import { missingVerdictWarning } from "./review_phase.ts";
import { firstWork, roleAfter } from "./steps.ts";
import type { LoopContext, LoopState, Transition } from "./state.ts";
import { parseTestVerdict, type TestVerdict } from "../verdicts.ts";
import { present } from "../../base/schema.ts";

/**
 * After the tester: the project's test command where there is one, the round's end, or the question for the verdict.
 */
export function afterTester(
  state: LoopState,
  test: { readonly context: LoopContext; readonly asked: boolean; readonly response: string },
): Transition {
  const { context, asked, response } = test;
  const report = asked ? `${state.outputs.tester ?? ""}\n\n${response}` : response;
  const tested: LoopState = { ...state, outputs: { ...state.outputs, tester: report } };
  const stated = parseTestVerdict(response);
  if (stated === undefined && !asked) {
    return {
      state: { ...tested, stage: { kind: "verdict", role: "tester", cycle: 0 } },
      events: [missingVerdictWarning("tester")],
    };
  }
  const testerVerdict = stated ?? "FAIL";
  const note = stated === undefined
    ? "no unambiguous verdict of the tester, even when asked: taken as FAIL"
    : undefined;
  // The command also runs after a FAIL: its output is evidence that does not depend on what the tester wrote down.
  return context.settings.projectTestCmd === undefined
    ? endRound(tested, { context, testerVerdict, note, command: undefined })
    : { state: { ...tested, stage: { kind: "test_command", testerVerdict, note } }, events: [] };
}

export function afterTestCommand(
  state: LoopState,
  test: {
    readonly context: LoopContext;
    readonly testerVerdict: TestVerdict;
    readonly note: string | undefined;
    readonly command: TestCommandResult;
  },
): Transition {
  const { passed, exitCode, seconds, timedOut, output, truncated } = test.command;
  const { projectTestCmd } = test.context.settings;
  const ran = projectTestCmd !== undefined && !couldNotRun(test.command)
    ? { testCommandRan: formatTestCommand(projectTestCmd) }
    : {};
  const ended = endRound({ ...state, ...ran }, test);
  return {
    state: ended.state,
    events: [
      { type: "test_command_finished", round: state.round, passed, exitCode, seconds, timedOut, output, truncated },
      ...ended.events,
    ],
  };
}

interface RoundEnd {
  readonly context: LoopContext;
  readonly testerVerdict: TestVerdict;
  readonly note: string | undefined;
  readonly command: TestCommandResult | undefined;
}

function endRound(state: LoopState, end: RoundEnd): Transition {
  const { round } = state;
  const { maxRounds } = end.context.settings;
  if (end.testerVerdict === "PASS" && end.command?.passed !== false) {
    return {
      state: { ...state, stage: { kind: "finished", outcome: "pass", reason: `the test of round ${round} passed` } },
      events: [{ type: "round_finished", round, verdict: "PASS" }],
    };
  }
  const note = end.note ?? commandNote(end);
  const failed: LoopState = {
    ...state,
    testEvidence: {
      round,
      report: state.outputs.tester ?? "",
      files: state.sources.tester?.files ?? [],
      command: end.command,
      note,
    },
  };
  const finished = { type: "round_finished", round, verdict: "FAIL", ...present({ note }) } as const;
  if (round >= maxRounds) {
    const reason = maxRounds === 1
      ? "the test did not pass in 1 round"
      : `the test did not pass in ${maxRounds} rounds`;
    return { state: { ...failed, stage: { kind: "finished", outcome: "fail", reason } }, events: [finished] };
  }
  return {
    state: retry(failed),
    events: [finished, { type: "round_started", round: round + 1, maxRounds }],
  };
}

function commandNote({ testerVerdict, command }: RoundEnd): string | undefined {
  if (testerVerdict !== "PASS" || command === undefined) return undefined;
  return command.timedOut
    ? "the tester said PASS, but the test command did not end within its time limit"
    : couldNotRun(command)
    ? `the tester said PASS, but the test command, which could be run before, cannot any more (exit code ${command.exitCode})`
    : `the tester said PASS, but the test command ended with exit code ${command.exitCode}`;
}

function retry(state: LoopState): LoopState {
  const { programmer, programmer_review: _review, tester: _tester, ...kept } = state.outputs;
  return {
    ...state,
    round: state.round + 1,
    stage: firstWork(roleAfter("tester", "fail")),
    outputs: kept,
    earlierChanges: programmer === undefined ? state.earlierChanges : [...state.earlierChanges, {
      round: state.round,
      report: programmer,
      files: state.sources.programmer?.files ?? [],
    }],
  };
}
