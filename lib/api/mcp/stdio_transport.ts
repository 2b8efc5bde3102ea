import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../base/ports/clock.ts";
import { type FilteredLine, LineFilter } from "../../agents/acp/protocol/line_filter.ts";
import { errorText } from "../../base/text/error_text.ts";
import { jsonLine } from "../../base/text/sanitize.ts";

interface StdioTransportOptions {
  readonly input: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Writes all bytes of a message; rejects when the client is gone. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly clock: Clock;
  /** The longest line that is read. @default {2097152} 2 MiB: a task of 1 MiB with its escapes */
  readonly maxLineBytes?: number;
}

const MAX_LINE_BYTES = 2 * 1024 * 1024;

/** While more than this waits to be written, nothing is read: a client that does not read is not served. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

const LAST_ANSWERS_MS = 1000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #closed = Promise.withResolvers<void>();
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  #isClosed = false;
  #written: Promise<void> = Promise.resolve();
  #unwrittenBytes = 0;
  readonly #open = new Set<string | number>();
  #onAnswered: (() => void) | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  start(): Promise<void> {
    this.#reader = this.#options.input.getReader();
    this.#readAll(this.#reader).catch((error) => this.onerror?.(asError(error))).finally(() => this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if ("id" in message && !("method" in message)) this.#answered(message.id);
    const bytes = new TextEncoder().encode(jsonLine(message));
    this.#unwrittenBytes += bytes.length;
    const write = async () => {
      try {
        if (!this.#isClosed) await this.#options.write(bytes);
      } catch (error) {
        this.onerror?.(asError(error));
        void this.close();
      } finally {
        this.#unwrittenBytes -= bytes.length;
      }
    };
    return this.#written = this.#written.then(write);
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    // A read from standard input that is under way cannot be waited for.
    this.#reader?.cancel().catch(() => {});
    this.onclose?.();
    this.#closed.resolve();
    return Promise.resolve();
  }

  async #readAll(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> {
    const filter = new LineFilter({ maxBytes: this.#options.maxLineBytes ?? MAX_LINE_BYTES });
    for (;;) {
      const { value, done } = await reader.read();
      if (this.#isClosed) return;
      for (const line of value === undefined ? filter.end() : filter.push(value)) this.#take(line);
      if (done) return await this.#answerLast();
      if (this.#unwrittenBytes > MAX_UNWRITTEN_BYTES) await this.#written;
    }
  }

  async #answerLast(): Promise<void> {
    const answered = Promise.withResolvers<void>();
    const given = new AbortController();
    this.#onAnswered = () => this.#open.size === 0 && answered.resolve();
    this.#onAnswered();
    const limit = this.#options.clock.sleep(LAST_ANSWERS_MS, given.signal).catch(() => {});
    await Promise.race([answered.promise, limit]);
    given.abort();
    await this.#written;
  }

  #answered(id: unknown): void {
    this.#open.delete(id as string | number);
    this.#onAnswered?.();
  }

  #take(line: FilteredLine): void {
    if (line.type === "too_long") {
      return this.#refuse(undefined, ErrorCode.InvalidRequest, `the message is too long: ${line.bytes} bytes`);
    }
    if (!line.isUtf8) return this.#refuse(undefined, ErrorCode.ParseError, "the message is not UTF-8");
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      return this.#refuse(undefined, ErrorCode.ParseError, "the message is not JSON");
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) return this.#receive(message.data);
    const problem = Array.isArray(value) ? "messages must come one by one" : "it is not a message of JSON-RPC 2.0";
    this.#refuse(idOf(value), ErrorCode.InvalidRequest, problem);
  }

  #receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) this.#open.add(message.id);
    // A request that is cancelled gets no answer.
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#answered(message.params?.["requestId"]);
    }
    this.onmessage?.(message);
  }

  #refuse(id: string | number | undefined, code: ErrorCode, problem: string): void {
    const error = { code, message: `Cannot read what the client sends: ${problem}` };
    // The id is null where it is not known: so JSON-RPC 2.0 has it, and the library's type does not.
    void this.send({ jsonrpc: "2.0", id: id ?? null, error } as JSONRPCMessage);
  }
}

function idOf(value: unknown): string | number | undefined {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(errorText(error));
}
