import type { JsonRpcId } from "@agentclientprotocol/sdk";
import { abortable } from "../../../base/ports/abortable.ts";
import { isObject } from "../../../base/schema.ts";
import { isId, readHead, readReply, RPC_CODES, type RpcError, type RpcReply } from "./json_rpc.ts";
import { type FilteredLine, LineFilter } from "./line_filter.ts";
import { nestsDeeper } from "./nesting.ts";
import type { TroubleCounter } from "./troubles.ts";

interface WireOptions {
  readonly maxLineBytes: number;
  readonly troubles: TroubleCounter;
  /** The methods that the agent may call. */
  readonly methods: readonly string[];
  /** Answers a request; the signal is aborted when the agent takes it back. Never rejects. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<RpcReply>;
  notification(method: string, params: unknown, line: { readonly text: string; readonly isUtf8: boolean }): void;
  /** The beginning of a message that was dropped, and that nobody waits for. */
  dropped(head: string): void;
  write(bytes: Uint8Array): Promise<void>;
  /** The agent cannot be talked to any more; `problem` can follow its name. */
  broken(problem: string): void;
  failed(error: unknown): void;
  readonly wire: ((direction: "sent" | "received", line: string) => void) | undefined;
}

type Taking = Promise<void> | void;

interface Call {
  readonly method: string;
  readonly params: object;
  readonly written: PromiseWithResolvers<void>;
  readonly reply: PromiseWithResolvers<RpcReply>;
  readonly result: Promise<unknown>;
}

/** How many requests of the agent may wait at a time. */
const MAX_WAITING_REQUESTS = 64;

/** How much may wait to be taken by an agent that does not read. */
const MAX_UNWRITTEN_BYTES = 64 * 1024 * 1024;

/** How deep a message may nest. */
const MAX_DEPTH = 200;

const MAX_TEXT_LINES = 5;

/**
 * JSON-RPC with an agent, a message a line, one message at a time, so that everything takes effect in the order in which
 * it was sent: what an agent has sent after a reply is dealt with when its receiver has had that.
 */
export class Wire {
  readonly #filter: LineFilter;
  readonly #queue: FilteredLine[] = [];
  #isClosed = false;
  #isWorking = false;
  #working: Promise<void> | undefined;
  readonly #calls = new Map<JsonRpcId, Call>();
  #lastCallId = -1;
  readonly #requests = new Map<JsonRpcId, AbortController>();
  #unwrittenBytes = 0;
  #hasMessage = false;
  readonly textLines: string[] = [];

  constructor(readonly options: WireOptions) {
    this.#filter = new LineFilter({ maxBytes: options.maxLineBytes });
  }

  receive(bytes: Uint8Array): void {
    this.#enqueue(this.#filter.push(bytes));
  }

  async end(): Promise<void> {
    this.#enqueue(this.#filter.end());
    await this.#working;
  }

  /**
   * Makes a request. Nobody needs to handle a rejection of `written`.
   *
   * @param options `read` makes the result of the reply, or throws; `signal` ends the waiting only
   */
  call<Result>(
    method: string,
    params: object,
    { read, signal }: { readonly read: (reply: RpcReply) => Result; readonly signal: AbortSignal | undefined },
  ): { readonly written: Promise<void>; readonly result: Promise<Result> } {
    const id = ++this.#lastCallId;
    const reply = Promise.withResolvers<RpcReply>();
    const written = Promise.withResolvers<void>();
    written.promise.catch(() => {});
    const result = abortable(async () => read(await reply.promise), signal);
    this.#calls.set(id, { method, params, written, reply, result });
    this.#send({ id, method, params }).then((isWritten) => {
      if (isWritten) written.resolve();
    });
    return { written: written.promise, result };
  }

  waitingFor(method: string): readonly object[] {
    return [...this.#calls.values()].filter((call) => call.method === method).map(({ params }) => params);
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#send({ method, params });
  }

  close(error: unknown): void {
    this.#isClosed = true;
    for (const { reply, written } of this.#calls.values()) {
      written.reject(error);
      reply.reject(error);
    }
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
    if (about === undefined) return this.options.dropped(head);
    if (about.isRequest) return this.#refuse(about.id, { code: RPC_CODES.invalidRequest, message });
    return this.#takeReply(about.id, { error: { code: RPC_CODES.internalError, message } });
  }

  #takeLine({ text, isUtf8 }: Extract<FilteredLine, { type: "line" }>): Taking {
    const { notification, troubles, wire } = this.options;
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
    const isMethod = typeof method === "string";
    const isMessage = isMethod && id === undefined ||
      isId(id) && (isMethod || "result" in message || "error" in message);
    if (!isMessage) return troubles.add("not_a_message", text);
    this.#hasMessage = true;
    if (!isId(id)) {
      return method === "$/cancel_request"
        ? this.#takeBack(params)
        : notification(String(method), params, { text, isUtf8 });
    }
    return isMethod ? this.#takeRequest({ id, method, params, isUtf8 }) : this.#takeReply(id, readReply(message));
  }

  #takeBack(params: unknown): void {
    const { requestId } = isObject(params) ? params : {};
    if (isId(requestId)) this.#requests.get(requestId)?.abort();
  }

  /** The protocol has no batches: nobody is to wait for what one asks, and what it tells counts as far as it must. */
  #dropBatch(messages: readonly unknown[]): void {
    for (const message of messages.filter(isObject)) {
      const { id, method } = message;
      if (typeof method !== "string") continue;
      if (isId(id)) this.#refuse(id, { code: RPC_CODES.invalidRequest, message: "the protocol has no batches" });
      else this.options.dropped(JSON.stringify(message));
    }
  }

  #takeRequest(
    { id, method, params, isUtf8 }: {
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: unknown;
      readonly isUtf8: boolean;
    },
  ): void {
    const { methods, request, troubles } = this.options;
    if (!methods.includes(method)) {
      troubles.add("refused_request", method);
      return this.#refuse(id, { code: RPC_CODES.methodNotFound, message: "this client does not offer that" });
    }
    // What is decided about must be what was sent, to the last byte.
    if (!isUtf8) return this.#refuse(id, { code: RPC_CODES.parseError, message: "the request is not UTF-8" });
    if (this.#requests.has(id)) return troubles.add("reused_id", String(id));
    if (this.#requests.size >= MAX_WAITING_REQUESTS) {
      troubles.add("too_many_requests", method);
      return this.#refuse(id, { code: RPC_CODES.invalidRequest, message: "too many requests wait" });
    }
    const takenBack = new AbortController();
    this.#requests.set(id, takenBack);
    request(method, params, takenBack.signal).then((reply) => {
      this.#requests.delete(id);
      if (!this.#isClosed) this.#send({ id, ...reply });
    });
  }

  #takeReply(id: JsonRpcId, reply: RpcReply): Taking {
    const { troubles } = this.options;
    const call = this.#calls.get(id);
    if (call === undefined) {
      const isError = "error" in reply;
      const wasCalled = typeof id === "number" && Number.isInteger(id) && id >= 0 && id <= this.#lastCallId;
      const kind = wasCalled ? "second_reply" : id === null && isError ? "refused_message" : "stray_reply";
      return troubles.add(kind, isError ? reply.error.message : String(id));
    }
    this.#calls.delete(id);
    call.reply.resolve(reply);
    return call.result.then(() => {}, () => {});
  }

  #refuse(id: JsonRpcId, error: RpcError): void {
    this.#send({ id, error });
  }

  /** Resolves to whether the agent has taken it, and never rejects. */
  async #send(message: object): Promise<boolean> {
    const { broken, failed, write, wire } = this.options;
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
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
