import type { AgentEvent } from "../agent.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import { parseJsonObject, textOf } from "../../base/text/json.ts";
import { addUsage, type Usage } from "../../base/usage.ts";

/** The files in which a CLI writes what a session uses. */
export interface TokenFiles {
  listFiles(): Promise<readonly string[]>;
  /** Makes what reads a file's lines, in their order; it counts no reply twice, also where it reads a line again. */
  readerOf(path: string): (line: string) => readonly AgentEvent[];
}

export class SessionTokens implements Disposable {
  readonly #files = new Map<
    string,
    { readonly tail: LineTail; readonly readLine: (line: string) => readonly AgentEvent[] }
  >();
  #usage: Usage = {};
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(readonly options: TokenFiles) {}

  read(): Promise<Usage> {
    // A file is read on from where the last read stopped: two at once would spoil that.
    const read = this.#lastRead.then(() => this.#readOn());
    this.#lastRead = read.catch(() => {});
    return read;
  }

  async #readOn(): Promise<Usage> {
    for (const path of await this.options.listFiles()) {
      if (!this.#files.has(path)) {
        this.#files.set(path, { tail: new LineTail(path), readLine: this.options.readerOf(path) });
      }
    }
    for (const { tail, readLine } of this.#files.values()) {
      for (;;) {
        // A file that cannot be read any more tells nothing new.
        const { lines } = await tail.read().catch(() => ({ lines: [] }));
        if (lines.length === 0) break;
        for (const event of lines.flatMap(readLine)) {
          if (event.type === "spent") this.#usage = addUsage(this.#usage, { [event.model]: event.tokens });
        }
      }
    }
    return this.#usage;
  }

  [Symbol.dispose](): void {
    for (const { tail } of this.#files.values()) tail[Symbol.dispose]();
  }
}

/** What a session has used since a moment, by the files in which its CLI writes that down. */
export async function usageOfSession(options: TokenFiles, since: string): Promise<Usage> {
  const sinceMs = Date.parse(since);
  const isSince = (line: string) => Date.parse(textOf(parseJsonObject(line)?.["timestamp"]) ?? "") >= sinceMs;
  using tokens = new SessionTokens({
    ...options,
    readerOf(path) {
      const readLine = options.readerOf(path);
      return (line) => {
        // What came before is read as well: later records may count from it.
        const spent = readLine(line);
        return spent.length > 0 && isSince(line) ? spent : [];
      };
    },
  });
  return await tokens.read();
}
