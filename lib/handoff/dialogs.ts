import { HumanInterventionRequiredError } from "../errors.ts";
import { isAtRest } from "../screen/status.ts";
import type { DialogDesk, OpenDialog } from "./dialog_desk.ts";
import { refusalPrompt } from "./instruction.ts";
import { auditText, capError, decidePrompt, promptsSeen } from "./permissions.ts";
import type { DispatchMark } from "./response_reading.ts";
import type { Message, MessageKind } from "./settings.ts";
import { readStatus, type Turn, useTerminal } from "./turn.ts";

/** How long an agent may take to end its turn after a no. */
const REST_LIMIT_MS = 5000;
const REST_INTERVAL_MS = 250;

/**
 * Handles a poll at which the terminal waits for an answer, with a desk that knows its dialogs. Cooldown and cap hold for
 * what the desk accepts by itself, as seed 003 has them; what it declines is counted up to the same cap.
 *
 * @throws {RuntimeError} when a cap of the turn is reached, or the answer cannot be given
 * @throws {HumanInterventionRequiredError} when only a person can go on
 */
export async function handleDialog(turn: Turn, desk: DialogDesk): Promise<void> {
  const open = await useTerminal(turn, "looking at a permission prompt", () => desk.inspect());
  if (open?.decision !== "wait") endWaiting(turn);
  switch (open?.decision) {
    case undefined:
      return;
    case "wait":
      turn.progress.waitingSinceMs ??= turn.clock.now();
      return;
    case "accept":
      return await accept(turn, open);
    case "decline":
      return await decline(turn, open);
  }
}

/** What each message is called where it cannot be sent. */
const PURPOSES: Readonly<Record<MessageKind, string>> = {
  prompt: "sending the prompt",
  reminder: "sending the reminder",
  refusal: "telling the agent of the refusal",
  continuation: "telling the agent to go on",
};

/**
 * Gives the terminal a message. Where a dialog is in the way, of work in the background say, that is dealt with first, and
 * the prompt is given once more; what of it stands in the composer already is not pasted again.
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
  const { api, options, settings, terminalId } = turn;
  const tell = (step: Message["step"]) => options.onMessage?.({ what, text, step }, dispatch);
  for (let attempt = 0;; attempt++) {
    try {
      await useTerminal(turn, PURPOSES[what], () => api.sendInput(terminalId, text, { onStep: tell, mayBePasted }));
      return await tell("sent");
    } catch (error) {
      const { dialogs } = options;
      if (!(error instanceof HumanInterventionRequiredError) || dialogs === undefined) throw error;
      if (attempt > settings.acceptCap || !await clearDialogs(turn, dialogs)) throw error;
    }
  }
}

/** Deals with dialogs until none is open. False where none was. */
async function clearDialogs(turn: Turn, desk: DialogDesk): Promise<boolean> {
  const { clock, settings, signal } = turn;
  for (let found = false;; found = true) {
    const status = await readStatus(turn);
    if (status !== "waiting_user_answer") {
      noteDialogClosed(turn);
      return found;
    }
    await handleDialog(turn, desk);
    await clock.sleep(Math.ceil(settings.pollSeconds * 1000), signal);
  }
}

/** Notes that no dialog is open any more. */
export function noteDialogClosed(turn: Turn): void {
  endWaiting(turn);
  turn.options.dialogs?.noteClosed();
}

/** How long a turn has stood at dialogs that a person has to answer, in milliseconds. */
export function waitedForPersonMs({ clock, progress }: Turn): number {
  return progress.waitedMs + (progress.waitingSinceMs === undefined ? 0 : clock.now() - progress.waitingSinceMs);
}

type AnsweredDialog = Exclude<OpenDialog, { readonly decision: "wait" }>;

async function accept(turn: Turn, open: AnsweredDialog): Promise<void> {
  const { acceptTimes, clock, progress, settings, terminalId } = turn;
  if (open.by === "person") return void await answer(turn, open);
  switch (decidePrompt(promptsSeen(turn), settings)) {
    case "report":
    case "cool_down":
      return;
    case "give_up":
      throw capError(turn, "accepted");
    case "accept": {
      const count = progress.acceptedPrompts + 1;
      turn.log(auditText(turn, count, open.tail));
      if (!await answer(turn, open)) return;
      progress.acceptedPrompts = count;
      acceptTimes.set(terminalId, clock.now());
    }
  }
}

async function decline(turn: Turn, open: AnsweredDialog): Promise<void> {
  const { progress, role, settings, terminalId, workdir } = turn;
  if (open.by === "policy" && progress.declinedPrompts >= settings.acceptCap) throw capError(turn, "denied");
  turn.log(`Refusing the permission prompt of ${role} in terminal ${terminalId}: ${open.request}. ${open.reason}`);
  if (!await answer(turn, open)) return;
  if (open.by === "policy") progress.declinedPrompts++;
  if (!await comesToRest(turn)) return;
  const prompt = refusalPrompt(workdir, role, { request: open.request, reason: open.reason });
  await sendMessage(turn, { what: "refusal", text: prompt });
}

/** Whether a refusal has ended what the agent did. One that was asked for in the background leaves it at work. */
async function comesToRest(turn: Turn): Promise<boolean> {
  const { clock, signal } = turn;
  for (const untilMs = clock.now() + REST_LIMIT_MS;;) {
    const status = await readStatus(turn);
    if (isAtRest(status)) return true;
    if (status === "waiting_user_answer" || clock.now() >= untilMs) return false;
    await clock.sleep(REST_INTERVAL_MS, signal);
  }
}

function answer(turn: Turn, open: AnsweredDialog): Promise<boolean> {
  return useTerminal(turn, "answering a permission prompt", () => open.answer());
}

function endWaiting({ clock, progress }: Turn): void {
  if (progress.waitingSinceMs === undefined) return;
  progress.waitedMs += clock.now() - progress.waitingSinceMs;
  progress.waitingSinceMs = undefined;
}
