import type { Clock } from "../base/ports/clock.ts";
import { unescapeOutput } from "./control_parser.ts";
import { OscScanner } from "./osc_scanner.ts";

/** Something that happened in a pane. These are hints: events may be missed, and `gap` says that some were. */
export type PaneEvent =
  /** The program wrote something, and then nothing for a moment. */
  | { readonly type: "quiet" }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "osc"; readonly text: string }
  | { readonly type: "died" }
  | { readonly type: "gap" };

export interface PaneEvents {
  /**
   * A number that grows whenever what the pane shows may have changed; `undefined` where that is unknown, so that only
   * a look at the pane tells.
   */
  changeOf(paneId: string): number | undefined;
  watch(paneId: string, listener: (event: PaneEvent) => void): Disposable;
}

/** How long a program must write nothing to count as quiet (CAO's figure). */
const QUIET_MS = 200;

const QUIET_STEP_MS = 50;

const SCRATCH_BYTES = 64 * 1024;

interface PaneState {
  readonly scanner: OscScanner;
  change: number;
  lastOutputMs: number;
  dead: boolean;
}

export class PaneEventHub implements PaneEvents, Disposable {
  readonly #clock: Clock;
  readonly #panes = new Map<string, PaneState>();
  readonly #listeners = new Map<string, Set<(event: PaneEvent) => void>>();
  readonly #noisy = new Map<string, PaneState>();
  /** Where output is unescaped: nothing of it is kept. */
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);
  readonly #stop = new AbortController();
  #changes = 0;
  #commonChange = 0;
  #isConnected = false;
  #isTicking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  changeOf(paneId: string): number | undefined {
    const pane = this.#panes.get(paneId);
    return pane && this.#isConnected ? Math.max(pane.change, this.#commonChange) : undefined;
  }

  watch(paneId: string, listener: (event: PaneEvent) => void): Disposable {
    const listeners = this.#listeners.get(paneId) ?? new Set();
    this.#listeners.set(paneId, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(paneId) === listeners) this.#listeners.delete(paneId);
      },
    };
  }

  noteOutput(paneId: string, escaped: Uint8Array): void {
    const pane = this.#paneFor(paneId);
    pane.change = ++this.#changes;
    pane.lastOutputMs = this.#clock.now();
    if (!this.#listeners.has(paneId)) return;
    for (const text of pane.scanner.push(unescapeOutput(escaped, this.#scratch))) {
      const isTitle = text.startsWith("0;") || text.startsWith("2;");
      this.#tell(paneId, isTitle ? { type: "title", title: text.slice(2) } : { type: "osc", text });
    }
    this.#noisy.set(paneId, pane);
    if (!this.#isTicking) this.#waitForQuiet().catch(() => {});
  }

  /** Told whether a pane's program has ended. From the first call on, the pane is known. */
  noteDead(paneId: string, dead: boolean): void {
    const pane = this.#paneFor(paneId);
    pane.change = ++this.#changes;
    if (dead && !pane.dead) this.#tell(paneId, { type: "died" });
    pane.dead = dead;
  }

  noteGap(paneId: string): void {
    this.#paneFor(paneId).change = ++this.#changes;
    this.#tell(paneId, { type: "gap" });
  }

  /** Told of something that may have changed any pane, such as another layout. */
  noteCommonChange(): void {
    this.#commonChange = ++this.#changes;
  }

  /** Told whether events come in. What was known before no longer counts. */
  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#panes.clear();
    this.#noisy.clear();
    this.noteCommonChange();
    for (const paneId of this.#listeners.keys()) this.#tell(paneId, { type: "gap" });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#noisy.clear();
    this.#listeners.clear();
  }

  #paneFor(paneId: string): PaneState {
    const known = this.#panes.get(paneId);
    if (known) return known;
    const pane = { scanner: new OscScanner(), change: 0, lastOutputMs: -Infinity, dead: false };
    this.#panes.set(paneId, pane);
    return pane;
  }

  #tell(paneId: string, event: PaneEvent): void {
    for (const listener of this.#listeners.get(paneId) ?? []) listener(event);
  }

  async #waitForQuiet(): Promise<void> {
    this.#isTicking = true;
    try {
      while (this.#noisy.size > 0) {
        await this.#clock.sleep(QUIET_STEP_MS, this.#stop.signal);
        const limit = this.#clock.now() - QUIET_MS;
        for (const [paneId, { lastOutputMs }] of this.#noisy) {
          if (lastOutputMs > limit) continue;
          this.#noisy.delete(paneId);
          this.#tell(paneId, { type: "quiet" });
        }
      }
    } finally {
      this.#isTicking = false;
    }
  }
}
