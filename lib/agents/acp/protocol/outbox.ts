/** What an {@linkcode Outbox} is connected to. */
export interface OutboxOptions {
  /** Sends bytes to the agent; throws when it takes none any more. */
  write(bytes: Uint8Array): Promise<void>;
  /** The agent cannot be talked to any more; `problem` can follow its name. */
  broken(problem: string): void;
  /** What one of the other functions has thrown. */
  failed(error: unknown): void;
  /** Told of each line. */
  wire?(direction: "sent" | "received", line: string): void;
}

/** How much may wait to be taken by an agent that does not read. */
const MAX_UNWRITTEN_BYTES = 64 * 1024 * 1024;

/** Sends lines to an agent, whether or not it reads. */
export class Outbox {
  #unwrittenBytes = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(readonly options: OutboxOptions) {}

  /** Resolves when the agent has taken all that was sent, or takes nothing any more. */
  async written(): Promise<void> {
    await this.#lastWrite;
  }

  /** @returns whether the agent has taken it; never rejects */
  write(line: string): Promise<boolean> {
    return this.#lastWrite = this.#writeNow(line);
  }

  async #writeNow(line: string): Promise<boolean> {
    const { broken, failed, write, wire } = this.options;
    try {
      wire?.("sent", line);
    } catch (error) {
      failed(error);
      return false;
    }
    const bytes = new TextEncoder().encode(`${line}\n`);
    this.#unwrittenBytes += bytes.length;
    if (this.#unwrittenBytes > MAX_UNWRITTEN_BYTES) {
      broken("does not read what is sent to it");
      return false;
    }
    try {
      await write(bytes);
      this.#unwrittenBytes -= bytes.length;
      return true;
    } catch {
      broken("has closed its standard input");
      return false;
    }
  }
}
