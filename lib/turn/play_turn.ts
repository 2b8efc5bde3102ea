import { RuntimeError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { isAtRest } from "../base/status.ts";
import { writeToArchive } from "./archive.ts";
import { limitsOf, noteDialogClosed, noteDialogLost, settleAnswers } from "./dialogs.ts";
import {
  agentError,
  awaitRetry,
  findFailureAfterResponse,
  interrupt,
  interruptStalled,
  isFailedTurnOver,
  replaceAgent,
} from "./failure.ts";
import { refusalPrompt, reminderPrompt } from "./instruction.ts";
import { readStatus, useTerminal, waitUntil } from "./look.ts";
import { decide, startPolling } from "./polling.ts";
import { inspectResponse, NO_RESPONSE_YET } from "./response_inspection.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import {
  archiveStaleResponse,
  ensureResponseDir,
  REMOVE_IT_HINT,
  responseDirFor,
  responsePathOf,
} from "./response_files.ts";
import { archiveResponse, type DispatchMark, markDispatch, type ResponsePlace } from "./response_reading.ts";
import { answerDialog, isAnswered, resumeSending, sendMessage } from "./send.ts";
import { comesToRest, SETTLE_LIMIT_MS } from "./settle.ts";
import { hasStalled } from "./stall.ts";
import type { Terminal } from "./terminal.ts";
import {
  openTurn,
  timeoutError,
  type Turn,
  turnMessage,
  type TurnOptions,
  type TurnSeat,
  warn,
  whoseTurn,
} from "./turn.ts";
import { beginTime, deadlineFromNow, leftUntil, tellTime, waitedForPersonMs } from "./turn_time.ts";

// What comes into this room is a terminal and a prompt; what goes out is the response, and a stream of `TurnEvent`s, each
// told before the turn goes on. This is the story of a turn, from top to bottom: the prompt is sent, the terminal is
// polled, and what a poll finds is dealt with, until there is a response.

/**
 * Plays one turn of a terminal: see `sendAndWait`. A turn that an earlier process began is resumed where that one left
 * it: see `BegunTurn`.
 */
export async function playTurn(
  terminal: Terminal,
  options: TurnOptions & TurnSeat & { readonly message: string },
): Promise<string> {
  const turn = openTurn(terminal, options);
  turn.signal?.throwIfAborted();
  await ensureResponseDir(turn.workdir);
  using _served = turn.dialogs?.serve?.(limitsOf(turn));
  try {
    return await play(turn, options.message);
  } catch (error) {
    try {
      await tellTime(turn, { always: true });
    } catch { /* what ended the turn counts more */ }
    throw error;
  }
}

/** Waits for the response of a terminal's turn without sending anything: see `waitForResponseFile`. */
export async function waitForTurn(terminal: Terminal, options: TurnOptions & TurnSeat): Promise<string> {
  const turn = openTurn(terminal, options);
  using _served = turn.dialogs?.serve?.(limitsOf(turn));
  beginTime(turn);
  const outcome = await waitForResponse(turn, { deadlineMs: deadlineFromNow(turn) });
  switch (outcome.kind) {
    case "response":
      return outcome.text;
    case "failed":
      throw await agentError(turn);
    case "none":
      return await endWithoutResponse(turn, outcome);
  }
}

async function play(turn: Turn, message: string): Promise<string> {
  const { begun, expectsResponse, settings } = turn;
  // Of a turn whose prompt was taken the time continues at once, so that nothing is sent when it is up.
  if (begun?.usedSeconds) beginTime(turn);
  const dispatch = (begun && await resumeSending(turn, begun)) ?? await sendPrompt(turn, message);
  beginTime(turn);
  const deadlineMs = begun !== undefined && isAnswered(turn, dispatch) ? deadlineToTake(turn) : deadlineFromNow(turn);
  for (let reminder = (begun?.reminders ?? 0) + 1;;) {
    const outcome = await waitForResponse(turn, { deadlineMs, dispatch });
    if (outcome.kind === "response") return outcome.text;
    if (outcome.kind === "failed") {
      const answer = await takeBeforeFailure(turn, dispatch);
      if (answer !== undefined) return answer;
      const text = outcome.continuation ?? await awaitRetry(turn);
      if (text !== undefined) await sendMessage(turn, { what: "continuation", text, deadlineMs });
      continue;
    }
    if (outcome.because === "idle_grace" && !expectsResponse) return await readLastOutput(turn);
    if (outcome.because === "response_timeout" || reminder > settings.maxFileReminders) {
      return await endWithoutResponse(turn, outcome);
    }
    await turn.emit({ type: "reminder", number: reminder++ });
    await sendMessage(turn, {
      what: "reminder",
      text: reminderText(turn, outcome),
      deadlineMs,
      isNeeded: () => !isAnswered(turn, dispatch),
    });
  }
}

