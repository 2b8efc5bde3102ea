import { systemClock } from "../../lib/base/ports/clock.ts";

/** One fact about a model server. `t` is the time in milliseconds since the epoch, `n` the request's number. */
export type ModelLogEntry =
  & { readonly t: number }
  & (
    | { readonly event: "request"; readonly n: number; readonly path: string; readonly kind: "main" | "side" | "other" }
    | {
      readonly event: "busy";
      readonly n: number;
      readonly scenario: string;
      readonly thread: string;
      readonly prompt: string;
    }
    | { readonly event: "step"; readonly n: number; readonly thread: string; readonly step: string }
    /** The script asked for something that the server cannot do; the reply breaks off. */
    | { readonly event: "script_error"; readonly n: number; readonly message: string }
    | {
      readonly event: "idle";
      readonly n: number;
      readonly thread: string;
      readonly how: ReplyEnd;
      /** Whether the model has nothing more to do for this prompt. */
      readonly endsTurn: boolean;
    }
  );

/** How a reply ended: sent in full, an HTTP error, broken by the script, or given up because the client went away. */
export type ReplyEnd = "sent" | "refused" | "broken" | "client_gone";

/** The ground truth for "the model is busy", whatever a client shows. */
export interface ModelLog {
  readonly entries: readonly ModelLogEntry[];
  /** Whether a reply is on its way, in one conversation or in any. */
  isBusy(thread?: string): boolean;
  /**
   * Resolves with the first entry, also an earlier one from index `from` on, that fits.
   *
   * @throws {Error} when none came within `timeoutMs`
   */
  waitFor(
    fits: (entry: ModelLogEntry) => boolean,
    options: { readonly timeoutMs: number; readonly from?: number },
  ): Promise<ModelLogEntry>;
}

type WithoutTime<Entry> = Entry extends unknown ? Omit<Entry, "t"> : never;

/** A log in memory that servers write to; with a path also a file of JSON lines. */
export class ModelLogWriter implements ModelLog, Disposable {
  readonly entries: ModelLogEntry[] = [];
  readonly #open = new Map<number, string>();
  readonly #file: Deno.FsFile | undefined;

  constructor(path?: string) {
    this.#file = path === undefined ? undefined : Deno.openSync(path, { create: true, append: true });
  }

  add(fact: WithoutTime<ModelLogEntry>): void {
    const entry: ModelLogEntry = { t: Date.now(), ...fact };
    this.entries.push(entry);
    if (entry.event === "busy") this.#open.set(entry.n, entry.thread);
    if (entry.event === "idle") this.#open.delete(entry.n);
    this.#file?.writeSync(new TextEncoder().encode(JSON.stringify(entry) + "\n"));
  }

  isBusy(thread?: string): boolean {
    return thread === undefined ? this.#open.size > 0 : [...this.#open.values()].includes(thread);
  }

  async waitFor(
    fits: (entry: ModelLogEntry) => boolean,
    options: { readonly timeoutMs: number; readonly from?: number },
  ): Promise<ModelLogEntry> {
    const deadline = systemClock.now() + options.timeoutMs;
    for (let index = options.from ?? 0;; index++) {
      while (index >= this.entries.length) {
        if (systemClock.now() > deadline) {
          const tail = this.entries.slice(-5).map((entry) => JSON.stringify(entry)).join("\n");
          throw new Error(
            `The model server logged nothing that fits within ${options.timeoutMs} ms. Last entries:\n${tail}`,
          );
        }
        await systemClock.sleep(10);
      }
      const entry = this.entries[index];
      if (entry !== undefined && fits(entry)) return entry;
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}
