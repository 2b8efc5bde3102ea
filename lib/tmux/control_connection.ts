import { abortable } from "../base/ports/abortable.ts";
import { RuntimeError } from "../base/errors.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { PipedProcess } from "../base/ports/piped_process.ts";
import { type ControlEvent, ControlParser } from "./control_parser.ts";

export interface ControlReply {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ControlConnectionOptions {
  readonly process: PipedProcess;
  readonly clock: Clock;
  readonly onEvent: (event: Exclude<ControlEvent, { type: "reply" }>) => void;
}

/** How long a client may take to attach, and tmux to answer; it usually takes a millisecond. */
const ANSWER_TIMEOUT_MS = 5000;

/** How long a client may take to end by itself. */
const CLOSE_TIMEOUT_MS = 2000;

export async function openControlConnection(options: ControlConnectionOptions): Promise<ControlConnection> {
  const connection = new ControlConnection(options);
  try {
    await connection.waitUntilAttached();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface PendingRequest {
  readonly settle: PromiseWithResolvers<ControlReply>;
  readonly sentMs: number;
  commandsLeft: number;
  stdout: string;
}

/** One `tmux -C` client that is attached to a session: commands in, replies and events out. */
export class ControlConnection {
  readonly #options: ControlConnectionOptions;
  readonly #pending: PendingRequest[] = [];
  readonly #reading: Promise<void>;
  readonly #ended = Promise.withResolvers<string>();
  #endedBecause: string | undefined;
  readonly #attached = Promise.withResolvers<void>();
  /** Aborted at the end: nothing is waited for any more. */
  readonly #stop = new AbortController();
  #isClosing = false;
  #isGuarded = false;

  constructor(options: ControlConnectionOptions) {
    this.#options = options;
    this.#attached.promise.catch(() => {});
    this.#reading = this.#readAll();
  }

  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  get isOpen(): boolean {
    return this.#endedBecause === undefined && !this.#isClosing;
  }

  /**
   * Resolves when the client is attached. Commands sent earlier are carried out, but fail with "no current client"
   * (tmux 3.3a).
   */
  async waitUntilAttached(): Promise<void> {
    const answered = this.#limitAnswer();
    await this.#attached.promise.finally(() => answered.abort());
  }

  async request(
    line: string,
    { commandCount, signal }: { readonly commandCount: number; readonly signal?: AbortSignal },
  ): Promise<ControlReply> {
    signal?.throwIfAborted();
    if (!this.isOpen) {
      throw new RuntimeError(`Cannot talk to tmux: ${this.#endedBecause ?? "the connection is closed"}`);
    }
    const settle = Promise.withResolvers<ControlReply>();
    this.#pending.push({ settle, sentMs: this.#options.clock.now(), commandsLeft: commandCount, stdout: "" });
    if (!this.#isGuarded) this.#guardAnswers().catch(() => {});
    // This fails only when the program has ended, which ends every request.
    this.#options.process.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
    return await abortable(() => settle.promise, signal);
  }

  /**
   * Ends the client: its input is closed, and its output is read to the end. A signal is the last resort: killing a
   * control client has been seen to end its server (tmux before 3.3).
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#end("the connection was closed");
    const { clock, process } = this.#options;
    // Not waited for: a program that hangs does not take what was written to it before.
    void process.closeStdin();
    const waited = new AbortController();
    const limit = clock.sleep(CLOSE_TIMEOUT_MS, waited.signal).then(() => process.kill(), () => {});
    await process.ended;
    waited.abort();
    await Promise.all([limit, this.#reading]);
  }

  /** Ends the connection unless what is returned is aborted in time. */
  #limitAnswer(): AbortController {
    const answered = new AbortController();
    this.#options.clock.sleep(ANSWER_TIMEOUT_MS, answered.signal).then(
      () => this.#end("tmux does not answer"),
      () => {},
    );
    return answered;
  }

  /**
   * Ends the connection when an answer is overdue. One timer serves all requests: one each would cost as much as
   * asking.
   */
  async #guardAnswers(): Promise<void> {
    const { clock } = this.#options;
    this.#isGuarded = true;
    try {
      for (let oldest = this.#pending[0]; oldest !== undefined; oldest = this.#pending[0]) {
        const leftMs = oldest.sentMs + ANSWER_TIMEOUT_MS - clock.now();
        if (leftMs <= 0) return this.#end("tmux does not answer");
        await clock.sleep(leftMs, this.#stop.signal);
      }
    } finally {
      this.#isGuarded = false;
    }
  }

  async #readAll(): Promise<void> {
    const parser = new ControlParser();
    for await (const piece of this.#options.process.stdout) {
      for (const event of parser.push(piece)) this.#take(event);
    }
    this.#end("the tmux client ended");
  }

  #take(event: ControlEvent): void {
    if (event.type === "reply") return this.#takeReply(event);
    // After this the client waits for its input to be closed, and the server for the client.
    if (event.type === "notification" && event.name === "exit") {
      this.#end(event.rest === "" ? "tmux ended the connection" : `tmux ended the connection: ${event.rest}`);
      void this.#options.process.closeStdin();
    }
    if (this.isOpen) this.#options.onEvent(event);
  }

  #takeReply({ isOwn, ok, text }: Extract<ControlEvent, { type: "reply" }>): void {
    const [request] = this.#pending;
    if (!isOwn) {
      // The first reply is to the attaching.
      if (ok) this.#attached.resolve();
      else this.#attached.reject(new RuntimeError(`Cannot talk to tmux: ${text.trim()}`));
    }
    if (!isOwn || request === undefined) return;
    if (ok) request.stdout += text;
    request.commandsLeft--;
    if (ok && request.commandsLeft > 0) return;
    this.#pending.shift();
    request.settle.resolve({ ok, stdout: request.stdout, stderr: ok ? "" : text });
  }

  #end(reason: string): void {
    if (this.#endedBecause !== undefined) return;
    this.#endedBecause = reason;
    const error = new RuntimeError(`Cannot talk to tmux: ${reason}`);
    this.#attached.reject(error);
    for (const { settle } of this.#pending.splice(0)) settle.reject(error);
    this.#stop.abort();
    this.#ended.resolve(reason);
  }
}