/** Sends the turn's prompt, with nothing left at the role's response path that could be taken for the answer. */
async function sendPrompt(turn: Turn, text: string): Promise<DispatchMark> {
  const { archiveDir, messageKind: what = "prompt", role, settleBeforeSend = false, workdir } = turn;
  if (typeof settleBeforeSend === "boolean" ? settleBeforeSend : await settleBeforeSend()) await settle(turn);
  const stale = archiveStaleResponse(workdir, role, archiveDir);
  if (stale !== undefined) await warn(turn, `a response file of an earlier turn of ${role} was moved to ${stale}.`);
  const dispatch = markDispatch(workdir);
  await sendMessage(turn, { what, text, dispatch });
  return dispatch;
}

async function settle(turn: Turn): Promise<void> {
  const { call, clock, progress } = turn;
  if (await comesToRest(async () => ({ status: await readStatus(turn) }), { clock, ...call })) return;
  if (progress.lastStatus === "error") {
    // An agent whose session was resumed may show how the last turn of that failed.
    if (await isFailedTurnOver(turn)) return;
    throw await agentError(turn);
  }
  await warn(
    turn,
    `${whoseTurn(turn)} did not come to rest in ${SETTLE_LIMIT_MS / 1000} s ` +
      `(last status: ${progress.lastStatus}). Sending the prompt anyway.`,
  );
}

type WaitOutcome =
  | { readonly kind: "response"; readonly text: string }
  /** `continuation`: what the agent is told, where that is known already. */
  | { readonly kind: "failed"; readonly continuation?: string }
  | NoResponse;

interface NoResponse {
  readonly kind: "none";
  readonly because: "idle_grace" | "response_timeout";
  readonly problem: string;
  /** Whether what is there must be removed before a response can be written. */
  readonly inTheWay: boolean;
}

async function waitForResponse(
  turn: Turn,
  { deadlineMs, dispatch }: { readonly deadlineMs: number; readonly dispatch?: DispatchMark },
): Promise<WaitOutcome> {
  const { clock, role, settings, signal, workdir } = turn;
  const place: ResponsePlace = { workdir, role, maxBytes: settings.maxResponseBytes, ...present({ dispatch }) };
  let state = startPolling(clock.now(), deadlineMs);
  let seen = NO_RESPONSE_YET;
  for (;;) {
    signal?.throwIfAborted();
    const pollStartedMs = clock.now();
    const status = await readStatus(turn);
    // A second look at a file takes no time from the rules, which count from poll to poll.
    const nowMs = clock.now();
    if (status === "error") noteDialogLost(turn);
    else if (status !== "waiting_user_answer" && status !== "unknown") noteDialogClosed(turn);
    if (lstatOrUndefined(responseDirFor(workdir)) === undefined) {
      // The agent has removed it with all that git ignores. What stands in its place is told in the end.
      await ensureResponseDir(workdir).catch(() => {});
    }
    const found = await inspectResponse(turn, place, { before: seen, mayTake: isAtRest(status) });
    seen = found.seen;
    state = { ...state, deadlineMs: deadlineMs + waitedForPersonMs(turn) };
    const step = decide(state, { status, response: found.response }, { nowMs, settings });
    state = step.state;
    const { action } = step;
    switch (action.type) {
      case "wait":
        if (action.startupTimedOut) await warnOfStartup(turn);
        if (status !== "processing") turn.progress.standing = undefined;
        else if (await hasStalled(turn)) {
          const first = await takeFromWorking(turn, dispatch);
          if (first !== undefined) return { kind: "response", text: first };
          const continuation = await interruptStalled(turn);
          // It may not have heard the first time.
          const text = await takeInterrupted(turn, dispatch);
          return text === undefined ? { kind: "failed", continuation } : { kind: "response", text };
        }
        break;
      case "handle_dialog":
        await answerDialog(turn, { deadlineMs });
        break;
      case "take_response":
        await settleAnswers(turn);
        return { kind: "response", text: await takeResponse(turn, place) };
      case "end_without_response": {
        const inTheWay = seen.look.kind === "unusable" && seen.look.inTheWay;
        return { kind: "none", because: action.because, problem: found.problem, inTheWay };
      }
      case "fail_agent_error":
        return { kind: "failed" };
      case "fail_timeout": {
        const text = await takeFromWorking(turn, dispatch);
        if (text !== undefined) return { kind: "response", text };
        if (isAnsweredAtWork(turn, dispatch)) await replaceAgent(turn, AT_WORK);
        throw timeoutError(turn);
      }
    }
    await waitUntil(turn, Math.min(pollStartedMs + settings.pollSeconds * 1000, deadlineMs + waitedForPersonMs(turn)));
  }
}

