import { HumanInterventionRequiredError } from "../../errors.ts";
import { openJournal } from "../../journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../journal/run_folder.ts";
import { lockWorkdir } from "../../journal/workdir_lock.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import type { HttpPoster } from "../../ports/http.ts";
import { runTestCommand } from "../test_command.ts";
import { startAgents } from "./agents.ts";
import { createAskAgent } from "./ask_agent.ts";
import type { ReviewLoopEvent, RunOutcome } from "./events.ts";
import { type ReviewLoopResult, runReviewLoop } from "./loop.ts";
import { type Messages, openMessages } from "../notify.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { postProcess } from "./post_process.ts";
import { openRunSession } from "./run_session.ts";

/** What a run is given besides its plan. */
export interface ReviewRunOptions {
  readonly plan: ReviewRunPlan;
  /** Told each fact after it was written to the journal. */
  readonly onEvent?: (event: ReviewLoopEvent) => void;
  /** Ends the run: what it started is ended first, then it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Registers a last act for the case that the program exits at once; what it returns takes the act back. */
  readonly onForcedExit?: (act: () => void) => () => void;
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {systemHttpPoster} */
  readonly http?: HttpPoster;
}

/** How a run ended. */
export interface ReviewRunReport extends Omit<ReviewLoopResult, "state"> {
  readonly folder: RunFolder;
}

/**
 * Runs a job with real agents: a run folder, a tmux session with a pane for each role, the review loop over them, and
 * afterwards nothing of it left running.
 *
 * @throws {UsageError} when another run is at work in the same directory, or the tmux session cannot be had
 * @throws {HumanInterventionRequiredError} when an agent stands at something that only a person may decide
 * @throws {RuntimeError} when an agent fails, or ends a turn without a response
 * @throws {TimeoutError} when a turn takes too long
 * @throws the signal's reason when it is aborted
 */
export async function executeReviewRun(options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { plan, signal = new AbortController().signal, clock = systemClock } = options;
  const startedAtMs = clock.now();
  const folder = await createRunFolder(plan.workdir, { now: new Date() });
  using _lock = await lockWorkdir(plan.workdir, { runId: folder.id });
  using journal = openJournal(folder.journalPath);
  let rounds = 0;
  const emit = (event: ReviewLoopEvent) => {
    if (event.type === "round_started") rounds = event.round;
    journal.append(event);
    options.onEvent?.(event);
  };
  await using messages = openMessages({
    plan: plan.notifications,
    onProblem: (message) => emit({ type: "warning", message }),
    ...(options.http === undefined ? {} : { http: options.http }),
  });
  const finish = (outcome: RunOutcome, reason: string) => {
    emit({ type: "run_finished", outcome, rounds, reason, seconds: (clock.now() - startedAtMs) / 1000 });
    if (outcome === "interrupted") return;
    const priority = outcome === "pass" ? 3 : outcome === "needs_human" ? 5 : 4;
    messages.send({ title: `panewright: ${outcome}`, text: reason, priority });
  };

  emit({
    type: "run_started",
    runId: folder.id,
    workdir: plan.workdir,
    folder: folder.path,
    startAgent: plan.loop.startAgent,
  });
  try {
    const onForcedExit = options.onForcedExit ?? (() => () => {});
    const result = await runWithAgents({ plan, folder, emit, messages, onForcedExit, clock, signal });
    if (result.outcome === "pass") {
      const problems = await postProcess(plan.postProcessing, { workdir: plan.workdir, signal });
      for (const message of problems) emit({ type: "warning", message });
    }
    finish(result.outcome, result.reason);
    return { outcome: result.outcome, rounds: result.rounds, reason: result.reason, folder };
  } catch (error) {
    const reason = signal.aborted ? signal.reason : mainError(error, emit);
    finish(outcomeOf(reason, signal), messageOf(reason));
    throw reason;
  }
}

/** What ended the run, where the cleaning up failed on top of it: that is told as a warning. */
function mainError(error: unknown, emit: (event: ReviewLoopEvent) => void): unknown {
  if (!(error instanceof SuppressedError)) return error;
  emit({ type: "warning", message: messageOf(error.error) });
  return mainError(error.suppressed, emit);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function outcomeOf(error: unknown, signal: AbortSignal): RunOutcome {
  if (signal.aborted) return "interrupted";
  return error instanceof HumanInterventionRequiredError ? "needs_human" : "error";
}

interface RunParts {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  readonly emit: (event: ReviewLoopEvent) => void;
  readonly messages: Messages;
  readonly onForcedExit: (act: () => void) => () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function runWithAgents(parts: RunParts): Promise<ReviewLoopResult> {
  const { plan, folder, emit, messages, clock, signal } = parts;
  using forcedExit = new DisposableStack();
  await using session = await openRunSession(plan, { runId: folder.id, clock, signal });
  forcedExit.defer(parts.onForcedExit(() => session.abandon()));
  using _panesLeft = {
    [Symbol.dispose]() {
      if (!plan.cleanupOnExit) emit({ type: "panes_left", attachCommand: session.attachCommand() });
    },
  };
  emit({ type: "session_opened", attachCommand: session.attachCommand() });
  using team = await startAgents({ plan, session, emit, clock, signal });
  return await runReviewLoop({
    workdir: plan.workdir,
    job: plan.job,
    settings: plan.loop,
    askAgent: createAskAgent({
      plan,
      folder,
      team,
      emit,
      onStuck: (role, text) => messages.send({ title: `panewright: ${role} is stuck`, text, priority: 5 }),
      clock,
      signal,
    }),
    runTestCommand: (command) =>
      runTestCommand(command, {
        cwd: plan.workdir,
        timeoutSeconds: plan.loop.testCommandTimeoutSeconds,
        clock,
        signal,
      }),
    onEvent: emit,
    signal,
  });
}
