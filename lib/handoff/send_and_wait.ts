import { isAtRest } from "../screen/status.ts";
import { sendMessage } from "./dialogs.ts";
import { reminderPrompt } from "./instruction.ts";
import { archiveStaleResponse, ensureResponseDir } from "./response_files.ts";
import { type DispatchMark, lookAtResponse, markDispatch, readResponse, takeUpDispatch } from "./response_reading.ts";
import type { Role } from "../roles.ts";
import type { BegunTurn, HandoffOptions, Message } from "./settings.ts";
import type { TerminalApi } from "./terminal_api.ts";
import { agentError, openTurn, readStatus, type Turn, useTerminal } from "./turn.ts";
import { deadlineFromNow, endWithoutResponse, waitForResponse } from "./wait_for_response_file.ts";

const SETTLE_INTERVAL_MS = 1000;
const SETTLE_LIMIT_MS = 10_000;

/**
 * Plays one turn: clears the role's response path, sends the message, waits for the response file and returns its text.
 *
 * The message has to tell the agent where to write: end it with `responseFileInstruction`. When the agent comes to rest
 * without a usable response it is reminded up to `maxFileReminders` times, each time with fresh grace timers; the
 * response timeout counts for the whole turn.
 *
 * A turn that an earlier process has begun goes on where that one left it: see {@linkcode BegunTurn}.
 *
 * @throws like `waitForResponseFile`, and {RuntimeError} when the message cannot be sent
 */
export async function sendAndWait(
  api: TerminalApi,
  terminalId: string,
  role: Role,
  message: string,
  options: HandoffOptions,
): Promise<string> {
  const turn = openTurn({ api, terminalId, role }, options);
  const { settings, workdir } = turn;
  turn.signal?.throwIfAborted();
  await ensureResponseDir(workdir);
  const dispatch = options.begun === undefined
    ? await sendPrompt(turn, message)
    : await goOnSending(turn, message, options.begun);

  const deadlineMs = deadlineFromNow(turn);
  for (let reminder = (options.begun?.reminders ?? 0) + 1;; reminder++) {
    const outcome = await waitForResponse(turn, { deadlineMs, dispatch });
    if (outcome.kind === "response") return outcome.text;
    if (outcome.because === "response_timeout" || reminder > settings.maxFileReminders) {
      return await endWithoutResponse(turn, outcome);
    }
    options.onReminder?.(reminder);
    const reminderText = reminderPrompt(workdir, role, { problem: outcome.problem });
    await sendMessage(turn, { what: "reminder", text: reminderText });
  }
}

/** Sends the turn's message, with nothing left at the role's response path that could be taken for the answer. */
async function sendPrompt(turn: Turn, text: string): Promise<DispatchMark> {
  const { archiveDir, log, options, role, workdir } = turn;
  if (options.settleBeforeSend) await settle(turn);
  const stale = archiveStaleResponse(workdir, role, archiveDir);
  if (stale !== undefined) log(`Warning: a response file of an earlier turn of ${role} was moved to ${stale}.`);
  const dispatch = markDispatch(workdir);
  await sendMessage(turn, { what: options.messageKind ?? "prompt", text, dispatch });
  return dispatch;
}

/** Sends what the agent was not sent yet. An answer that is there already needs no prompt any more. */
async function goOnSending(turn: Turn, text: string, begun: BegunTurn): Promise<DispatchMark> {
  const { message } = begun;
  const dispatch = begun.dispatch && takeUpDispatch(turn.workdir, begun.dispatch);
  if (message !== undefined && message.step !== "sent") await finishSending(turn, message, dispatch);
  const mayWait = dispatch !== undefined && (message !== undefined || isAnswered(turn, dispatch));
  return mayWait ? dispatch : await sendPrompt(turn, text);
}

/**
 * Sends a message that an earlier process was about to send.
 *
 * Only Enter takes a text out of a composer. One that was about to be pressed, and leaves no text there, was pressed; before
 * it, only a person can have done so, and then the agent is at work or has answered.
 */
async function finishSending(
  turn: Turn,
  { what, text, step }: Message,
  dispatch: DispatchMark | undefined,
): Promise<void> {
  const { api, options, terminalId } = turn;
  const isDraft = await useTerminal(
    turn,
    "looking at the composer",
    async () => await api.holdsInput?.(terminalId, text) ?? false,
  );
  const wasSent = !isDraft && (step === "enter" || await isWorkedOn(turn, dispatch));
  if (wasSent) await options.onMessage?.({ what, text, step: "sent" });
  else await sendMessage(turn, { what, text, mayBePasted: true });
}

/**
 * Whether the agent has got a message that we have not sent. It has to come to rest first: a screen that leaves a doubt counts
 * as work until it has stood still, and is all that an agent shows which has not been seen at work by this process.
 */
async function isWorkedOn(turn: Turn, dispatch: DispatchMark | undefined): Promise<boolean> {
  const { clock, signal } = turn;
  for (;;) {
    const status = await readStatus(turn);
    if (status === "waiting_user_answer") return true;
    if (status !== "processing") return dispatch !== undefined && isAnswered(turn, dispatch);
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}

function isAnswered({ role, settings, workdir }: Turn, dispatch: DispatchMark): boolean {
  const place = { workdir, role, maxBytes: settings.maxResponseBytes, dispatch };
  return lookAtResponse(place).kind === "present" && readResponse(place).kind === "text";
}

/** Lets a terminal come to rest: two looks a second apart must find it so. After ten seconds the prompt is sent anyway. */
async function settle(turn: Turn): Promise<void> {
  const { clock, log, role, signal, terminalId } = turn;
  const limitMs = clock.now() + SETTLE_LIMIT_MS;
  for (let looksAtRest = 0;;) {
    const status = await readStatus(turn);
    if (status === "error") throw await agentError(turn);
    looksAtRest = isAtRest(status) ? looksAtRest + 1 : 0;
    if (looksAtRest === 2) return;
    if (clock.now() >= limitMs) {
      log(
        `Warning: ${role} in terminal ${terminalId} did not come to rest in ${
          SETTLE_LIMIT_MS / 1000
        } s (last status: ${status}). Sending the prompt all the same.`,
      );
      return;
    }
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}
