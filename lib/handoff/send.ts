import { HumanInterventionRequiredError } from "../errors.ts";
import { isAtRest } from "../screen/status.ts";
import { handleDialog, noteDialogClosed } from "./dialogs.ts";
import { agentError } from "./failure.ts";
import { archiveStaleResponse } from "./response_files.ts";
import { type DispatchMark, lookAtResponse, markDispatch, readResponse, takeUpDispatch } from "./response_reading.ts";
import type { BegunTurn, Message, MessageKind } from "./settings.ts";
import { readStatus, type Turn, useTerminal } from "./turn.ts";

const SETTLE_INTERVAL_MS = 1000;
const SETTLE_LIMIT_MS = 10_000;

/** What each message is called in an error. */
const PURPOSES: Readonly<Record<MessageKind, string>> = {
  prompt: "sending the prompt",
  reminder: "sending the reminder",
  refusal: "telling the agent of the refusal",
  continuation: "telling the agent to continue",
};

/**
 * Sends the turn's prompt, with nothing left at the role's response path that could be taken for the answer.
 *
 * @returns when it was dispatched
 * @throws like {@linkcode sendMessage}
 */
export async function sendPrompt(turn: Turn, text: string): Promise<DispatchMark> {
  const { archiveDir, log, options, role, workdir } = turn;
  if (options.settleBeforeSend) await settle(turn);
  const stale = archiveStaleResponse(workdir, role, archiveDir);
  if (stale !== undefined) log(`Warning: a response file of an earlier turn of ${role} was moved to ${stale}.`);
  const dispatch = markDispatch(workdir);
  await sendMessage(turn, { what: options.messageKind ?? "prompt", text, dispatch });
  return dispatch;
}

/** Sends what an earlier process did not get to send. An answer that is there already needs no prompt any more. */
export async function resumeSending(turn: Turn, text: string, begun: BegunTurn): Promise<DispatchMark> {
  const { message } = begun;
  const dispatch = begun.dispatch && takeUpDispatch(turn.workdir, begun.dispatch);
  if (message !== undefined && message.step !== "sent") await finishSending(turn, message, dispatch);
  const mayWait = dispatch !== undefined && (message !== undefined || isAnswered(turn, dispatch));
  return mayWait ? dispatch : await sendPrompt(turn, text);
}

/**
 * Gives the terminal a message. A dialog in the way, from work in the background say, is dealt with first; then the
 * message is sent once more. What of it stands in the composer already is not pasted again.
 *
 * @throws {RuntimeError} when it cannot be sent
 * @throws {HumanInterventionRequiredError} when a person has to make way for it
 */
export async function sendMessage(
  turn: Turn,
  { what, text, dispatch, mayBePasted = false }: Pick<Message, "what" | "text"> & {
    readonly dispatch?: DispatchMark;
    readonly mayBePasted?: boolean;
  },
): Promise<void> {
  const { call, options, settings, terminal } = turn;
  const onStep = (step: Message["step"]) => options.onMessage?.({ what, text, step }, dispatch);
  for (let attempt = 0;; attempt++) {
    try {
      await useTerminal(turn, PURPOSES[what], () => terminal.submit(text, { ...call, onStep, mayBePasted }));
      return await onStep("sent");
    } catch (error) {
      if (!(error instanceof HumanInterventionRequiredError) || options.dialogs === undefined) throw error;
      if (attempt > settings.acceptCap || !await clearDialogs(turn)) throw error;
    }
  }
}

/** Deals with the dialog that is open, and tells the agent when it was refused something. */
export async function answerDialog(turn: Turn): Promise<void> {
  const refusal = await handleDialog(turn);
  if (refusal !== undefined) await sendMessage(turn, refusal);
}

/** Deals with dialogs until none is open. False if none was. */
async function clearDialogs(turn: Turn): Promise<boolean> {
  const { clock, settings, signal } = turn;
  for (let found = false;; found = true) {
    const status = await readStatus(turn);
    if (status !== "waiting_user_answer") {
      noteDialogClosed(turn);
      return found;
    }
    await answerDialog(turn);
    await clock.sleep(Math.ceil(settings.pollSeconds * 1000), signal);
  }
}

/**
 * Sends a message that an earlier process was about to send.
 *
 * Only Enter takes a text out of a composer. If it was about to be pressed and the composer holds no text, it was
 * pressed. Before that step only a person can have pressed it, and then the agent is at work or has answered.
 */
async function finishSending(
  turn: Turn,
  { what, text, step }: Message,
  dispatch: DispatchMark | undefined,
): Promise<void> {
  const { call, options, terminal } = turn;
  const isDraft = await useTerminal(turn, "looking at the composer", () => terminal.holdsText(text, call));
  const wasSent = !isDraft && (step === "enter" || await isWorkedOn(turn, dispatch));
  if (wasSent) await options.onMessage?.({ what, text, step: "sent" });
  else await sendMessage(turn, { what, text, mayBePasted: true });
}

/**
 * Whether the agent has a message that we did not send. It has to come to rest first: to a process that has not seen
 * the agent at work, a doubtful screen counts as work until it has stood still.
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

/**
 * Lets a terminal come to rest: two looks a second apart must find it so. After ten seconds the prompt is sent anyway.
 */
async function settle(turn: Turn): Promise<void> {
  const { clock, log, role, signal, terminal } = turn;
  const limitMs = clock.now() + SETTLE_LIMIT_MS;
  for (let looksAtRest = 0;;) {
    const status = await readStatus(turn);
    if (status === "error") throw await agentError(turn);
    looksAtRest = isAtRest(status) ? looksAtRest + 1 : 0;
    if (looksAtRest === 2) return;
    if (clock.now() >= limitMs) {
      return log(
        `Warning: ${role} in terminal ${terminal.id} did not come to rest in ${SETTLE_LIMIT_MS / 1000} s ` +
          `(last status: ${status}). Sending the prompt anyway.`,
      );
    }
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}
