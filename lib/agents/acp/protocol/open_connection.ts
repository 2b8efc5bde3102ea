import { AGENT_METHODS, CLIENT_METHODS, type ClientConnection } from "@agentclientprotocol/sdk";
import { type ProcessGroup, startProcessGroup } from "../../../base/ports/process_group.ts";
import { keepTail } from "../../../base/ports/tail.ts";
import { shellJoin } from "../../../shell/quote.ts";
import { errorText } from "../../../base/text/error_text.ts";
import { sanitizeLine } from "../../../base/text/sanitize.ts";
import { VERSION } from "../../../base/version.ts";
import { AgentRequests } from "./agent_requests.ts";
import { describeRefusal, safeLines } from "./agent_words.ts";
import { type Call, callAgent } from "./call.ts";
import type { AcpConnection, AcpConnectionOptions, AcpTurn, AcpWaiting } from "./contract.ts";
import { type AcpEnd, describeAcpEnd } from "./end.ts";
import { AcpEndedError, AcpReplyError, AcpStartError, type AcpStartProblem } from "./errors.ts";
import { ACP_VERSION, type AcpInitialized } from "./protocol.ts";
import { readInitialized, readPromptReply, readSessionId, readSessionState, readUpdate } from "./shapes.ts";
import { TroubleCounter } from "./troubles.ts";
import { type AcpUnread, readCut, readUnread } from "./unread.ts";
import { Wire } from "./wire.ts";
import { present } from "../../../base/schema.ts";

const START_LIMIT_MS = 120_000;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_BYTES = 8000;
const MAX_STDERR_LINES = 20;
/** How many lines an error tells of what an agent has printed. */
const ERROR_LINES = 5;

/** How long an agent that has closed its output, or its input, has to end by itself. */
const EXIT_GRACE_MS = 2000;

/** How long an agent has to take a cancel. */
const CANCEL_WRITE_MS = 2000;

/** How long a message that is to be sent before the end may take. */
const LAST_WRITE_MS = 200;

