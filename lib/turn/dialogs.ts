import { RuntimeError } from "../base/errors.ts";
import { abortable } from "../base/ports/abortable.ts";
import { isAtRest } from "../base/status.ts";
import { errorText } from "../base/text/error_text.ts";
import { lastLines } from "../base/text/lines.ts";
import type { OpenDialog, TurnLimits } from "./dialog_desk.ts";
import { refusalPrompt } from "./instruction.ts";
import type { Message } from "./events.ts";
import { readStatus, useTerminal } from "./look.ts";
import { type Turn, turnMessage, warn, whoseTurn } from "./turn.ts";
import { beginWaiting, endWaiting } from "./turn_time.ts";

/** How many lines of the screen the log shows of a dialog that is accepted (seed 003). */
const TAIL_LINES = 5;

/** How long an agent may take to end its turn after a no. */
const REST_LIMIT_MS = 5000;
const REST_INTERVAL_MS = 250;

/** Waits until the answers that the turn's desk is giving are given and on record: see `DialogDesk`. */
export async function settleAnswers({ dialogs, signal }: Turn): Promise<void> {
  await abortable(async () => await dialogs?.settled?.(), signal);
}

/**
 * Handles a poll that finds the terminal waiting for an answer: with the turn's desk, which knows what is asked, or
 * else with the text `y`. Cooldown and cap apply to what is accepted without a person; refusals are counted up to the
 * same cap.
 */
export async function handleDialog(turn: Turn): Promise<Pick<Message, "what" | "text"> | undefined> {
  const { dialogs } = turn;
  if (dialogs === undefined) return void await accept(turn, answerByText(turn));
  const open = await useTerminal(turn, "looking at a dialog", () => dialogs.inspect());
  if (open?.decision !== "wait") endWaiting(turn);
  switch (open?.decision) {
    case undefined:
      return undefined;
    case "wait":
      beginWaiting(turn);
      return undefined;
    case "reply":
      await answer(turn, () => open.answer());
      return undefined;
    case "accept":
      if (open.by !== "policy") await answer(turn, () => open.answer());
      else await accept(turn, { tail: () => Promise.resolve(open.tail), answer: () => open.answer() });
      return undefined;
    case "decline":
      return await decline(turn, open);
  }
}

/**
 * What a turn allows its desk to answer without a dialog: the cap is that of the dialogs. There is no cooldown: it is
 * there because a screen may still show a dialog that was answered, and an agent would stand still for it.
 */
export function limitsOf(turn: Turn): TurnLimits {
  const { progress, settings } = turn;
  const tell = (message: string) => void turn.emit({ type: "notice", severity: "audit", message });
  return {
    take({ decision, request, reason }) {
      if (decision === "decline") {
        if (progress.declinedDialogs >= settings.acceptCap) return false;
        progress.declinedDialogs++;
        tell(`Refusing the request of ${whoseTurn(turn)}: ${request}. ${reason}`);
        return true;
      }
      if (!settings.autoAcceptPermissions || progress.acceptedDialogs >= settings.acceptCap) return false;
      const count = ++progress.acceptedDialogs;
      tell(`Auto-accepting the request of ${whoseTurn(turn)} (${count}/${settings.acceptCap}): ${request}`);
      return true;
    },
  };
}

/** Notes that no dialog is open: the next one is reported anew, and nobody is waited for. */
export function noteDialogClosed(turn: Turn): void {
  turn.progress.dialogReported = false;
  endWaiting(turn);
  turn.dialogs?.noteClosed();
}

/** The agent that showed a dialog is gone, or has failed. */
export function noteDialogLost(turn: Turn): void {
  turn.progress.dialogReported = false;
  endWaiting(turn);
  turn.dialogs?.leaveOpen?.();
}

interface Acceptance {
  /** The end of the screen; `undefined` where it cannot be read. */
  tail(): Promise<readonly string[] | undefined>;
  answer(): Promise<boolean>;
}

