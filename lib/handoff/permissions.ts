import { RuntimeError } from "../errors.ts";
import type { HandoffSettings } from "./settings.ts";
import { errorText } from "../text/error_text.ts";
import { lastLines } from "../text/lines.ts";
import { abortable } from "../ports/abortable.ts";
import { type Turn, turnMessage, useTerminal } from "./turn.ts";

/** What is to be done about a permission prompt that is open. */
export type PromptDecision = "report" | "accept" | "cool_down" | "give_up";

/** How many lines of the screen an audit line shows (seed 003). */
const AUDIT_LINES = 5;

/**
 * Decides about an open permission prompt by the rules of seed 003: only with the switch on, not within the cooldown of
 * the terminal's last accept, and at most `acceptCap` times a turn.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const settings = { autoAcceptPermissions: true, acceptCooldownSeconds: 5, acceptCap: 20 };
 * const seen = { nowMs: 9000, lastAcceptMs: 5000, acceptedPrompts: 1 };
 * assertEquals(decidePrompt(seen, settings), "cool_down");
 * assertEquals(decidePrompt({ ...seen, nowMs: 10_000 }, settings), "accept");
 * ```
 */
export function decidePrompt(
  seen: { readonly nowMs: number; readonly lastAcceptMs: number | undefined; readonly acceptedPrompts: number },
  settings: Pick<HandoffSettings, "autoAcceptPermissions" | "acceptCooldownSeconds" | "acceptCap">,
): PromptDecision {
  if (!settings.autoAcceptPermissions) return "report";
  const cooldownMs = settings.acceptCooldownSeconds * 1000;
  if (seen.lastAcceptMs !== undefined && seen.nowMs - seen.lastAcceptMs < cooldownMs) return "cool_down";
  return seen.acceptedPrompts < settings.acceptCap ? "accept" : "give_up";
}

/**
 * Handles a poll at which the terminal waits for an answer.
 *
 * An accepted prompt is written to the log before the answer is sent, with the screen's tail. If the screen cannot be
 * read, nothing is accepted at this poll: an answer that cannot be audited is not given.
 *
 * @throws {RuntimeError} when the turn's cap is reached, or the answer cannot be sent
 */
export async function handlePrompt(turn: Turn): Promise<void> {
  const { role, terminalId } = turn;
  switch (decidePrompt(promptsSeen(turn), turn.settings)) {
    case "report":
      return reportOnce(
        turn,
        `${role} in terminal ${terminalId} waits for an answer to a permission prompt. Nothing was sent, because AUTO_ACCEPT_PERMISSIONS is off: answer it in the terminal.`,
      );
    case "cool_down":
      return;
    case "give_up":
      throw capError(turn, "accepted");
    case "accept":
      return await acceptPrompt(turn);
  }
}

/** What a turn has accepted up to now. */
export function promptsSeen({ acceptTimes, clock, progress, terminalId }: Turn): Parameters<typeof decidePrompt>[0] {
  return {
    nowMs: clock.now(),
    lastAcceptMs: acceptTimes.get(terminalId),
    acceptedPrompts: progress.acceptedPrompts,
  };
}

/** What the log says of a prompt that is accepted: whose, the how manieth of the turn, and the end of its screen. */
export function auditText({ role, settings, terminalId }: Turn, count: number, tail: readonly string[]): string {
  const line =
    `Auto-accepting the permission prompt of ${role} in terminal ${terminalId} (${count}/${settings.acceptCap}):`;
  return [line, ...tail.slice(-AUDIT_LINES).map((text) => `  | ${text}`)].join("\n");
}

/** The error of a turn that asks too often. */
export function capError(turn: Turn, what: "accepted" | "denied"): RuntimeError {
  const problem = `${turn.settings.acceptCap} permission prompts were ${what}, and no more are allowed in a turn`;
  return new RuntimeError(turnMessage(turn, problem), {
    hint: "Look at what the agent keeps asking for; acceptCap is the limit.",
  });
}

/** Notes that no permission prompt is open any more: the next one is reported anew. */
export function notePromptClosed(turn: Turn): void {
  turn.progress.promptReported = false;
}

async function acceptPrompt(turn: Turn): Promise<void> {
  const { acceptTimes, api, clock, progress, role, terminalId } = turn;
  let tail: readonly string[];
  try {
    tail = lastLines(await abortable(() => api.getLastOutput(terminalId), turn.signal), AUDIT_LINES);
  } catch (error) {
    turn.signal?.throwIfAborted();
    return reportOnce(
      turn,
      `the permission prompt of ${role} in terminal ${terminalId} was not accepted, because its screen cannot be read: ${
        errorText(error)
      }`,
    );
  }
  const count = progress.acceptedPrompts + 1;
  turn.log(auditText(turn, count, tail));
  await useTerminal(turn, "answering a permission prompt", () => api.sendInput(terminalId, "y"));
  progress.acceptedPrompts = count;
  acceptTimes.set(terminalId, clock.now());
}

function reportOnce(turn: Turn, message: string): void {
  if (!turn.progress.promptReported) turn.log(`Warning: ${message}`);
  turn.progress.promptReported = true;
}
