/**
 * An agent's process, talked to by the Agent Client Protocol over its standard input and output: in come bytes of an
 * agent that may do anything, out go checked updates and requests, and replies in the order in which they were sent.
 *
 * @module
 */
import { type ProcessGroup, startProcessGroup } from "../../../base/ports/process_group.ts";
import type { ProcessInfo } from "../../../base/ports/process_table.ts";
import { abortable } from "../../../base/ports/abortable.ts";
import { keepTail } from "../../../base/ports/tail.ts";
import { present } from "../../../base/schema.ts";
import { errorText } from "../../../base/text/error_text.ts";
import { sanitizeLine } from "../../../base/text/sanitize.ts";
import { VERSION } from "../../../base/version.ts";
import { shellJoin } from "../../../shell/quote.ts";
import { describeError, describeRefusal, safeLines, wordsOf } from "./agent_words.ts";
import type { AcpAsked, AcpConnection, AcpConnectionOptions, AcpQuestion } from "./contract.ts";
import { type AcpEnd, AcpEndedError, AcpReplyError, AcpStartError, describeAcpEnd } from "./errors.ts";
import { RPC_CODES, type RpcReply } from "./json_rpc.ts";
import { ACP_VERSION, type AcpElicitationReply, type AcpInitialized, type AcpPermissionOutcome } from "./protocol.ts";
import { readElicitation, readInitialized, readPermission } from "./shapes.ts";
import { TroubleCounter } from "./troubles.ts";
import { readCut, readUnread, readUpdate } from "./update.ts";
import { Wire } from "./wire.ts";

const START_LIMIT_MS = 120_000;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_BYTES = 8000;
const MAX_STDERR_LINES = 20;
const ERROR_LINES = 5;

const EXIT_GRACE_MS = 2000;

const CANCEL_WRITE_MS = 2000;

/** How long a message that is to be sent before the end may take. */
const LAST_WRITE_MS = 200;

const PERMISSION = "session/request_permission";
const ELICITATION = "elicitation/create";
const PROMPT = "session/prompt";

export async function openAcpConnection(options: AcpConnectionOptions): Promise<AcpConnection> {
  options.signal.throwIfAborted();
  const agent = new AgentProcess(options);
  try {
    return Object.assign(agent, { initialized: await agent.sayHello() });
  } catch (error) {
    await agent.close({ kind: "closed" });
    throw error;
  }
}

interface WaitingRequest {
  readonly sessionId: string | undefined;
  readonly cancel: AbortController;
}

class AgentProcess implements Omit<AcpConnection, "initialized"> {
  readonly #options: AcpConnectionOptions;
  readonly #label: string;
  readonly #stderr = keepTail(MAX_STDERR_BYTES);
  readonly #troubles: TroubleCounter;
  readonly #waiting = new Set<WaitingRequest>();
  readonly #wire: Wire;
  readonly #group: ProcessGroup;
  readonly #takeBack: (() => void) | undefined;
  #end: AcpEnd | undefined;
  #isGrace = false;
  #closing: Promise<void> | undefined;
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<AcpEnd>();
  readonly ended = this.#ended.promise;