async function warnOfStartup(turn: Turn): Promise<void> {
  const { idleGraceSeconds } = turn.settings;
  await warn(
    turn,
    `startup timeout: ${whoseTurn(turn)} was not seen at work within ${idleGraceSeconds} s of its prompt. ` +
      `Its grace time of ${idleGraceSeconds} s starts now.`,
  );
}

async function takeResponse(turn: Turn, place: ResponsePlace): Promise<string> {
  const response = { role: turn.role, ...archiveResponse(place, turn.archiveDir) };
  await turn.emit({ type: "archived", response });
  return response.text;
}

/** The response of an agent whose turn failed after it had written it whole. */
async function takeBeforeFailure(turn: Turn, dispatch: DispatchMark): Promise<string | undefined> {
  const how = await findFailureAfterResponse(turn, () => isAnswered(turn, dispatch));
  if (how === undefined) return undefined;
  return await takeReady(turn, dispatch, `failed after it had written its response, which is taken: ${how}`);
}

function isAnsweredAtWork(turn: Turn, dispatch: DispatchMark | undefined): dispatch is DispatchMark {
  const { expectsResponse, progress: { lastStatus } } = turn;
  return dispatch !== undefined && expectsResponse && lastStatus === "processing" && isAnswered(turn, dispatch);
}

/** The complete response of an agent that does not end its turn: it is interrupted first. */
async function takeFromWorking(turn: Turn, dispatch: DispatchMark | undefined): Promise<string | undefined> {
  // Esc would answer a dialog.
  if (!isAnsweredAtWork(turn, dispatch) || await interrupt(turn) === "at_work") return undefined;
  return await takeInterrupted(turn, dispatch);
}

async function takeInterrupted(turn: Turn, dispatch: DispatchMark | undefined): Promise<string | undefined> {
  if (dispatch === undefined || !turn.expectsResponse || !isAnswered(turn, dispatch)) return undefined;
  return await takeReady(
    turn,
    dispatch,
    "was interrupted: it worked on after it had written its response, which is taken",
  );
}

async function takeReady(turn: Turn, dispatch: DispatchMark, how: string): Promise<string | undefined> {
  const { role, settings, workdir } = turn;
  const place: ResponsePlace = { workdir, role, maxBytes: settings.maxResponseBytes, dispatch };
  const { response } = await inspectResponse(turn, place, { before: NO_RESPONSE_YET, mayTake: true });
  if (response !== "ready") return undefined;
  await settleAnswers(turn);
  await warn(turn, `${whoseTurn(turn)} ${how}`);
  return await takeResponse(turn, place);
}

/** What an agent at rest is told; an agent that may have ended its turn because something was refused, just that first. */
function reminderText({ progress, role, workdir }: Turn, { problem, inTheWay }: NoResponse): string {
  const { untoldRefusal } = progress;
  if (untoldRefusal === undefined || inTheWay) return reminderPrompt(workdir, role, { problem, inTheWay });
  progress.untoldRefusal = undefined;
  return refusalPrompt(workdir, role, untoldRefusal);
}

/** How long an agent may take to be seen at rest whose response was there when its turn was resumed. */
const TAKE_LIMIT_MS = 30_000;

/**
 * Until when a response that was written before its turn was resumed is waited for. It is taken once the agent is seen
 * at rest, which takes a new process some seconds: they are there also when the time of the turn is up.
 */
function deadlineToTake(turn: Turn): number {
  const deadlineMs = deadlineFromNow(turn);
  return deadlineMs + Math.max(0, TAKE_LIMIT_MS - leftUntil(turn, deadlineMs));
}

async function endWithoutResponse(turn: Turn, { because, problem: found, inTheWay }: NoResponse): Promise<string> {
  const { archiveDir, role, settings, workdir } = turn;
  const limit = because === "idle_grace"
    ? `it rested for ${settings.idleGraceSeconds} s`
    : `the limit of ${settings.responseTimeoutSeconds} s passed`;
  const problem = `${limit} without a usable response file ${responsePathOf(workdir, role)}: ${found}`;
  if (settings.strictFileHandoff) {
    throw new RuntimeError(turnMessage(turn, problem), {
      hint: inTheWay ? REMOVE_IT_HINT : "With STRICT_FILE_HANDOFF=0 the terminal's last output is taken instead.",
    });
  }
  await warn(turn, `${whoseTurn(turn)}: ${problem}. Taking the terminal's last output.`);
  const text = await readLastOutput(turn);
  if (!turn.keepsOutput) return text;
  await settleAnswers(turn);
  const archived = writeToArchive(text, { archiveDir, label: role });
  await turn.emit({ type: "archived", response: { role, ...archived, text } });
  return text;
}

function readLastOutput(turn: Turn): Promise<string> {
  return useTerminal(turn, "reading the last output", () => turn.terminal.lastOutput(turn.call));
}

/** It takes the response. */
const AT_WORK = {
  text: "it works on although its time is up, and is not to be interrupted",
  evidence: "its screen, its response file",
};
