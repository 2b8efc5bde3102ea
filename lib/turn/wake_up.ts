import type { Clock } from "../base/ports/clock.ts";
import type { WakeHint, WakeSource } from "../agents/pane/wake_source.ts";

/**
 * When to look after a sign of something new: almost at once, since a CLI draws in steps, and then closely for a while,
 * since screen, file and record change 40 to 140 ms apart (Codex 0.169.0, Claude Code 2.1.328). A look at a pane that
 * has not changed costs next to nothing.
 */
const LOOKS_AFTER_MS = [15, 30, 45, 60, 80, 100, 120, 140, 160, 200, 300, 400, 1000] as const;

/** How many early looks a turn may take in a row. A mere pause gets one only while more than `LOOKS_KEPT` are left. */
const MAX_LOOKS = 80;
const LOOKS_KEPT = 40;

/** How soon a look that was taken may be taken again: an agent can cause one early look a second at most. */
const LOOK_BACK_MS = 1000;

/** Listens to the sources until disposal. Early looks are limited, so that no agent can cause a storm of them. */
export function openWakeUp(options: {
  readonly sources: readonly WakeSource[];
  readonly clock: Clock;
}) {
  const { clock, sources } = options;
  const budget = new LookBudget(clock);
  let planned: readonly number[] = [];
  let notice: (() => void) | undefined;
  const take = (hint: WakeHint) => {
    if (hint === "maybe" && budget.left() <= LOOKS_KEPT) return;
    planned = planLooks(planned, { nowMs: clock.now(), hint });
    notice?.();
  };
  const listening = sources.map((source) => source.onHint(take));
  return {
    async wait(untilMs: number, signal?: AbortSignal): Promise<void> {
      for (;;) {
        signal?.throwIfAborted();
        const nowMs = clock.now();
        const [first = Infinity] = planned;
        const earlyMs = first === Infinity ? Infinity : Math.max(first, budget.nextMs());
        if (nowMs >= Math.min(untilMs, earlyMs)) {
          if (earlyMs <= nowMs && nowMs < untilMs) budget.take();
          planned = planned.filter((atMs) => atMs > nowMs);
          return;
        }
        const noticed = new AbortController();
        const onNotice = () => noticed.abort();
        notice = onNotice;
        // A signal that depends on others (`AbortSignal.any`) would live until the next full garbage collection.
        signal?.addEventListener("abort", onNotice, { once: true });
        await clock.sleep(Math.ceil(Math.min(untilMs, earlyMs) - nowMs), noticed.signal).catch(() => {});
        signal?.removeEventListener("abort", onNotice);
        notice = undefined;
      }
    },
    [Symbol.dispose](): void {
      for (const one of listening) one[Symbol.dispose]();
    },
  };
}

/**
 * The looks that are planned after a hint. The next one keeps its time: hints that keep coming must not postpone it.
 */
function planLooks(
  planned: readonly number[],
  { nowMs, hint }: { readonly nowMs: number; readonly hint: WakeHint },
): readonly number[] {
  if (hint === "maybe") return [nowMs, ...planned.filter((atMs) => atMs > nowMs)];
  const [soon, ...later] = LOOKS_AFTER_MS.map((afterMs) => nowMs + afterMs);
  // The response's file may be seen a moment later.
  if (hint === "at_once") return [nowMs, soon ?? nowMs, ...later];
  return [Math.min(planned[0] ?? Infinity, soon ?? nowMs), ...later];
}

class LookBudget {
  #left: number = MAX_LOOKS;
  #countedMs: number;

  constructor(readonly clock: Clock) {
    this.#countedMs = clock.now();
  }

  left(): number {
    const back = Math.floor((this.clock.now() - this.#countedMs) / LOOK_BACK_MS);
    if (back > 0) {
      this.#left = Math.min(MAX_LOOKS, this.#left + back);
      this.#countedMs += back * LOOK_BACK_MS;
    }
    return this.#left;
  }

  nextMs(): number {
    return this.left() > 0 ? -Infinity : this.#countedMs + LOOK_BACK_MS;
  }

  take(): void {
    this.#left = Math.max(0, this.left() - 1);
  }
}
