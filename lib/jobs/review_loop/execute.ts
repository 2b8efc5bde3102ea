import { HumanInterventionRequiredError, UsageError } from "../../errors.ts";
import { watchResponses } from "../../handoff/response_watch.ts";
import { type AuditLog, openAuditLog } from "../../dialogs/audit.ts";
import { droppedRecordMessage, openJournal } from "../../run/journal.ts";
import { createRunFolder, type RunFolder } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import { lockWorkdir } from "../../run/workdir_lock.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import type { HttpPoster } from "../../ports/http.ts";
import { privateWordsOf } from "../../redact/secret_patterns.ts";
import { createTestCommandRunner } from "./run_test_command.ts";
import { startAgents } from "./agents.ts";
import { createAskAgent } from "./ask_agent.ts";
import { refuseBesideLiveAgents } from "./beside.ts";
import { type AskAboutDialog, createDialogDesk, type DialogDeskContext } from "../../dialogs/desk.ts";
import type { ReviewFact, RunOrigin, RunOutcome } from "./facts.ts";
import { applyEvent, foldEvents } from "./fold.ts";
import { findLateResponse } from "./late_response.ts";
import { type ReviewLoopResult, runReviewLoop } from "./loop.ts";
import { type Messages, openMessages } from "../notify.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { postProcess } from "./post_process.ts";
import { readReviewRun } from "./read_run.ts";
import { endLeftSession, openRunSession } from "./run_session.ts";
import type { RunState } from "./run_state.ts";
import { reviewLoopSettings } from "./settings.ts";
import { errorText } from "../../text/error_text.ts";