/** The seeds' way: the text `y`. What cannot be logged, because the screen cannot be read, is not accepted. */
function answerByText(turn: Turn): Acceptance {
  const { call, signal, terminal } = turn;
  return {
    async tail() {
      try {
        return lastLines(await abortable(() => terminal.lastOutput(call), signal), TAIL_LINES);
      } catch (error) {
        signal?.throwIfAborted();
        const problem = `because its screen cannot be read: ${errorText(error)}`;
        await reportOnce(turn, `the dialog of ${whoseTurn(turn)} was not accepted, ${problem}`);
        return undefined;
      }
    },
    async answer() {
      await terminal.submit("y", call);
      return true;
    },
  };
}

/**
 * Accepts a dialog within the limits of seed 003: only with the switch on, not within the cooldown after the terminal's
 * last accept, and at most `acceptCap` times a turn. The log tells of it first.
 */
async function accept(turn: Turn, { tail, answer: give }: Acceptance): Promise<void> {
  const { acceptTimes, clock, progress, settings, terminal } = turn;
  if (!settings.autoAcceptPermissions) {
    return await reportOnce(
      turn,
      `${whoseTurn(turn)} waits for an answer to a permission dialog. Nothing was sent, because ` +
        "AUTO_ACCEPT_PERMISSIONS is off: answer it in the terminal.",
    );
  }
  const sinceLastMs = clock.now() - (acceptTimes.get(terminal.id) ?? -Infinity);
  if (sinceLastMs < settings.acceptCooldownSeconds * 1000) return;
  if (progress.acceptedDialogs >= settings.acceptCap) throw capError(turn, "accepted");
  const lines = await tail();
  if (lines === undefined) return;
  const count = progress.acceptedDialogs + 1;
  const line = `Auto-accepting the permission dialog of ${whoseTurn(turn)} (${count}/${settings.acceptCap}):`;
  const message = [line, ...lines.slice(-TAIL_LINES).map((text) => `  | ${text}`)].join("\n");
  await turn.emit({ type: "notice", severity: "audit", message });
  if (!await answer(turn, give)) return;
  progress.acceptedDialogs = count;
  acceptTimes.set(terminal.id, clock.now());
}

async function decline(
  turn: Turn,
  open: Extract<OpenDialog, { readonly by: string }>,
): Promise<Pick<Message, "what" | "text"> | undefined> {
  const { expectsResponse, progress, role, settings, workdir } = turn;
  if (open.by === "policy" && progress.declinedDialogs >= settings.acceptCap) throw capError(turn, "denied");
  const message = `Refusing the permission dialog of ${whoseTurn(turn)}: ${open.request}. ${open.reason}`;
  await turn.emit({ type: "notice", severity: "audit", message });
  if (!await answer(turn, () => open.answer())) return undefined;
  if (open.by === "policy") progress.declinedDialogs++;
  if (open.tellsWhy) return undefined;
  const refusal = { request: open.request, reason: open.reason };
  const isOver = await comesToRest(turn);
  // One that ends its turn later because of it hears of it with the reminder.
  progress.untoldRefusal = isOver ? undefined : refusal;
  if (!isOver) return undefined;
  const text = refusalPrompt(workdir, role, { ...refusal, expectsResponse });
  return { what: "refusal", text };
}

async function comesToRest(turn: Turn): Promise<boolean> {
  const { clock, signal } = turn;
  for (const untilMs = clock.now() + REST_LIMIT_MS;;) {
    const status = await readStatus(turn);
    if (isAtRest(status)) return true;
    if (status === "waiting_user_answer" || clock.now() >= untilMs) return false;
    await clock.sleep(REST_INTERVAL_MS, signal);
  }
}

function answer(turn: Turn, give: () => Promise<boolean>): Promise<boolean> {
  return useTerminal(turn, "answering a dialog", give);
}

function capError(turn: Turn, what: "accepted" | "denied"): RuntimeError {
  const problem = `${turn.settings.acceptCap} dialogs were ${what}, and no more are allowed in a turn`;
  return new RuntimeError(turnMessage(turn, problem), {
    hint: "Look at what the agent keeps asking for; acceptCap is the limit.",
  });
}

async function reportOnce(turn: Turn, message: string): Promise<void> {
  if (!turn.progress.dialogReported) await warn(turn, message);
  turn.progress.dialogReported = true;
}
