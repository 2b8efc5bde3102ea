import type { Job } from "../../journal/loop/fields.ts";
import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { abridge } from "../../base/text/abridge.ts";
import { lastLines } from "../../base/text/lines.ts";
import { couldNotRun, formatTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { followActions } from "../follow_actions.ts";
import { applyResponse, applyTestCommandResult, type LoopAction, nextAction, startLoop } from "./machine.ts";
import { buildPrompt } from "./prompts/mod.ts";
import { type ReviewLoopSettings, reviewLoopSettings } from "./settings.ts";
import type { LoopContext, LoopResponse, LoopState, Transition, Turn } from "./state.ts";

export interface ReviewLoopOptions {
  /** The absolute folder that the agents work in; response files live below it. */
  readonly workdir: string;
  readonly job: Job;
  readonly settings: ReviewLoopSettings;
  readonly askAgent: (role: Role, prompt: string, turn: Turn) => Promise<string | LoopResponse>;
  readonly runTestCommand?: (command: TestCommand) => Promise<TestCommandResult>;
  readonly isProgramGone?: (command: TestCommand) => boolean;
  readonly onEvent?: (event: ReviewFact) => void | Promise<void>;
  /** The state to continue from, as an earlier process left it. @default {the beginning} */
  readonly state?: LoopState;
  readonly begunTurn?: string;
  readonly signal?: AbortSignal;
}

export interface ReviewLoopResult {
  readonly outcome: "pass" | "fail";
  readonly rounds: number;
  readonly reason: string;
  readonly state: LoopState;
}

/**
 * Runs a job through the five roles, round by round, until the test passes or a limit is reached.
 *
 * The state machine in machine.ts decides; this only carries prompts, responses and events between it and the outside.
 * Events about panes and response files (`agent_*`, `status_changed`, `reminder_sent`, `response_received`) and the
 * first and last one of a run are the caller's.
 */
export async function runReviewLoop(options: ReviewLoopOptions): Promise<ReviewLoopResult> {
  const { workdir, job, signal } = options;
  const context: LoopContext = { workdir, job, settings: reviewLoopSettings(options.settings) };
  if (context.settings.projectTestCmd !== undefined && options.runTestCommand === undefined) {
    throw new UsageError("Cannot run the review loop: there is a project test command, but nothing to run it with");
  }
  const follow = async (transition: Transition): Promise<LoopState> => {
    for (const event of transition.events) await options.onEvent?.(event);
    return transition.state;
  };
  signal?.throwIfAborted();
  let state = options.state ?? await follow(startLoop(context));
  return await followActions<LoopAction, ReviewLoopResult>({
    signal,
    next: () => nextAction(state),
    async perform(action) {
      switch (action.do) {
        case "run_attempt":
          state = await follow(await playTurn(state, { turn: action.at, context, options }));
          return undefined;
        case "check":
          state = await follow(await runCommand(state, { context, options }));
          return undefined;
        case "finish_run":
          return { outcome: action.outcome, rounds: state.round, reason: action.reason, state };
      }
    },
  });
}

async function playTurn(
  state: LoopState,
  { turn, context, options }: {
    readonly turn: Turn;
    readonly context: LoopContext;
    readonly options: ReviewLoopOptions;
  },
): Promise<Transition> {
  const { id: turnId, role, round, cycle } = turn;
  const prompt = buildPrompt({ context, state, turn });
  const promptBytes = new TextEncoder().encode(prompt).length;
  const started: ReviewFact = turnId === options.begunTurn
    ? { type: "turn_resumed", turnId, role, round, cycle }
    : { type: "turn_started", turnId, role, round, cycle, promptBytes };
  await options.onEvent?.(started);
  return applyResponse(state, await options.askAgent(role, prompt, turn), context);
}

async function runCommand(
  state: LoopState,
  { context, options }: { readonly context: LoopContext; readonly options: ReviewLoopOptions },
): Promise<Transition> {
  const command = context.settings.projectTestCmd;
  if (command === undefined || options.runTestCommand === undefined) {
    throw new UsageError(
      "Cannot resume a run that waits for its project test command: none is configured any more",
    );
  }
  const shown = formatTestCommand(command);
  await options.onEvent?.({ type: "test_command_started", round: state.round, command: shown });
  const result = await options.runTestCommand(command);
  // Once it could be run, the configuration is right: what has become of it since is the agents' doing, but for what is
  // none of the project's.
  const isOfConfig = state.testCommandRan !== shown || options.isProgramGone?.(command) === true;
  if (couldNotRun(result) && isOfConfig) throw notRun(command, result);
  return applyTestCommandResult(state, result, context);
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
