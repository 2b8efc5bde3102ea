import type { AnyMessage, JsonRpcId } from "@agentclientprotocol/sdk";
import { isObject } from "../../../base/schema.ts";
import { errorOf, INTERNAL_ERROR, INVALID_REQUEST, isId, METHOD_NOT_FOUND, PARSE_ERROR, readHead } from "./json_rpc.ts";
import { type FilteredLine, LineFilter } from "./line_filter.ts";
import { nestsDeeper } from "./nesting.ts";
import { Outbox, type OutboxOptions } from "./outbox.ts";
import type { TroubleCounter } from "./troubles.ts";

/** What a {@linkcode Wire} is connected to. */
interface WireOptions extends OutboxOptions {
  readonly maxLineBytes: number;
  readonly troubles: TroubleCounter;
  /** The methods that the agent may call. */
  readonly methods: readonly string[];
  /** A notification other than those that are dealt with here; `line` is the whole message. */
  notification(method: string, params: unknown, line: { readonly text: string; readonly isUtf8: boolean }): void;
  /** The beginning of a message that was dropped, and that nobody waits for. */
  dropped?(head: string): void;
}

/** What has to be waited for before the next line is dealt with. */
type Taking = Promise<void> | void;

/** A request of ours. */
interface Call {
  readonly written: PromiseWithResolvers<void>;
  /** What the caller waits for. */
  result: Promise<unknown> | undefined;
}

/** How many requests of the agent may wait at a time. */
const MAX_WAITING_REQUESTS = 64;

/** How deep a message may nest. */
const MAX_DEPTH = 200;

/** What is kept of text that is not a message. */
const MAX_TEXT_LINES = 5;

/**
 * The stream between the protocol's library and the agent: lets through what the library can deal with, one message at
 * a time, so that everything takes effect in the order in which it was sent. The library alone would let a reply
 * overtake the updates before it, print to the console what it does not know, and end at a line that is too long.
 */
export class Wire {
  readonly #filter: LineFilter;
  readonly #queue: FilteredLine[] = [];
  #isClosed = false;
  #isWorking = false;
  #working: Promise<void> | undefined;
  #toLibrary: ReadableStreamDefaultController<AnyMessage> | undefined;
  /** By their parameters, until the library has given them an id. */
  readonly #unsent = new Map<unknown, Call>();
  readonly #calls = new Map<JsonRpcId, Call>();
  #lastCallId = -1;
  /** The agent's requests, each with what tells that the library has taken it up. */
  readonly #requests = new Map<JsonRpcId, PromiseWithResolvers<void>>();
  readonly #outbox: Outbox;
  #hasMessage = false;
  /** The first lines that were not messages. */
  readonly textLines: string[] = [];

  readonly stream: { readonly readable: ReadableStream<AnyMessage>; readonly writable: WritableStream<AnyMessage> };

