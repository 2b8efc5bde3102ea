import type { Clock } from "../../base/ports/clock.ts";
import { present } from "../../base/schema.ts";
import { LAG_MS } from "./combine_status.ts";
import { type HookEvent, readHookEvent } from "./hook_events.ts";
import type { StatusReport } from "./status_source.ts";

export interface HookMail {
  /** What has come in since the last call, the oldest first: a hook's JSON each, with milliseconds since the epoch. */
  take(): readonly { readonly text: string; readonly writtenAt: number }[];
  /** Calls back when the end of a turn has come in: that a prompt was taken is worth no look of its own. */
  onEnd(listener: () => void): Disposable;
}

interface HookWitness {
  /** A prompt was submitted, and none was taken since. */
  readonly awaitsPrompt: boolean;
  readonly turn?: { readonly id: string | undefined; readonly ended: boolean };
  readonly word?:
    & Pick<StatusReport, "sinceMs" | "evidence">
    & (
      | { readonly state: "working" }
      | { readonly state: "at_rest"; readonly outcome?: "error" }
    );
}

const NO_HOOK_YET: HookWitness = { awaitsPrompt: false };

/**
 * Takes in one event of the agent's own session. An end counts for the turn that was taken last, and once: one of an
 * earlier turn, or one that comes in between a prompt's submission and its taking, ends nothing.
 */
function foldHookEvent(witness: HookWitness, event: HookEvent, atMs: number): HookWitness {
  const { turn } = witness;
  const evidence = `hook ${event.name}${event.turnId === undefined ? "" : ` of turn ${event.turnId}`}`;
  switch (event.type) {
    case "taken": {
      if (event.turnId !== undefined && event.turnId === turn?.id) return witness;
      const word = { state: "working", sinceMs: atMs, evidence } as const;
      return { awaitsPrompt: false, turn: { id: event.turnId, ended: false }, word };
    }
    case "ended":
    case "left": {
      const isOfTurn = turn === undefined || turn.id === event.turnId;
      if (witness.awaitsPrompt || !isOfTurn || (turn?.ended && !event.continued)) return witness;
      const ended = { awaitsPrompt: false, turn: { id: event.turnId, ended: true } };
      if (event.type === "left") return ended;
      const outcome = event.failed ? { outcome: "error" } as const : {};
      return { ...ended, word: { state: "at_rest", ...outcome, sinceMs: atMs, evidence } };
    }
  }
}

/**
 * Weighs a hook's word against the CLI's record. The word is news: it counts for as long as the record may lag behind
 * it, and from then on the record does. Without a record it does not count, since nothing would bear it out.
 */
function weighHook(
  record: StatusReport | undefined,
  { word }: HookWitness,
  nowMs: number,
): StatusReport | undefined {
  if (record === undefined || word === undefined || nowMs - word.sinceMs >= LAG_MS) return record;
  const both = `${record.evidence}, ${word.evidence}`;
  if (record.state === "at_rest" && word.state === "at_rest") {
    // A turn may end so soon that the record never says that it worked.
    const sinceMs = Math.max(record.sinceMs, word.sinceMs);
    return { ...record, ...present({ outcome: word.outcome ?? record.outcome }), sinceMs, evidence: both };
  }
  if (record.state === word.state) return { ...record, evidence: both };
  if (record.sinceMs > word.sinceMs) return record;
  return { ...word, newsMs: Math.max(record.newsMs, word.sinceMs) };
}

const MAX_KEPT = 50;

export type HookWord = ReturnType<typeof createHookWord>;

/** What the hooks of an agent's CLI tell beside its record: they come first, the record lasts. */
export function createHookWord({ mail, clock }: { readonly mail: HookMail; readonly clock: Clock }) {
  let witness = NO_HOOK_YET;
  let kept: readonly { readonly event: HookEvent; readonly atMs: number }[] = [];

  function takeIn(sessionId: string | undefined): void {
    const come = mail.take().flatMap(({ text, writtenAt }) => {
      const event = readHookEvent(text);
      return event === undefined ? [] : [{ event, atMs: clock.now() - Math.max(0, Date.now() - writtenAt) }];
    });
    kept = [...kept, ...come].slice(-MAX_KEPT);
    if (sessionId === undefined) return;
    for (const { event, atMs } of kept) {
      if (event.sessionId === sessionId) witness = foldHookEvent(witness, event, atMs);
    }
    kept = [];
  }

  return {
    weigh(record: StatusReport | undefined, sessionId: string | undefined): StatusReport | undefined {
      takeIn(sessionId);
      return weighHook(record, witness, clock.now());
    },
    expectPrompt(sessionId: string | undefined): void {
      takeIn(sessionId);
      kept = [];
      witness = { ...witness, awaitsPrompt: true };
    },
  };
}
