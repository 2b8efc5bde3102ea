import { AgentAtWorkError, DraftInTheWayError, type TimeoutError } from "../base/errors.ts";
import type { Held, Message } from "./events.ts";
import { readStatus, useTerminal, waitUntil } from "./look.ts";
import { timeoutError, type Turn, turnMessage } from "./turn.ts";
import { beginWaiting, endWaiting, leftUntil } from "./turn_time.ts";

/**
 * Holds a message back while it cannot be sent. An agent at work, which is the normal reason to wait, is waited for
 * until the time of the turn is up; a person's drafts in all for as long as a dialog, in time that is not the turn's.
 */
export function createHold(turn: Turn, { what, deadlineMs, isPasted, holdsOurs }: {
  readonly what: Message["what"];
  readonly deadlineMs: number;
  readonly isPasted: () => boolean;
  readonly holdsOurs: () => Promise<boolean>;
}) {
  const { call, clock, draftTimeoutSeconds, settings, terminal } = turn;
  const leftMs = () => leftUntil(turn, deadlineMs);
  let held: { readonly obstacle: Held["obstacle"]; readonly sinceMs: number } | undefined;
  /** How long a draft was in the way before: work in between does not begin its time anew. */
  let earlierDraftMs = 0;

  function draftLeftMs(): number {
    const nowMs = held?.obstacle === "draft" ? clock.now() - held.sinceMs : 0;
    return draftTimeoutSeconds * 1000 - earlierDraftMs - nowMs;
  }

  async function hold(obstacle: Held["obstacle"]): Promise<void> {
    if (held?.obstacle === obstacle) return;
    if (held?.obstacle === "draft") earlierDraftMs += clock.now() - held.sinceMs;
    held = { obstacle, sinceMs: clock.now() };
    if (obstacle === "draft") beginWaiting(turn);
    else endWaiting(turn);
    const timeoutSeconds = (obstacle === "draft" ? draftLeftMs() : leftMs()) / 1000;
    await turn.emit({ type: "held", held: { what, obstacle, timeoutSeconds } });
  }

  function hasDraft(): Promise<boolean> {
    return useTerminal(turn, "looking at the composer", () => terminal.hasDraft(call));
  }

  /** What is in the way now; after the time of the turn a draft counts more than work. */
  async function look(): Promise<Held["obstacle"] | "clear" | "taken"> {
    const isAtWork = await readStatus(turn) === "processing";
    if (isAtWork && isPasted() && !await hasDraft()) return "taken";
    if (isAtWork && leftMs() > 0) return "at_work";
    if (await hasDraft() && !await holdsOurs()) return "draft";
    return isAtWork ? "at_work" : "clear";
  }

  return {
    /** Waits until the agent is not at work any more, and nobody's words stand in its composer. */
    async wait(error: AgentAtWorkError | DraftInTheWayError): Promise<"clear" | "taken"> {
      for (let obstacle: Held["obstacle"] = error instanceof AgentAtWorkError ? "at_work" : "draft";;) {
        await hold(obstacle);
        const obstacleLeftMs = obstacle === "draft" ? draftLeftMs() : leftMs();
        if (leftMs() <= 0 || obstacleLeftMs <= 0) {
          throw obstacle === "draft" ? draftError(turn, what, draftTimeoutSeconds) : workError(turn, what);
        }
        await waitUntil(turn, clock.now() + Math.min(settings.pollSeconds * 1000, obstacleLeftMs));
        const seen = await look();
        if (seen === "clear" || seen === "taken") return seen;
        obstacle = seen;
      }
    },
    /** It waits no longer, which is told. */
    async [Symbol.asyncDispose](): Promise<void> {
      if (held === undefined) return;
      endWaiting(turn);
      await turn.emit({ type: "released" });
    },
  };
}

function workError(turn: Turn, what: Message["what"]): TimeoutError {
  return timeoutError(turn, {
    before: "the agent was at work on something else until ",
    after: `, and was not sent the ${what}`,
  });
}

function draftError(turn: Turn, what: Message["what"], timeoutSeconds: number): DraftInTheWayError {
  const problem = `a person's draft is in the agent's composer, and the ${what} was not sent; ` +
    `it was waited for at most ${timeoutSeconds} s`;
  return new DraftInTheWayError(turnMessage(turn, problem), {
    hint: "Submit or delete the draft in the agent's pane, which stays open, then resume the run. " +
      "permissions.dialog_timeout_seconds sets the limit.",
  });
}
