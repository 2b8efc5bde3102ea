import type { MessageKind } from "../base/terms.ts";
import {
  AgentAtWorkError,
  DraftInTheWayError,
  HumanInterventionRequiredError,
  PasteLostError,
} from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { restated } from "./compaction.ts";
import { handleDialog, noteDialogClosed } from "./dialogs.ts";
import { replaceAgent } from "./failure.ts";
import { createHold } from "./hold.ts";
import type { Message } from "./events.ts";
import { readStatus, useTerminal } from "./look.ts";
import { type DispatchMark, hasResponse, takeUpDispatch } from "./response_reading.ts";
import { SETTLE_INTERVAL_MS } from "./settle.ts";
import { type BegunTurn, timeoutError, type Turn } from "./turn.ts";
import { deadlineFromNow, leftUntil } from "./turn_time.ts";

const PURPOSES: Readonly<Record<MessageKind, string>> = {
  prompt: "sending the prompt",
  reminder: "sending the reminder",
  refusal: "telling the agent of the refusal",
  continuation: "telling the agent to continue",
};

export async function resumeSending(turn: Turn, begun: BegunTurn): Promise<DispatchMark | undefined> {
  const { message } = begun;
  const dispatch = begun.dispatch && takeUpDispatch(turn.workdir, begun.dispatch);
  // Nothing is sent any more when the time is up, but what is there is taken.
  const isOver = leftUntil(turn, deadlineFromNow(turn)) <= 0;
  if (isOver && dispatch !== undefined && isAnswered(turn, dispatch)) return dispatch;
  if (message !== undefined && message.step !== "sent") await finishSending(turn, message, dispatch);
  return dispatch !== undefined && (message !== undefined || isAnswered(turn, dispatch)) ? dispatch : undefined;
}

interface Sending extends Pick<Message, "what" | "text"> {
  readonly dispatch?: DispatchMark;
  /** Whether the text may stand in the composer already. */
  readonly mayBePasted?: boolean;
  readonly deadlineMs?: number;
  /** Asked after a wait, as long as nothing was pasted: a message that is not needed any more is not sent. */
  readonly isNeeded?: () => boolean;
}

/**
 * Gives the terminal a message. What is in the way is dealt with first, then the message is sent once more: a dialog,
 * from work in the background say, is answered; work of the agent, and a person's draft, are waited for. What of the
 * message stands in the composer already is not pasted again.
 */
export async function sendMessage(turn: Turn, message: Sending): Promise<void> {
  const { what, dispatch, mayBePasted = false, deadlineMs = deadlineFromNow(turn), isNeeded } = message;
  const { call, settings, terminal } = turn;
  if (leftUntil(turn, deadlineMs) <= 0) throw timeoutError(turn);
  // What an earlier process was about to send stays as it was.
  const text = what === "prompt" || mayBePasted ? message.text : await restated(turn, message.text);
  let step: Message["step"] | undefined;
  const onStep = (now: Message["step"]) =>
    turn.emit({ type: "message", message: { what, text, step: step = now }, ...present({ dispatch }) });
  const isPasted = () => step !== undefined;
  const holdsOurs = async () =>
    (mayBePasted || isPasted()) &&
    await useTerminal(turn, "looking at the composer", () => terminal.holdsText(text, call));
  await using hold = createHold(turn, { what, deadlineMs, isPasted, holdsOurs });
  for (let dialogs = 0;;) {
    try {
      const submission = { ...call, onStep, mayBePasted: mayBePasted || isPasted() };
      await useTerminal(turn, PURPOSES[what], () => terminal.submit(text, submission));
      return await onStep("sent");
    } catch (error) {
      if (error instanceof AgentAtWorkError || error instanceof DraftInTheWayError) {
        // After Enter nobody knows what was submitted, and nothing may be typed again.
        if (step === "enter") throw error;
        if (await hold.wait(error) === "taken") return await onStep("sent");
        if (!isPasted() && isNeeded?.() === false) return;
      } else {
        // What is pasted once more might be there twice: a program that has lost it is started anew instead.
        if (error instanceof Error && error.cause instanceof PasteLostError) await replaceAgent(turn, LOST);
        if (!(error instanceof HumanInterventionRequiredError) || turn.dialogs === undefined) throw error;
        if (++dialogs > settings.acceptCap + 1 || !await clearDialogs(turn, { deadlineMs })) throw error;
      }
    }
    // Whoever pressed Enter for us: the agent has answered.
    if (step === "paste" && dispatch !== undefined && isAnswered(turn, dispatch) && !await holdsOurs()) {
      return await onStep("sent");
    }
  }
}

const LOST = { text: "it has lost what was pasted into its composer", evidence: "its screen" };

/** Until when what has to be told to an agent may wait. */
type Until = Required<Pick<Sending, "deadlineMs">>;

export async function answerDialog(turn: Turn, { deadlineMs }: Until): Promise<void> {
  const refusal = await handleDialog(turn);
  if (refusal !== undefined) await sendMessage(turn, { ...refusal, deadlineMs });
}

async function clearDialogs(turn: Turn, until: Until): Promise<boolean> {
  const { clock, settings, signal } = turn;
  for (let found = false;; found = true) {
    const status = await readStatus(turn);
    if (status !== "waiting_user_answer") {
      noteDialogClosed(turn);
      return found;
    }
    await answerDialog(turn, until);
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
  const { call, terminal } = turn;
  const isDraft = await useTerminal(turn, "looking at the composer", () => terminal.holdsText(text, call));
  const wasSent = !isDraft && (step === "enter" || await isWorkedOn(turn, dispatch));
  if (wasSent) await turn.emit({ type: "message", message: { what, text, step: "sent" } });
  else await sendMessage(turn, { what, text, mayBePasted: true });
}

/**
 * Whether the agent has a message that we did not send. It has to come to rest first: to a process that has not seen
 * the agent at work, a doubtful screen counts as work until it has stood still.
 */
async function isWorkedOn(turn: Turn, dispatch: DispatchMark | undefined): Promise<boolean> {
  const { clock, signal } = turn;
  for (const deadlineMs = deadlineFromNow(turn);;) {
    const status = await readStatus(turn);
    if (status === "waiting_user_answer") return true;
    if (status !== "processing") return dispatch !== undefined && isAnswered(turn, dispatch);
    if (leftUntil(turn, deadlineMs) <= 0) throw timeoutError(turn);
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}

export function isAnswered({ role, settings, workdir }: Turn, dispatch: DispatchMark): boolean {
  return hasResponse({ workdir, role, maxBytes: settings.maxResponseBytes, dispatch });
}