/** What `openAcpConnection` does, once the protocol's library is there. */
export async function openConnection(options: AcpConnectionOptions): Promise<AcpConnection> {
  options.signal.throwIfAborted();
  const connection = new Connection(options);
  try {
    await connection.initialize();
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/** How a request is answered, and waited for. */
type CallOptions<Result> = Pick<Call<Result>, "read" | "onReply" | "signal">;

class Connection implements AcpConnection {
  readonly #options: AcpConnectionOptions;
  /** The agent's name, safe for a terminal. */
  readonly #label: string;
  readonly #stderr = keepTail(MAX_STDERR_BYTES);
  readonly #troubles: TroubleCounter;
  readonly #requests: AgentRequests;
  readonly #wire: Wire;
  readonly #group: ProcessGroup;
  readonly #client: ClientConnection;
  readonly #takeBack: (() => void) | undefined;
  /** The sessions of the turns that have not ended. */
  readonly #turns: string[] = [];
  #initialized: AcpInitialized | undefined;
  /** Set as soon as it is known; {@linkcode ended} comes after everything else. */
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
    this.#requests = new AgentRequests({
      ...{ handlers, troubles: this.#troubles, over: this.#over.signal },
      onTaken: (id) => this.#wire.taken(id),
      onFailed: (error) => void this.#close({ kind: "broken", error }),
    });
    this.#wire = new Wire({
      maxLineBytes: options.maxLineBytes ?? MAX_LINE_BYTES,
      troubles: this.#troubles,
      methods: this.#requests.methods,
      write: (bytes) => this.#group.write(bytes),
      notification: (...message) => this.#takeNotification(...message),
      dropped: (head) => this.#takeUnread(readCut(head)),
      broken: (problem) => void this.#closeAfterGrace(problem),
      failed: (error) => void this.#close({ kind: "broken", error }),
      ...(handlers.wire ? { wire: handlers.wire } : {}),
    });
    this.#group = this.#start();
    this.#takeBack = options.onForcedExit?.(() => this.#group.killNow(), { mark: options.mark });
    this.#client = this.#requests.app().connect(this.#wire.stream);
    this.#group.ended.then((code) => this.#close({ kind: "exited", code }));
    this.#group.stdoutEnded.then(() => this.#closeAfterGrace("has closed its standard output"));
    signal.addEventListener("abort", () => this.#close({ kind: "closed" }), { signal: this.#over.signal });
    this.#client.closed.then(() => {
      // By the library itself, unless the connection is closing already.
      const error = this.#client.signal.reason;
      this.#wire.close(error);
      return this.#close({ kind: "broken", error });
    });
  }

  get pid() {
    return this.#group.pid;
  }

  get initialized() {
    if (this.#initialized === undefined) throw new TypeError("Cannot tell what an agent can do before it has told");
    return this.#initialized;
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

  killNow() {
    this.#group.killNow();
  }

  async [Symbol.asyncDispose]() {
    await this.#close({ kind: "closed" });
  }

  async initialize(): Promise<void> {
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
      const reply = this.#request("say hello to", AGENT_METHODS.initialize, params, { signal, read: readInitialized });
      const result = await Promise.race([reply, limit]);
      if (result === "silent") {
        throw this.#startError("silent", `it has not answered within ${startLimitMs / 1000} s`);
      }
      this.#initialized = result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AcpReplyError) throw this.#startError("refused", describeRefusal(error));
      if (error instanceof AcpEndedError && error.end.kind !== "broken") {
        throw this.#startError("ended", describeAcpEnd(error.end));
      }
      throw error;
    } finally {
      answered.abort();
    }
  }

  async authenticate({ methodId, signal }: AcpWaiting & { readonly methodId: string }) {
    await this.#request("log in to", AGENT_METHODS.authenticate, { methodId }, { signal, read: nothing });
  }

  newSession({ cwd, signal }: AcpWaiting & { readonly cwd: string }) {
    const read = (reply: unknown) => {
      const sessionId = readSessionId(reply);
      return sessionId === undefined ? undefined : { ...readSessionState(reply), sessionId };
    };
    return this.#request("open a session with", AGENT_METHODS.session_new, { cwd, mcpServers: [] }, { signal, read });
  }

  loadSession({ sessionId, cwd, signal }: AcpWaiting & { readonly sessionId: string; readonly cwd: string }) {
    const params = { sessionId, cwd, mcpServers: [] };
    return this.#request("load a session of", AGENT_METHODS.session_load, params, { signal, read: readSessionState });
  }

  resumeSession({ sessionId, cwd, signal }: AcpWaiting & { readonly sessionId: string; readonly cwd: string }) {
    const params = { sessionId, cwd, mcpServers: [] };
    const read = readSessionState;
    return this.#request("resume a session of", AGENT_METHODS.session_resume, params, { signal, read });
  }

  async closeSession({ sessionId, signal }: AcpWaiting & { readonly sessionId: string }) {
    await this.#request("close a session of", AGENT_METHODS.session_close, { sessionId }, { signal, read: nothing });
  }

  async setMode({ sessionId, modeId, signal }: AcpWaiting & { readonly sessionId: string; readonly modeId: string }) {
    const params = { sessionId, modeId };
    await this.#request("set the mode of", AGENT_METHODS.session_set_mode, params, { signal, read: nothing });
  }

  setConfigOption(
    { sessionId, configId, value, signal }: AcpWaiting & {
      readonly sessionId: string;
      readonly configId: string;
      readonly value: string | boolean;
    },
  ) {
    const params = { sessionId, configId, value, ...(typeof value === "boolean" ? { type: "boolean" } : {}) };
    const read = (reply: unknown) => ({ options: readSessionState(reply).configOptions });
    return this.#request(`set "${configId}" of`, AGENT_METHODS.session_set_config_option, params, { signal, read })
      .then(({ options }) => options);
  }

  async setModel(
    { sessionId, modelId, signal }: AcpWaiting & { readonly sessionId: string; readonly modelId: string },
  ) {
    await this.#request("set the model of", "session/set_model", { sessionId, modelId }, { signal, read: nothing });
  }

  prompt({ sessionId, text, signal }: AcpWaiting & { readonly sessionId: string; readonly text: string }): AcpTurn {
    const params = { sessionId, prompt: [{ type: "text", text }] };
    this.#turns.push(sessionId);
    const onReply = () => void this.#turns.splice(this.#turns.indexOf(sessionId), 1);
    const options = { signal, read: readPromptReply, onReply };
    const { written, result } = this.#call("prompt", AGENT_METHODS.session_prompt, params, options);
    // Either may be of no interest to the caller.
    result.catch(() => {});
    return { written, reply: result };
  }

  async cancel({ sessionId }: { readonly sessionId: string }) {
    const written = this.#client.agent.notify(AGENT_METHODS.session_cancel, { sessionId }).catch(() => {});
    this.#requests.cancel(sessionId);
    // An agent that does not read never takes it.
    const taken = new AbortController();
    const over = AbortSignal.any([taken.signal, this.#over.signal]);
    const limit = this.#options.clock.sleep(CANCEL_WRITE_MS, over).catch(() => {});
    await Promise.race([written.then(() => this.#wire.written()), limit]);
    taken.abort();
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
        ...{ problem: "no_program", lastLines: [], cause: error },
        ...present({ hint: installHint }),
      });
    }
  }

  #takeNotification(method: string, params: unknown, line: { readonly text: string; readonly isUtf8: boolean }): void {
    if (method === CLIENT_METHODS.elicitation_complete) return;
    if (method !== CLIENT_METHODS.session_update) {
      // An underscore begins the names of what may be added to the protocol.
      if (!method.startsWith("_")) this.#troubles.add("unknown_notification", method);
      return this.#options.handlers.extension?.(method, params);
    }
    const unread = readUnread(params);
    // A command must be what was sent, to the last byte.
    if (unread !== undefined && !line.isUtf8) return this.#takeUnread(unread);
    const read = readUpdate(params);
    switch (read.type) {
      case "update":
        return this.#options.handlers.update(read.notification);
      case "unknown":
        return this.#troubles.add("unknown_update", read.kind);
      case "malformed":
        this.#troubles.add("malformed_update", line.text);
        return this.#takeUnread(unread);
    }
  }

  #takeUnread(update: AcpUnread | undefined): void {
    if (update !== undefined) this.#options.handlers.unread?.(update);
  }

  #request<Result>(what: string, method: string, params: object, options: CallOptions<Result>): Promise<Result> {
    return this.#call(what, method, params, options).result;
  }

  #call<Result>(what: string, method: string, params: object, options: CallOptions<Result>) {
    const ended = this.#end && this.#endedError(this.#end);
    const call = { what: `${what} ${this.#label}`, method, params, ended, ...options };
    return callAgent(call, { agent: this.#client.agent, wire: this.#wire });
  }

  /** An agent that cannot be talked to any more may be ending; how it ended tells more. */
  async #closeAfterGrace(problem: string): Promise<void> {
    if (this.#isGrace) return;
    this.#isGrace = true;
    await this.#options.clock.sleep(EXIT_GRACE_MS, this.#over.signal).catch(() => {});
    await this.#close({ kind: "protocol", problem });
  }

  #close(end: AcpEnd): Promise<void> {
    return this.#closing ??= this.#closeNow(end);
  }

  async #closeNow(end: AcpEnd): Promise<void> {
    this.#end = end;
    if (end.kind !== "exited") await this.#cancelTurns();
    this.#over.abort();
    await this.#group.stop();
    this.#takeBack?.();
    await this.#wire.end();
    const error = this.#endedError(end);
    this.#wire.close(error);
    this.#client.close(error);
    this.#ended.resolve(end);
  }

  async #cancelTurns(): Promise<void> {
    const written = new AbortController();
    const cancelled = Promise.all([...new Set(this.#turns)].map((sessionId) => this.cancel({ sessionId })));
    const limit = this.#options.clock.sleep(LAST_WRITE_MS, written.signal).catch(() => {});
    await Promise.race([cancelled, limit]);
    written.abort();
  }

  #endedError(end: AcpEnd): AcpEndedError {
    const cause = end.kind === "broken" ? { cause: end.error } : {};
    return new AcpEndedError(`Cannot talk to ${this.#label}: ${describeAcpEnd(end)}`, { end, ...cause });
  }

  #startError(problem: AcpStartProblem, reason: string): AcpStartError {
    const stderr = this.stderrTail();
    const lastLines = (stderr.length > 0 ? stderr : safeLines(this.#wire.textLines.join("\n"))).slice(-ERROR_LINES);
    const hint = `What it lacks may show when it is started by hand: ${
      sanitizeLine(shellJoin(this.#options.plan.argv))
    }`;
    return new AcpStartError(`Cannot start ${this.#label}: ${reason}`, { problem, lastLines, hint });
  }
}

const nothing = () => true as const;
