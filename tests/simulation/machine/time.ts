import { type Clock, sleepWithTimer } from "../../../lib/base/ports/clock.ts";

/** Whose timers: those of panewright end with its process, those of the world go on. */
export type TimerOwner = "panewright" | "world";

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly owner: TimerOwner;
  /** Whether it only looks again at what the world may have changed meanwhile. */
  readonly isLook: boolean;
  readonly act: () => void;
}

const realImmediate = setImmediate;

/** When a night begins, in milliseconds since the epoch. */
export const EVENING_MS = Date.UTC(2026, 10, 20, 22);

/** Sleeps up to this length are those of code that looks again and again. */
const LOOK_MS = 2000;

/** How many looks in a row that nothing else interrupts keep their time; later ones are put off, for longer and longer. */
const EXACT_LOOKS = 24;

/** The longest that a look is put off. */
const MAX_PUT_OFF_MS = 8000;

/** Real turns of the event loop until nothing is left to do: an import of a module that is there takes more than one. */
const QUIET_TURNS = 2;

/**
 * Time that passes only when nothing else can happen. Looks in a row, at a world in which nothing happens, are put off,
 * as on a machine that is busy: never beyond the next thing that happens.
 */
export class NightTime {
  #nowMs = 0;
  #order = 0;
  #looksInARow = 0;
  #timers: Timer[] = [];
  readonly #cancelled = new Set<number>();
  /** How much the clock on the wall is ahead, after jumps. */
  wallOffsetMs = 0;

  now(): number {
    return this.#nowMs;
  }

  wall(): number {
    return EVENING_MS + this.#nowMs + this.wallOffsetMs;
  }

  /** @returns what {@linkcode cancel} takes */
  after(ms: number, act: () => void, { owner = "world" }: { readonly owner?: TimerOwner } = {}): number {
    const order = ++this.#order;
    const waits = Math.max(0, Number.isFinite(ms) ? ms : 0);
    const timer = { dueMs: this.#nowMs + waits, order, owner, isLook: owner === "panewright" && ms <= LOOK_MS, act };
    let index = this.#timers.length;
    while (index > 0 && this.#timers[index - 1]!.dueMs > timer.dueMs) index--;
    this.#timers.splice(index, 0, timer);
    return order;
  }

  cancel(order: number): void {
    this.#cancelled.add(order);
  }

  /** Ends the timers of panewright, as its end does. */
  dropTimers(): void {
    this.#timers = this.#timers.filter(({ owner }) => owner === "world");
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await new Promise<void>((resolve) => void realImmediate(resolve));
  }

  /** Lets time pass until `isOver`. Returns false where nothing is left to wait for. */
  async run(isOver: () => boolean, { untilMs = Infinity }: { readonly untilMs?: number } = {}): Promise<boolean> {
    for (;;) {
      await this.settle();
      if (isOver()) return true;
      if (!this.#advance(untilMs)) return false;
    }
  }

  #advance(untilMs: number): boolean {
    while (this.#timers[0] !== undefined && this.#cancelled.delete(this.#timers[0].order)) this.#timers.shift();
    const [first] = this.#timers;
    if (first === undefined || first.dueMs > untilMs) return false;
    const next = this.#timers.find((timer) => !timer.isLook && !this.#cancelled.has(timer.order));
    let toMs = first.dueMs;
    if (first.isLook) {
      const beyond = ++this.#looksInARow - EXACT_LOOKS;
      const putOffMs = beyond <= 0 ? 0 : Math.min(MAX_PUT_OFF_MS, 50 * 2 ** Math.min(beyond, 10));
      toMs = Math.max(toMs, Math.min(next?.dueMs ?? toMs + putOffMs, this.#nowMs + putOffMs));
    } else {
      this.#looksInARow = 0;
    }
    this.#nowMs = Math.max(this.#nowMs, Math.min(toMs, untilMs));
    // One at a time: what follows from it happens before the next.
    const timer = this.#timers.shift();
    if (timer !== undefined && !this.#cancelled.delete(timer.order)) timer.act();
    return true;
  }

  /** A clock of one process of panewright. */
  clock(): Clock {
    return { now: () => this.#nowMs, sleep: (ms, signal) => sleepWithTimer(ms, signal) };
  }
}