/** What a run is given besides its plan. */
export interface ReviewRunOptions {
  readonly plan: ReviewRunPlan;
  /** Told each fact after it was written to the journal. */
  readonly onEvent?: (event: ReviewFact) => void;
  /** Ends the run: what it started is ended first, then it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Registers a last act for the case that the program exits at once; what it returns takes the act back. */
  readonly onForcedExit?: (act: () => void) => () => void;
  /** The command that goes on with a run, from where the person is. @default {`panewright resume ID`} */
  readonly resumeCommand?: (runId: string) => string;
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
export async function executeReviewRun(origin: RunOrigin, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { workdir, loop, job: task } = options.plan;
  const folder = await createRunFolder(workdir, { now: new Date() });
  using begun = new DisposableStack();
  try {
    begun.use(await lockWorkdir(workdir, { runId: folder.id }));
    await refuseBesideLiveAgents(workdir, { runId: folder.id });
    begun.use(await lockRun(folder, options.clock));
  } catch (error) {
    // A run that was refused was none.
    await Deno.remove(folder.path, { recursive: true });
    throw error;
  }
  return await conduct({
    folder,
    earlier: undefined,
    opening: {
      type: "run_started",
      job: "run",
      runId: folder.id,
      workdir,
      folder: folder.path,
      startAgent: loop.startAgent,
      task,
      settings: reviewLoopSettings(loop),
      origin,
    },
  }, options);
}

/**
 * Goes on with a run from what its journal says, whatever has become of the process that executed it: finished turns stay
 * finished, agents that live are kept, and a response that was written meanwhile is taken.
 *
 * @throws {UsageError} when another process executes it, or it has come to its end
 * @throws like {@linkcode executeReviewRun}
 */
export async function resumeReviewRun(folder: RunFolder, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { plan, clock } = options;
  using _lock = await lockWorkdir(plan.workdir, { runId: folder.id });
  using _owned = await lockRun(folder, clock);
  const earlier = await readReviewRun(folder);
  const { finished } = earlier;
  if (finished?.outcome === "pass" || finished?.outcome === "fail") {
    throw new UsageError(`Cannot go on with run ${folder.id}: it is over (${finished.outcome}: ${finished.reason})`, {
      hint: "Start the job anew with: panewright run",
    });
  }
  await refuseBesideLiveAgents(plan.workdir, { runId: folder.id });
  const settings = reviewLoopSettings(plan.loop);
  const opening = { type: "run_resumed", runId: folder.id, folder: folder.path, settings } as const;
  return await conduct({ folder, earlier, opening }, options);
}

interface Conduct {
  readonly folder: RunFolder;
  readonly earlier: RunState | undefined;
  readonly opening: Extract<ReviewFact, { type: "run_started" | "run_resumed" }>;
}

async function conduct({ folder, earlier, opening }: Conduct, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { plan, signal = new AbortController().signal, clock = systemClock } = options;
  const startedAtMs = clock.now();
  const resumeCommand = options.resumeCommand?.(folder.id) ?? `panewright resume ${folder.id}`;
  using journal = openJournal(folder.journalPath, { resumeCommand });
  using audit = await openAuditLog(folder.auditPath, { run: folder.id, secrets: secretsOf(options) });
  let current = earlier;
  const state = (): RunState => {
    if (current === undefined) throw new TypeError("Cannot tell where the run stands: it has not begun");
    return current;
  };
  const record = (event: ReviewFact, text?: string) => {
    const at = journal.append(event);
    const recorded = { ...event, at, ...(text === undefined ? {} : { text }) };
    current = current === undefined ? foldEvents([recorded]) : applyEvent(current, recorded);
    options.onEvent?.(event);
  };
  await using messages = openMessages({
    plan: plan.notifications,
    onProblem: (message) => record({ type: "warning", message }),
    ...(options.http === undefined ? {} : { http: options.http }),
  });
  const finish = (outcome: RunOutcome, reason: string) => {
    const isOver = outcome === "pass" || outcome === "fail";
    record({
      type: "run_finished",
      outcome,
      rounds: state().loop.round,
      reason,
      seconds: (clock.now() - startedAtMs) / 1000,
      audit: audit.end,
      ...(isOver ? {} : { resumeCommand }),
    });
    if (outcome === "interrupted") return;
    const priority = outcome === "pass" ? 3 : outcome === "needs_human" ? 5 : 4;
    messages.send({ title: `panewright: ${outcome}`, text: reason, priority });
  };

  record(opening);
  try {
    if (journal.droppedBytes > 0) record({ type: "warning", message: droppedRecordMessage(journal.droppedBytes) });
    const parts: RunParts = { options, folder, audit, state, record, messages, clock, signal };
    const { outcome, reason } = await runToEnd(parts);
    if (outcome === "pass") {
      await postProcess(plan.postProcessing, {
        workdir: plan.workdir,
        done: state().postProcessed,
        onEnd(command, problem) {
          record({ type: "post_processed", command, ...(problem === undefined ? {} : { problem }) });
          if (problem !== undefined) record({ type: "warning", message: problem });
        },
        signal,
      });
    }
    finish(outcome, reason);
    return { outcome, rounds: state().loop.round, reason, folder };
  } catch (error) {
    const reason = signal.aborted ? signal.reason : mainError(error, record);
    try {
      finish(outcomeOf(reason, signal), errorText(reason));
    } catch { /* a journal that cannot be written is told by what ended the run, or will be when it goes on */ }
    throw reason;
  }
}

/** What ended the run, where the cleaning up failed on top of it: that is told as a warning. */
function mainError(error: unknown, record: (event: ReviewFact) => void): unknown {
  if (!(error instanceof SuppressedError)) return error;
  try {
    record({ type: "warning", message: errorText(error.error) });
  } catch { /* see below: the first error counts */ }
  return mainError(error.suppressed, record);
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
  readonly options: ReviewRunOptions;
  readonly folder: RunFolder;
  readonly audit: AuditLog;
  readonly state: () => RunState;
  readonly record: (event: ReviewFact, text?: string) => void;
  readonly messages: Messages;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Plays what is left of the loop; of one that has come to its end, only the session may be left. */
async function runToEnd(parts: RunParts): Promise<Pick<ReviewLoopResult, "outcome" | "reason">> {
  const { options: { plan }, folder, state, record, clock } = parts;
  const late = await findLateResponse(folder, state());
  if (late !== undefined) record(late.event, late.text);
  const { stage } = state().loop;
  if (stage.kind !== "finished") return await runWithAgents(parts);
  for (const event of state().untold) record(event);
  if (plan.cleanupOnExit) await endLeftSession(state(), { clock });
  return stage;
}

async function runWithAgents(parts: RunParts): Promise<ReviewLoopResult> {
  const { options, folder, audit, state, record, messages, clock, signal } = parts;
  const { plan, person, onForcedExit = () => () => {} } = options;
  using forcedExit = new DisposableStack();
  await using opened = await openRunSession(plan, { runId: folder.id, earlier: state(), record, clock, signal });
  const { session, alive } = opened;
  forcedExit.defer(onForcedExit(() => session.abandon()));
  using _panesLeft = {
    [Symbol.dispose]() {
      if (!plan.cleanupOnExit) record({ type: "panes_left", attachCommand: session.attachCommand() });
    },
  };
  using team = await startAgents({ plan, session, state, alive, record, clock, signal });
  await using responses = watchResponses(plan.workdir);
  const desks: DialogDeskContext = {
    plan,
    answers: folder,
    audit,
    emit: (fact) =>
      record(
        fact.type === "dialog_waiting" ? { ...fact, runId: folder.id, attachCommand: session.attachCommand() } : fact,
      ),
    onStuck: (role, text) => messages.send({ title: `panewright: ${role} is stuck`, text, priority: 5 }),
    nextQuestionId: () => `q${state().questions + 1}`,
    earlierQuestion: () => state().turn?.question,
    person,
    clock,
    signal,
  };
  for (const event of state().untold) record(event);
  return await runReviewLoop({
    workdir: plan.workdir,
    job: state().head.task,
    settings: plan.loop,
    state: state().loop,
    ...(state().turn === undefined ? {} : { begunTurn: state().turn!.id }),
    askAgent: createAskAgent({
      plan,
      folder,
      team,
      responses,
      state,
      record,
      createDesk: (turn) => createDialogDesk(desks, turn),
      clock,
      signal,
    }),
    runTestCommand: await createTestCommandRunner({ plan, runId: folder.id, clock, signal }),
    onEvent: (event) => record(event),
    signal,
  });
}