  constructor(options: AcpConnectionOptions) {
    const { plan, handlers, signal, label = plan.argv[0] } = options;
    this.#options = options;
    this.#label = sanitizeLine(label);
    this.#troubles = new TroubleCounter((trouble) => handlers.trouble?.(trouble));
    this.#wire = new Wire({
      maxLineBytes: options.maxLineBytes ?? MAX_LINE_BYTES,
      troubles: this.#troubles,
      methods: [PERMISSION, ...(handlers.elicitation ? [ELICITATION] : [])],
      write: (bytes) => this.#group.write(bytes),
      request: (...request) => this.#answer(...request),
      notification: (...message) => this.#takeNotification(...message),
      dropped(head) {
        const unread = readCut(head);
        if (unread !== undefined) handlers.update(unread);
      },
      broken: (problem) => void this.#closeAfterGrace(problem),
      failed: (error) => void this.close({ kind: "broken", error }),
      wire: handlers.wire,
    });
    this.#group = this.#start();
    this.#takeBack = options.onForcedExit?.(() => this.#group.killNow(), { mark: options.mark });
    this.#group.ended.then((code) => this.close({ kind: "exited", code }));
    this.#group.stdoutEnded.then(() => this.#closeAfterGrace("has closed its standard output"));
    signal.addEventListener("abort", () => this.close({ kind: "closed" }), { signal: this.#over.signal });
  }

  get pid() {
    return this.#group.pid;
  }

  stderrTail() {
    return safeLines(this.#stderr.text()).slice(-MAX_STDERR_LINES);
  }

  troubles() {
    return this.#troubles.counts();
  }

  listPids() {
    return this.#group.listPids();
  }

  listProcesses() {
    return this.#group.listProcesses();
  }

  keep(processes: readonly ProcessInfo[]) {
    this.#group.keep(processes);
  }

  freeze(pids: readonly number[]) {
    return this.#group.freeze(pids);
  }

  killNow() {
    this.#group.killNow();
  }

  async sayHello(): Promise<AcpInitialized> {
    const { clock, handlers, signal, startLimitMs = START_LIMIT_MS } = this.#options;
    const params = {
      protocolVersion: ACP_VERSION,
      clientInfo: { name: "panewright", title: "panewright", version: VERSION },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        ...(handlers.elicitation ? { elicitation: { form: {} } } : {}),
      },
    };
    const answered = new AbortController();
    const limit = clock.sleep(startLimitMs, answered.signal).then(() => "silent" as const);
    limit.catch(() => {});
    try {
      const hello = { what: "say hello to", method: "initialize", params, read: readInitialized };
      const initialized = await Promise.race([this.call(hello, { signal }).result, limit]);
      if (initialized !== "silent") return initialized;
      throw this.#startError("silent", `it has not answered within ${startLimitMs / 1000} s`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AcpReplyError) throw this.#startError("refused", describeRefusal(error.reply));
      if (error instanceof AcpEndedError && error.end.kind !== "broken") {
        throw this.#startError("ended", describeAcpEnd(error.end));
      }
      throw error;
    } finally {
      answered.abort();
    }
  }

  call<Result>(
    { what, method, params, read }: AcpQuestion<Result>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): AcpAsked<Result> {
    const problem = this.#end === undefined ? signal?.reason : this.#endedError(this.#end);
    const asked = problem === undefined
      ? this.#wire.call(method, params, {
        signal,
        read: (reply) => {
          const fail = (reason: string, told: Omit<AcpReplyError["reply"], "reason">) =>
            new AcpReplyError(`Cannot ${what} ${this.#label}: ${reason}`, { reason, ...told });
          if ("error" in reply) {
            const { code: rpcCode, data } = reply.error;
            throw fail(describeError(reply.error), { rpcCode, words: wordsOf(reply.error), data });
          }
          const result = read(reply.result);
          if (result !== undefined) return result;
          throw fail("its answer is not as the protocol has it", { rpcCode: RPC_CODES.internalError });
        },
      })
      : { written: Promise.reject<void>(problem), result: Promise.reject<Result>(problem) };
    for (const promise of [asked.written, asked.result]) promise.catch(() => {});
    return asked;
  }

  async cancel(sessionId: string): Promise<void> {
    const written = this.#wire.notify("session/cancel", { sessionId });
    // A question need not name a session: then it may be of this one.
    for (const request of this.#waiting) if ((request.sessionId ?? sessionId) === sessionId) request.cancel.abort();
    // An agent that does not read never takes it.
    const taken = new AbortController();
    const over = AbortSignal.any([taken.signal, this.#over.signal]);
    await Promise.race([written, this.#options.clock.sleep(CANCEL_WRITE_MS, over).catch(() => {})]);
    taken.abort();
  }

  close(end: AcpEnd): Promise<void> {
    return this.#closing ??= this.#closeNow(end);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close({ kind: "closed" });
  }

  #start(): ProcessGroup {
    const { plan: { argv, env, cwd }, mark, clock, installHint, startProcess = startProcessGroup } = this.#options;
    try {
      return startProcess({
        ...{ argv, env, cwd, mark, clock, keepsStdin: true },
        onStdout: (bytes) => this.#wire.receive(bytes),
        onStderr: (bytes) => this.#stderr.push(bytes),
      });
    } catch (error) {
      const why = error instanceof Deno.errors.NotFound
        ? `there is no program ${sanitizeLine(argv[0])}, or no folder ${sanitizeLine(cwd)}`
        : sanitizeLine(errorText(error));
      throw new AcpStartError(`Cannot start ${this.#label}: ${why}`, {
        ...{ problem: "no_program", cause: error },
        ...present({ hint: installHint }),
      });
    }
  }

  /** Has a request of the agent answered, unless nobody waits for it any more. */
  async #answer(method: string, params: unknown, takenBack: AbortSignal): Promise<RpcReply> {
    const { permission, elicitation } = this.#options.handlers;
    if (method === PERMISSION) {
      const request = readPermission(params);
      if (request === undefined) return this.#malformed(params);
      const cancelled: AcpPermissionOutcome = { outcome: "cancelled" };
      const asked = { sessionId: request.sessionId, takenBack, cancelled };
      const { answers, ...outcome } = await this.#answerBy((gone) => permission(request, gone), asked);
      return { result: { outcome, ...present({ answers }) } };
    }
    const question = readElicitation(params);
    if (question === undefined || elicitation === undefined) return this.#malformed(params);
    const cancelled: AcpElicitationReply = { action: "cancel" };
    const asked = { sessionId: question.sessionId, takenBack, cancelled };
    return { result: await this.#answerBy((gone) => elicitation(question, gone), asked) };
  }

  #malformed(params: unknown): RpcReply {
    this.#troubles.add("malformed_request", JSON.stringify(params) ?? "nothing");
    return { error: { code: RPC_CODES.invalidParams, message: "Invalid params" } };
  }

  async #answerBy<Reply>(
    handle: (gone: AbortSignal) => Promise<Reply>,
    { takenBack, cancelled, sessionId }: {
      readonly takenBack: AbortSignal;
      readonly cancelled: Reply;
      readonly sessionId: string | undefined;
    },
  ): Promise<Reply> {
    const waiting = { sessionId, cancel: new AbortController() };
    this.#waiting.add(waiting);
    const gone = AbortSignal.any([takenBack, waiting.cancel.signal, this.#over.signal]);
    try {
      return await abortable(() => handle(gone), gone);
    } catch (error) {
      if (!gone.aborted) this.close({ kind: "broken", error });
      return cancelled;
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  #takeNotification(method: string, params: unknown, line: { readonly text: string; readonly isUtf8: boolean }): void {
    if (method === "elicitation/complete") return;
    if (method !== "session/update") {
      // An underscore begins the names of what may be added to the protocol.
      if (!method.startsWith("_")) this.#troubles.add("unknown_notification", method);
      return this.#options.handlers.extension?.(method, params);
    }
    const unread = readUnread(params);
    // A command must be what was sent, to the last byte.
    const read = unread !== undefined && !line.isUtf8 ? unread : readUpdate(params);
    if (!("problem" in read)) return this.#options.handlers.update(read);
    if (read.problem === "unknown") return this.#troubles.add("unknown_update", read.kind);
    this.#troubles.add("malformed_update", line.text);
    if (unread !== undefined) this.#options.handlers.update(unread);
  }

  /** An agent that cannot be talked to any more may be ending; how it ended tells more. */
  async #closeAfterGrace(problem: string): Promise<void> {
    if (this.#isGrace) return;
    this.#isGrace = true;
    await this.#options.clock.sleep(EXIT_GRACE_MS, this.#over.signal).catch(() => {});
    await this.close({ kind: "protocol", problem });
  }

  async #closeNow(end: AcpEnd): Promise<void> {
    this.#end = end;
    if (end.kind !== "exited") await this.#cancelTurns();
    this.#over.abort();
    await this.#group.stop();
    this.#takeBack?.();
    await this.#wire.end();
    this.#wire.close(this.#endedError(end));
    this.#ended.resolve(end);
  }

  async #cancelTurns(): Promise<void> {
    const sessions = this.#wire.waitingFor(PROMPT).map((params) =>
      (params as { readonly sessionId: string }).sessionId
    );
    const written = new AbortController();
    const cancelled = Promise.all([...new Set(sessions)].map((sessionId) => this.cancel(sessionId)));
    const limit = this.#options.clock.sleep(LAST_WRITE_MS, written.signal).catch(() => {});
    await Promise.race([cancelled, limit]);
    written.abort();
  }

  #endedError(end: AcpEnd): AcpEndedError {
    const cause = end.kind === "broken" ? { cause: end.error } : {};
    return new AcpEndedError(`Cannot talk to ${this.#label}: ${describeAcpEnd(end)}`, { end, ...cause });
  }

  #startError(problem: AcpStartError["problem"], reason: string): AcpStartError {
    const stderr = this.stderrTail();
    const lastLines = (stderr.length > 0 ? stderr : safeLines(this.#wire.textLines.join("\n"))).slice(-ERROR_LINES);
    const hint = `What it lacks may show when it is started by hand: ${
      sanitizeLine(shellJoin(this.#options.plan.argv))
    }`;
    const message = [`Cannot start ${this.#label}: ${reason}`, ...lastLines.map((line) => `  ${line}`)].join("\n");
    return new AcpStartError(message, { problem, hint });
  }
}
