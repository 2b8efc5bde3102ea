import { HumanInterventionRequiredError } from "../../errors.ts";
import { watchResponses } from "../../handoff/response_watch.ts";
import { type AuditLog, openAuditLog } from "../../journal/audit.ts";
import { openJournal } from "../../journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../journal/run_folder.ts";
import { lockRun } from "../../journal/run_lock.ts";
import { lockWorkdir } from "../../journal/workdir_lock.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import type { HttpPoster } from "../../ports/http.ts";
import { privateWordsOf } from "../../recording/secret_patterns.ts";
import { runTestCommand } from "../test_command.ts";
import { startAgents } from "./agents.ts";
import { createAskAgent } from "./ask_agent.ts";
import { type AskAboutDialog, createDialogDesk, type DialogDeskContext } from "./dialog_desk.ts";
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
  /** The person at the terminal, who is asked about dialogs; missing where nobody sits there. */
  readonly person?: AskAboutDialog;
  /** Values that must not get into the audit log, such as those of the environment's keys. @default {[]} */
  readonly secrets?: readonly string[];
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
  using _owned = await lockRun(folder, clock);
  using journal = openJournal(folder.journalPath);
  using audit = await openAuditLog(folder.auditPath, { run: folder.id, secrets: secretsOf(options) });
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
    const { person } = options;
    const result = await runWithAgents({ plan, folder, audit, emit, messages, person, onForcedExit, clock, signal });
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

/** What must not be written down: what the caller names, and what the roles' own variables hold. */
function secretsOf({ plan, secrets = [] }: ReviewRunOptions): readonly string[] {
  const own = Object.values(plan.agents).flatMap(({ env }) => privateWordsOf(env, "").secrets ?? []);
  return [...secrets, ...own];
}

interface RunParts {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  readonly audit: AuditLog;
  readonly person: AskAboutDialog | undefined;
  readonly emit: (event: ReviewLoopEvent) => void;
  readonly messages: Messages;
  readonly onForcedExit: (act: () => void) => () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function runWithAgents(parts: RunParts): Promise<ReviewLoopResult> {
  const { plan, folder, audit, emit, messages, person, clock, signal } = parts;
  let questions = 0;
  using forcedExit = new DisposableStack();
  const log = (message: string) => emit({ type: "warning", message });
  await using opened = await openRunSession(plan, { runId: folder.id, log, clock, signal });
  const { session } = opened;
  forcedExit.defer(parts.onForcedExit(() => session.abandon()));
  using _panesLeft = {
    [Symbol.dispose]() {
      if (!plan.cleanupOnExit) emit({ type: "panes_left", attachCommand: session.attachCommand() });
    },
  };
  emit({ type: "session_opened", attachCommand: session.attachCommand() });
  using team = await startAgents({ plan, session, emit, clock, signal });
  await using responses = watchResponses(plan.workdir);
  const desks: DialogDeskContext = {
    plan,
    folder,
    audit,
    emit,
    onStuck: (role, text) => messages.send({ title: `panewright: ${role} is stuck`, text, priority: 5 }),
    attachCommand: session.attachCommand(),
    nextQuestionId: () => `q${++questions}`,
    person,
    clock,
    signal,
  };
  return await runReviewLoop({
    workdir: plan.workdir,
    job: plan.job,
    settings: plan.loop,
    askAgent: createAskAgent({
      plan,
      folder,
      team,
      responses,
      emit,
      createDesk: (turn) => createDialogDesk(desks, turn),
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
