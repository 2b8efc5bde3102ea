import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { abridge } from "../../base/text/abridge.ts";
import { lastLines } from "../../base/text/lines.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { RunResult } from "../../run/execution.ts";
import type { Judge } from "../evidence/gather.ts";
import { couldNotRun, formatTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import { promptOf } from "./prompts/mod.ts";
import { nextAction } from "./machine.ts";
import type { RunParts } from "./run_parts.ts";
import type { RunState, Turn } from "./state.ts";

export interface LoopOptions extends Pick<RunParts, "state" | "record" | "signal"> {
  /** Waits until the agent of a role has no other work, such as a message from outside. */
  readonly takeAgent: (role: Role) => Promise<Disposable>;
  /** Has the turn played, and records the response to it. */
  readonly askAgent: (turn: Turn) => Promise<void>;
  readonly runTestCommand: (command: TestCommand) => Promise<TestCommandResult>;
  /** Looks whether what has passed holds. */
  readonly judge: () => ReturnType<Judge>;
  /** Whether whoever reviews the changes is told what the judge finds. @default {false} */
  readonly isReviewJudged?: boolean;
  readonly isProgramGone: (command: TestCommand) => boolean;
  /** What is done before that is recorded which follows from a response or a test. */
  readonly beforeTold: (fact: ReviewFact) => Promise<void>;
}

/**
 * Plays what is left of the loop: does what the machine says is due, and records what comes of it, from which the next
 * state follows.
 */
export async function driveLoop(options: LoopOptions): Promise<RunResult> {
  const { state, record, beforeTold, signal } = options;
  for (;;) {
    signal.throwIfAborted();
    for (const fact of state().untold) {
      await beforeTold(fact);
      record(fact);
    }
    const action = nextAction(state().loop);
    switch (action.do) {
      case "run_attempt":
        await playTurn(action.at, options);
        break;
      case "check":
        await runCommand(options);
        break;
      case "finish_run":
        return { outcome: action.outcome, reason: action.reason };
    }
  }
}

async function playTurn(turn: Turn, options: LoopOptions): Promise<void> {
  const { state, record, takeAgent, askAgent, isReviewJudged = false, judge } = options;
  const { id: turnId, role, round, cycle, kind } = turn;
  if (isReviewJudged && role === "programmer_review" && kind !== "verdict" && state().turn?.id !== turnId) {
    await judge();
  }
  using _agent = await takeAgent(role);
  const isBegun = state().turn?.id === turnId;
  const { length: promptBytes } = new TextEncoder().encode(promptOf(state(), turn));
  const place = { turnId, role, round, cycle };
  record(isBegun ? { type: "turn_resumed", ...place } : { type: "turn_started", ...place, promptBytes });
  await askAgent(turn);
}

async function runCommand(
  { state, record, runTestCommand, judge, isProgramGone }: LoopOptions,
): Promise<void> {
  const { head: { settings: { projectTestCmd: command } }, loop: { round, stage, testCommandRan } }: RunState = state();
  if (command === undefined) {
    throw new UsageError(
      "Cannot resume a run that waits for its project test command: none is configured any more",
    );
  }
  const shown = formatTestCommand(command);
  record({ type: "test_command_started", round, command: shown });
  const result = await runTestCommand(command);
  // Once it could be run, the configuration is right: what has become of it since is the agents' doing, but for what is
  // none of the project's.
  const isOfConfig = testCommandRan !== shown || isProgramGone(command);
  if (couldNotRun(result) && isOfConfig) throw notRun(command, result);
  const { passed, exitCode, seconds, timedOut, output, truncated } = result;
  const told = {
    type: "test_command_finished",
    round,
    passed,
    exitCode,
    seconds,
    timedOut,
    output,
    truncated,
  } as const;
  const isDecided = passed && stage.kind === "test_command" && stage.testerVerdict === "PASS";
  const judged = isDecided ? await judge() : undefined;
  if (judged?.problem === undefined) return record(told);
  const { problem } = judged;
  record({ ...told, passed: false, problem, output: judged.output === "" ? problem : judged.output });
}

/** Of what a test command said that could not be run, its end tells why. */
const LINES_TOLD = 5;
const CHARS_TOLD = 1000;

function notRun(command: TestCommand, { exitCode, output }: TestCommandResult): UsageError {
  const what = `Cannot run the project's test command (exit code ${exitCode}): ${formatTestCommand(command)}`;
  const said = abridge(lastLines(output, LINES_TOLD).join("\n"), { maxChars: CHARS_TOLD });
  return new UsageError(said === "" ? what : `${what}\n${said}`, {
    hint:
      "Correct project_test_cmd, or make its program available; the run continues with the test when it is resumed.",
  });
}