  constructor(readonly options: WireOptions) {
    this.#filter = new LineFilter({ maxBytes: options.maxLineBytes });
    this.#outbox = new Outbox(options);
    this.stream = {
      readable: new ReadableStream({ start: (controller) => void (this.#toLibrary = controller) }),
      writable: new WritableStream({ write: (message) => this.#send(message) }),
    };
  }

  /** Takes a piece of the agent's output. */
  receive(bytes: Uint8Array): void {
    this.#enqueue(this.#filter.push(bytes));
  }

  /** The agent's output has ended. Resolves when all of it was dealt with. */
  async end(): Promise<void> {
    this.#enqueue(this.#filter.end());
    await this.#working;
  }

  /**
   * Makes a request through the library, whose promise is resolved before anything that the agent has sent after its
   * reply is dealt with.
   *
   * @param params as the library will send them, the same object
   */
  call<Result>(params: object, request: () => Promise<Result>): { written: Promise<void>; result: Promise<Result> } {
    const call: Call = { written: Promise.withResolvers(), result: undefined };
    call.written.promise.catch(() => {});
    this.#unsent.set(params, call);
    const result = request();
    call.result = result;
    return { written: call.written.promise, result };
  }

  /** The library has taken up a request of the agent. */
  taken(id: JsonRpcId | undefined): void {
    if (id !== undefined) this.#requests.get(id)?.resolve();
  }

  /** Resolves when the agent has taken all that was sent, or takes nothing any more. */
  async written(): Promise<void> {
    await this.#outbox.written();
  }

  /** Nothing is dealt with and written any more. */
  close(error: unknown): void {
    this.#isClosed = true;
    for (const call of [...this.#unsent.values(), ...this.#calls.values()]) call.written.reject(error);
    for (const taken of this.#requests.values()) taken.resolve();
  }

  #enqueue(lines: readonly FilteredLine[]): void {
    if (this.#isClosed) return;
    this.#queue.push(...lines);
    if (!this.#isWorking) this.#working = this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      for (let line = this.#queue.shift(); line !== undefined && !this.#isClosed; line = this.#queue.shift()) {
        const taking = line.type === "line" ? this.#takeLine(line) : this.#takeTooLong(line);
        if (taking) await taking;
      }
    } catch (error) {
      // What comes after something that nobody could deal with is in the wrong order.
      this.#isClosed = true;
      this.options.failed(error);
    } finally {
      this.#isWorking = false;
    }
  }

  #takeTooLong({ head, bytes }: { readonly head: string; readonly bytes: number }): Taking {
    const { troubles, wire } = this.options;
    wire?.("received", head);
    troubles.add("too_long", `${bytes} bytes: ${head}`);
    return this.#answerDropped(head, `a message of ${bytes} bytes is too long`);
  }

  /** Nobody is to wait for a message that was dropped, as far as its beginning tells. */
  #answerDropped(head: string, message: string): Taking {
    const about = readHead(head);
    if (about === undefined) return this.options.dropped?.(head);
    if (about.isRequest) return this.#refuse(about.id, { code: INVALID_REQUEST, message });
    return this.#takeReply(about.id, { error: { code: INTERNAL_ERROR, message } });
  }

  #takeLine({ text, isUtf8 }: Extract<FilteredLine, { type: "line" }>): Taking {
    const { troubles, wire } = this.options;
    wire?.("received", text);
    if (nestsDeeper(text, MAX_DEPTH)) {
      troubles.add("too_deep", text);
      return this.#answerDropped(text, "a message nests too deep");
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      if (this.textLines.length < MAX_TEXT_LINES) this.textLines.push(text.slice(0, 500));
      return troubles.add(this.#hasMessage ? "garbage" : "preamble", text);
    }
    if (!isUtf8) troubles.add("not_utf8", text);
    if (Array.isArray(message)) this.#dropBatch(message);
    if (!isObject(message)) return troubles.add("not_a_message", text);
    const { id, method, params } = message;
    if (typeof method === "string" && id === undefined) {
      this.#hasMessage = true;
      return this.#takeNotification({ method, params, text, isUtf8 });
    }
    if (!isId(id) || typeof method !== "string" && !("result" in message) && !("error" in message)) {
      return troubles.add("not_a_message", text);
    }
    this.#hasMessage = true;
    return typeof method === "string"
      ? this.#takeRequest({ id, method, params, isUtf8 })
      : this.#takeReply(id, message);
  }

  #takeNotification(
    { method, params, ...line }: { method: string; params: unknown; text: string; isUtf8: boolean },
  ): void {
    if (method !== "$/cancel_request") return this.options.notification(method, params, line);
    this.#toLibrary?.enqueue({ jsonrpc: "2.0", method, params });
  }

  /** The protocol has no batches: nobody is to wait for what one asks, and what it tells counts as far as it must. */
  #dropBatch(messages: readonly unknown[]): void {
    for (const message of messages.filter(isObject)) {
      const { id, method } = message;
      if (typeof method !== "string") continue;
      if (isId(id)) this.#refuse(id, { code: INVALID_REQUEST, message: "the protocol has no batches" });
      else this.options.dropped?.(JSON.stringify(message));
    }
  }

  #takeRequest(
    request: { readonly id: JsonRpcId; readonly method: string; readonly params: unknown; readonly isUtf8: boolean },
  ): Taking {
    const { methods, troubles } = this.options;
    const { id, method, params, isUtf8 } = request;
    if (!methods.includes(method)) {
      troubles.add("refused_request", method);
      return this.#refuse(id, { code: METHOD_NOT_FOUND, message: "this client does not offer that" });
    }
    // What is decided about must be what was sent, to the last byte.
    if (!isUtf8) return this.#refuse(id, { code: PARSE_ERROR, message: "the request is not UTF-8" });
    if (this.#requests.has(id)) return troubles.add("reused_id", String(id));
    if (this.#requests.size >= MAX_WAITING_REQUESTS) {
      troubles.add("too_many_requests", method);
      return this.#refuse(id, { code: INVALID_REQUEST, message: "too many requests wait" });
    }
    const taken = Promise.withResolvers<void>();
    this.#requests.set(id, taken);
    this.#toLibrary?.enqueue({ jsonrpc: "2.0", id, method, params });
    return taken.promise;
  }

  #takeReply(id: JsonRpcId, reply: Readonly<Record<string, unknown>>): Taking {
    const { troubles } = this.options;
    const call = this.#calls.get(id);
    const error = errorOf(reply);
    if (call === undefined) {
      const wasCalled = typeof id === "number" && Number.isInteger(id) && id >= 0 && id <= this.#lastCallId;
      const kind = wasCalled ? "second_reply" : id === null && error ? "refused_message" : "stray_reply";
      return troubles.add(kind, error ? error.message : String(id));
    }
    this.#calls.delete(id);
    this.#toLibrary?.enqueue({ jsonrpc: "2.0", id, ...error ? { error } : { result: reply["result"] } } as AnyMessage);
    return call.result?.then(() => {}, () => {});
  }

  #refuse(id: JsonRpcId, error: { readonly code: number; readonly message: string }): void {
    void this.#outbox.write(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  /**
   * Sends a message of the library, which does not wait for the agent to take it: an agent that does not read would
   * keep the library from dealing with what it sends.
   */
  #send(message: AnyMessage): void {
    const { id, method, params } = message as { id?: JsonRpcId; method?: string; params?: unknown };
    const call = this.#unsent.get(params);
    if (id !== undefined && method === undefined) {
      this.#requests.get(id)?.resolve();
      this.#requests.delete(id);
    } else if (id !== undefined && call !== undefined) {
      this.#unsent.delete(params);
      this.#calls.set(id, call);
      this.#lastCallId = Number(id);
    }
    this.#outbox.write(JSON.stringify(message)).then((isWritten) => {
      if (isWritten) call?.written.resolve();
    });
  }
}
