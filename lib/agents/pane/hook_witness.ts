import type { Clock } from "../../base/ports/clock.ts";
import { LAG_MS } from "./combine_status.ts";
import { type HookEvent, readHookEvent } from "./hook_events.ts";
import type { StatusReport, StatusSource } from "./status_source.ts";

/** What the hooks of an agent's CLI have left for its run. */
export interface HookMail {
  /** What has come in since the last call, the oldest first: a hook's JSON each, with milliseconds since the epoch. */
  take(): readonly { readonly text: string; readonly writtenAt: number }[];
  /** Calls back when the end of a turn has come in: that a prompt was taken is worth no look of its own. */
  onEnd(listener: () => void): Disposable;
}

/** What the hooks of one session have told so far. Plain data. */
interface HookWitness {
  /** A prompt was submitted, and none was taken since. */
  readonly awaitsPrompt: boolean;
  /** The turn that was taken last. */
  readonly turn?: { readonly id: string | undefined; readonly ended: boolean };
  /** What follows from it. */
  readonly word?: Pick<StatusReport, "sinceMs" | "evidence"> & { readonly state: "working" | "at_rest" };
}

/** Nothing was told. */
const NO_HOOK_YET: HookWitness = { awaitsPrompt: false };

/**
 * Takes in one event of the agent's own session. An end counts for the turn that was taken last, and once: one of an
 * earlier turn, or one that comes in between a prompt's submission and its taking, ends nothing.
 *
 * @param atMs when it happened, in milliseconds of the terminal's clock
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
      return event.type === "left" ? ended : { ...ended, word: { state: "at_rest", sinceMs: atMs, evidence } };
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
  if (record.state === word.state) return { ...record, evidence: `${record.evidence}, ${word.evidence}` };
  if (record.sinceMs > word.sinceMs) return record;
  return { ...word, newsMs: Math.max(record.newsMs, word.sinceMs) };
}

/** Options of {@linkcode withHookEvents}. */
interface HookEventsOptions {
  readonly mail: HookMail;
  readonly clock: Clock;
}

/** More events are not kept while the record does not name its session. */
const MAX_KEPT = 50;

/**
 * The record that an agent's CLI keeps, together with what its hooks tell: the hooks come first, the record lasts. Only
 * events of the session that the record names count.
 */
export function withHookEvents(record: StatusSource, { mail, clock }: HookEventsOptions): StatusSource {
  let witness = NO_HOOK_YET;
  let kept: readonly { readonly event: HookEvent; readonly atMs: number }[] = [];

  function takeIn(): void {
    const come = mail.take().flatMap(({ text, writtenAt }) => {
      const event = readHookEvent(text);
      return event === undefined ? [] : [{ event, atMs: clock.now() - Math.max(0, Date.now() - writtenAt) }];
    });
    kept = [...kept, ...come].slice(-MAX_KEPT);
    const { sessionId } = record;
    if (sessionId === undefined) return;
    for (const { event, atMs } of kept) {
      if (event.sessionId === sessionId) witness = foldHookEvent(witness, event, atMs);
    }
    kept = [];
  }
  return {
    name: record.name,
    get sessionId() {
      return record.sessionId;
    },
    async read() {
      const report = await record.read();
      takeIn();
      return weighHook(report, witness, clock.now());
    },
    expectPrompt(text) {
      takeIn();
      kept = [];
      witness = { ...witness, awaitsPrompt: true };
      record.expectPrompt(text);
    },
    doubt: () => record.doubt(),
    lastAnswer: () => record.lastAnswer(),
    lastFailure: async () => await record.lastFailure?.(),
    pendingRequests: async () => await record.pendingRequests?.() ?? [],
    ...(record.usage === undefined ? {} : { usage: record.usage.bind(record) }),
    questionAnswers: async (callId) => await record.questionAnswers?.(callId),
    takeWork: async () => await record.takeWork?.() ?? [],
    ...(record.sandboxReport === undefined ? {} : { sandboxReport: record.sandboxReport.bind(record) }),
    [Symbol.dispose]: () => record[Symbol.dispose](),
  };
}
