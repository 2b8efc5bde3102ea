import type { FoundAsk } from "./find_asks.ts";

/**
 * Where an ask is seen. The same ask appears in several of these sources, at most once in each:
 *
 * - `call`: the agent's tool call, before it is run
 * - `execution`: the session log's record of the command that was run, which comes after its end
 * - `stream`: the CLI's own report that a command begins
 * - `command`: what `panewright ask` recorded itself
 */
export type AskSource = "call" | "execution" | "stream" | "command";

/** A command that asks, as a log reports it. */
export interface AskingCall {
  readonly source: Exclude<AskSource, "command">;
  /** The call's id within its source. */
  readonly id: string;
  readonly asks: readonly FoundAsk[];
}

/** How a command that was called earlier ended, or what it has printed so far. */
export interface AskingCallEnd {
  readonly source: Exclude<AskSource, "command">;
  readonly id: string;
  /** `undefined` while it still runs. */
  readonly exitCode: number | undefined;
  readonly output: string;
}

/** What `panewright ask` prints while it waits: in a command's output, it proves that the ask was reached. */
export const WAITING_LINE = "panewright: waiting for a person's answer";

/** A shell's exit codes for a program that cannot be started, such as a launcher that is not on its PATH. */
const NOT_STARTED_CODES = new Set([126, 127]);

interface PendingAsk extends FoundAsk {
  readonly source: AskSource;
  readonly id: string;
}

/**
 * Merges what several sources report of the agent's asks, so that each ask counts once.
 *
 * An ask that is exact and certain counts at once. One whose text only the shell knows, or that depends on commands
 * before it, waits: for the command's own record, or for the end of the command that it is a part of.
 */
export class AskLedger {
  readonly #seen = new Map<AskSource, Map<string, number>>();
  readonly #counted = new Map<string, number>();
  readonly #questions: string[] = [];
  #pending: PendingAsk[] = [];

  /** The asks that count so far, in order. */
  get questions(): readonly string[] {
    return this.#questions;
  }

  /** Whether an ask that is certain waits only for its exact text. */
  get awaitsText(): boolean {
    return this.#pending.some(({ isCertain }) => isCertain);
  }

  /** A log reported a command. */
  called(call: AskingCall): void {
    for (const ask of call.asks) {
      if (ask.isCertain && ask.isExact) this.#count(call.source, ask.question);
      else this.#pending.push({ ...ask, source: call.source, id: call.id });
    }
  }

  /** A log reported how a command ended, or what it has printed so far. */
  ended(end: AskingCallEnd): void {
    const own = this.#pending.filter(({ source, id }) => source === end.source && id === end.id);
    if (own.length === 0) return;
    const waits = end.output.includes(WAITING_LINE);
    if (end.exitCode === undefined && !waits) return;
    this.#pending = this.#pending.filter((ask) => !own.includes(ask));
    // An ask waits until it is stopped: if the whole command succeeded, the ask was not reached.
    const reached = waits || NOT_STARTED_CODES.has(end.exitCode ?? 0);
    for (const ask of own) if (ask.isCertain || reached) this.#count(ask.source, ask.question);
  }

  /** `panewright ask` itself recorded a question: this is its exact text. */
  recorded(question: string): void {
    const same = this.#pending.find((ask) => ask.question === question) ??
      this.#pending.find(({ isExact }) => !isExact);
    this.#pending = this.#pending.filter((ask) => ask !== same);
    this.#count("command", question);
  }

  /** No better text will come: certain asks count with the text as written. */
  settle(): void {
    for (const { isCertain, source, question } of this.#pending) if (isCertain) this.#count(source, question);
    this.#pending = this.#pending.filter(({ isCertain }) => !isCertain);
  }

  /** The n-th report of a question in one source is the same ask as the n-th in any other. */
  #count(source: AskSource, question: string): void {
    const counts = this.#seen.get(source) ?? new Map<string, number>();
    this.#seen.set(source, counts);
    const times = (counts.get(question) ?? 0) + 1;
    counts.set(question, times);
    if (times <= (this.#counted.get(question) ?? 0)) return;
    this.#counted.set(question, times);
    this.#questions.push(question);
  }
}
