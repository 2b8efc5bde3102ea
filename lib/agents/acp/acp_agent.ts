import type { AcpConnection } from "./protocol/contract.ts";
import { type AcpEnd, AcpEndedError, AcpReplyError, describeAcpEnd } from "./protocol/errors.ts";
import type {
  AcpElicitation,
  AcpElicitationReply,
  AcpPermissionOutcome,
  AcpPermissionRequest,
} from "./protocol/protocol.ts";
import { ACP_QUESTIONS } from "./protocol/questions.ts";
import type { AcpNotification, AcpUpdate, CallPatch } from "./protocol/update.ts";
import { AgentAtWorkError, HumanInterventionRequiredError, RuntimeError } from "../../base/errors.ts";
import { abortable } from "../../base/ports/abortable.ts";
import { present } from "../../base/schema.ts";
import type { Request } from "../../policy/request.ts";
import type { AgentAnswer } from "../agent.ts";
import { type AgentListener, type DrivenAgent, exitWords, Listeners } from "../driven_agent.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { formAsked, questionsAsked } from "./asked_questions.ts";
import type { AcpAgentOptions } from "./contract.ts";
import { exactRequestOf } from "./exact_request.ts";
import type { OpenedSession, Opening } from "./opening.ts";
import { type AnswerWays, PendingRequests, permissionWays } from "./pending.ts";
import { type AcpEvent, type AcpRules, type AcpState, startAcpState } from "./state.ts";
import { foldAcp } from "./turn.ts";
import { failureOf, runningCalls, turnEndOf, viewOf } from "./view.ts";

interface AcpAgentParts {
  readonly options: AcpAgentOptions;
  readonly connection: AcpConnection;
  readonly opened: OpenedSession;
  readonly opening: Opening;
  readonly launchedAtMs: number;
  readonly isSameFile: AcpRules["isSameFile"];
}

/** How long a turn may be silent before it is cancelled. */
const SILENCE_LIMIT_MS = 900_000;

/** How often a turn is looked at of which nothing is heard: a call may run unasked, and an end may become one. */
const LOOK_EVERY_MS = 1000;

/** How long an agent has to end a turn that was cancelled because it was silent, before it is ended itself. */
const CANCEL_GRACE_MS = 30_000;

/** How long a lost end is waited for once more before the next prompt. */
const LOST_END_GRACE_MS = 5000;

const FOLDER_LOOK_MS = 20;
const FOLDER_LOOKS = 25;

/**
 * An agent over the Agent Client Protocol with one session, the driver of the seam `Agent`: in come what it sends and
 * what it is to do, out go its events, what it waits for, and a view of what it does that its process and its own words
 * prove. Those who listen decide about its requests, and judge its turns.
 */
export class AcpAgent implements DrivenAgent {
  readonly driver = "acp";
  readonly id: string;
  readonly name: string;
  readonly provider: AcpAgentProvider;
  readonly pid: number;
  /** In milliseconds since the epoch. */
  readonly launchedAtMs: number;
  readonly sessionId: string;
  readonly resumed: boolean;
  readonly notResumedBecause?: string;
  readonly ended: Promise<void>;
  readonly #options: AcpAgentOptions;
  readonly #connection: AcpConnection;
  readonly #rules: AcpRules;
  readonly #pending: PendingRequests;
  readonly #listeners = new Listeners();
  #state: AcpState;
  #requests = 0;
  #endedTurn = 0;
  #turn = new AbortController();
  readonly #gone = new AbortController();
  #end: AcpEnd | undefined;
  #endedBecause: string | undefined;
  #isOtherSessionTold = false;

  constructor({ options, connection, opened, opening, launchedAtMs, isSameFile }: AcpAgentParts) {
    const { clock, launch, name, provider } = options;
    this.#options = options;
    this.#connection = connection;
    this.name = name;
    this.provider = provider;
    this.pid = connection.pid;
    this.id = `acp:${connection.pid}`;
    this.launchedAtMs = launchedAtMs;
    this.sessionId = opened.sessionId;
    this.resumed = opened.resumed;
    if (opened.notResumedBecause !== undefined) this.notResumedBecause = opened.notResumedBecause;
    const { ask_mode: askMode, tools = [], usage = [] } = provider.acp;
    this.#rules = {
      tools,
      usage: { sources: usage, model: launch.model ?? opened.model },
      ...present({ askMode, isSameFile }),
    };
    this.#pending = new PendingRequests((id, answer) => {
      this.#take({ type: "answered", id, answer });
      this.#listeners.tell([{ type: "answered", id }]);
    });
    this.#state = startAcpState(clock.now());
    const { agentInfo } = connection.initialized;
    options.onActivity?.({
      type: "session",
      agent: agentInfo === undefined ? provider.label : `${agentInfo.name} ${agentInfo.version}`,
      sessionId: this.sessionId,
      resumed: this.resumed,
    });
    this.#take({ type: "opened", ...present({ mode: opened.mode }) });
    for (const callId of opening.pastCalls) this.#take({ type: "replayed", callId });
    for (const text of opening.troubles) this.trouble(text);
    this.ended = connection.ended.then((end) => this.#noteEnd(end));
  }

  get mode(): string | undefined {
    return this.#state.mode;
  }

  /**
   * Begins a turn: resolves once the prompt is written. A turn before it whose end was lost is cancelled first.
   *
   * @throws {AgentAtWorkError} while a turn is under way
   * @throws {HumanInterventionRequiredError} while it waits for an answer
   * @throws {RuntimeError} when the agent has ended
   */
  async send(text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#requireAlive();
    if (this.#state.waiting.size > 0) {
      throw new HumanInterventionRequiredError(`Cannot send the ${this.name} a prompt: it waits for an answer`);
    }
    if (this.view().state === "working") await this.#leaveLostTurn(signal);
    this.#take({ type: "prompted", text });
    const turn = this.#state.turns;
    this.#turn = new AbortController();
    const { written, result } = this.#connection.call(ACP_QUESTIONS.prompt(this.sessionId, text));
    result.then(
      (reply) => this.#take({ type: "replied", turn, reply }),
      (error) => this.#takeRefusal(turn, error),
    );
    this.#watchTurn(turn).catch(() => {});
    await abortable(() => written, signal).catch((error) => {
      if (!(error instanceof AcpEndedError) || error.end.kind === "broken") throw error;
      throw this.#endedError(this.#endedBecause ?? endWords(error.end), error);
    });
  }

  events({ signal }: { readonly signal?: AbortSignal } = {}) {
    return this.#listeners.events({ ended: this.ended, signal });
  }

  listen(listener: AgentListener): Disposable {
    return this.#listeners.listen(listener);
  }

  view() {
    this.#take({ type: "looked" });
    return viewOf(this.#state, this.#options.clock.now());
  }

  pending(): readonly Request[] {
    return this.#pending.list().map(({ request }) => request);
  }

  requests() {
    return this.#pending.list();
  }

  answer(id: string, answer: AgentAnswer): Promise<boolean> {
    return this.#pending.answer(id, answer);
  }

  async cancel(): Promise<void> {
    this.#take({ type: "cancelled", because: "asked" });
    await this.#connection.cancel(this.sessionId);
  }

  usage() {
    const { cost, tokens } = this.#state.usage;
    const isTold = cost !== undefined || Object.keys(tokens).length > 0;
    if (!isTold && !this.provider.acp.tellsTokens) return undefined;
    // Each process counts from its own beginning; see `AcpUsageSource`.
    return { usage: tokens, sessionId: `${this.sessionId}@${this.launchedAtMs}`, ...present({ cost }) };
  }

  failure() {
    return failureOf(this.#state, this.provider.failures ?? []);
  }

  /** Why it must not work on, as a full sentence. Its state is then `ended`. */
  violation() {
    return this.#state.violation;
  }

  problem() {
    const { violation } = this.#state;
    if (violation === undefined) return undefined;
    const { name, worker = "role" } = this.#options;
    const who = worker === "step" ? "the agent of a step" : name;
    return new HumanInterventionRequiredError(`Cannot let ${who} continue: ${violation}`, {
      hint: `The rules no longer check what it does. Look at what it did, and give the ${worker} another agent.`,
    });
  }

  unproven() {
    return undefined;
  }

  /** The attempt of a step is told by the turn's end itself. */
  lingers(): boolean {
    return false;
  }

  /** How its process ended, or why we have ended it, such as "killed by signal 9"; `undefined` while it runs. */
  describeEnd(): string | undefined {
    return this.#end === undefined ? undefined : this.#endedBecause ?? endWords(this.#end);
  }

  exitCode(): number | undefined {
    return this.#end?.kind === "exited" ? this.#end.code : this.#end && 1;
  }

  listPids() {
    return this.#connection.listPids();
  }

  async processes() {
    return { root: this.pid, own: await this.#connection.listProcesses() };
  }

  keep(processes: Parameters<AcpConnection["keep"]>[0]): void {
    this.#connection.keep(processes);
  }

  freeze(pids: readonly number[]) {
    return this.#connection.freeze(pids);
  }

  stderrTail(): string {
    return this.#connection.stderrTail().join("\n");
  }

  async stop(): Promise<void> {
    this.#turn.abort();
    await this.#connection[Symbol.asyncDispose]();
    await this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  update({ sessionId = this.sessionId, update }: AcpNotification): void {
    if (sessionId !== this.sessionId) return this.#takeOther(sessionId, update);
    // What comes before the first prompt can only be of the session's past.
    const isPast = this.resumed && this.#state.turns === 0;
    if (isPast && update.type === "call") return this.#take({ type: "replayed", callId: update.call.id });
    if (isPast && ["message", "thought", "plan"].includes(update.type)) return;
    if (isPast && update.type === "unread" && update.about !== "mode") return;
    this.#take({ type: "update", update });
  }

  async permission(
    { options, sessionId, call: patch }: AcpPermissionRequest,
    signal: AbortSignal,
  ): Promise<AcpPermissionOutcome> {
    if (sessionId !== this.sessionId) {
      this.#noteOtherSession();
      return { outcome: "cancelled" };
    }
    const id = this.#nextId();
    let request = this.#exactRequest(patch, id);
    // The update that names its folder may come right after the request (OpenCode 1.18.33).
    const mayTell = this.#rules.tools.some(({ cwd }) => cwd !== undefined);
    for (let looks = 0; mayTell && request.kind === "other" && looks < FOLDER_LOOKS; looks++) {
      await this.#options.clock.sleep(FOLDER_LOOK_MS, signal);
      request = this.#exactRequest(patch, id);
    }
    const ways = permissionWays(options);
    const asked = this.provider.acp.questions === undefined ? undefined : questionsAsked(request, patch, ways);
    const { request: put, ways: offered } = asked ?? { request, ways };
    const text = put.subject === "" ? put.tool : put.subject;
    const onWaiting = () => this.#take({ type: "asked", id, call: patch, text });
    return await this.#wait(put, offered, { signal, onWaiting });
  }

  async elicitation(question: AcpElicitation, signal: AbortSignal): Promise<AcpElicitationReply> {
    const { sessionId } = question;
    if (sessionId !== undefined && sessionId !== this.sessionId) {
      this.#noteOtherSession();
      return { action: "cancel" };
    }
    const { request, ways } = formAsked(question, this.#nextId());
    const onWaiting = () => this.#take({ type: "asked", id: request.id, text: request.subject });
    return await this.#wait(request, ways, { signal, onWaiting });
  }

  trouble(text: string): void {
    this.#take({ type: "trouble", text });
  }

  #exactRequest(patch: CallPatch, id: string): Request {
    const { launch: { workdir }, provider: { acp: { tools = [] } } } = this.#options;
    return exactRequestOf(patch, { id, tools, workdir, known: this.#state.calls.get(patch.id) });
  }

  async #wait<Reply>(
    request: Request,
    ways: AnswerWays<Reply>,
    { signal, onWaiting }: { readonly signal: AbortSignal; readonly onWaiting: () => void },
  ): Promise<Reply> {
    return await this.#pending.wait(request, ways, {
      signal,
      onWaiting: (asked) => {
        onWaiting();
        this.#listeners.tell([{ type: "asked", request: asked }]);
      },
    });
  }

  #nextId(): string {
    return `${this.id}-${++this.#requests}`;
  }

  #take(event: AcpEvent): void {
    const before = this.#state;
    const nowMs = this.#options.clock.now();
    const { state, activities, events } = foldAcp(before, event, { nowMs, rules: this.#rules });
    this.#state = state;
    for (const activity of activities) this.#options.onActivity?.(activity);
    if (state.phase !== "open") this.#turn.abort();
    if (state.violation !== undefined && before.violation === undefined) {
      this.#endedBecause ??= state.violation;
      this.#connection.killNow();
    }
    const isNews = state.phase !== before.phase || state.end !== before.end || state.violation !== before.violation ||
      state.waiting.size > before.waiting.size;
    const isOver = state.phase === "over" && this.#endedTurn < state.turns && viewOf(state, nowMs).state === "idle";
    if (isOver) this.#endedTurn = state.turns;
    const end = isOver ? [turnEndOf(state, { nowMs, failures: this.provider.failures ?? [] })] : [];
    if (isNews || isOver || events.length > 0) this.#listeners.tell([...events, ...end]);
  }

  #takeRefusal(turn: number, error: unknown): void {
    if (!(error instanceof AcpReplyError)) return;
    const { rpcCode: code, reason, words = reason } = error.reply;
    this.#take({ type: "refused", turn, code, text: words });
  }

  #requireAlive(): void {
    const end = this.#state.violation ?? this.describeEnd();
    if (end !== undefined) throw this.#endedError(end);
  }

  #endedError(end: string, cause?: unknown): RuntimeError {
    return new RuntimeError(`Cannot send the ${this.name} a prompt: its agent has ended: ${end}`, { cause });
  }

  /** Gives up the turn before, whose end seems to be lost. */
  async #leaveLostTurn(signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options;
    const atWork = new AgentAtWorkError(`Cannot send the ${this.name} a prompt: it is at work`);
    if (!this.view().mayBeOver) throw atWork;
    await this.cancel();
    const over = this.#turn.signal;
    await clock.sleep(LOST_END_GRACE_MS, signal === undefined ? over : AbortSignal.any([over, signal])).catch(() => {});
    signal?.throwIfAborted();
    this.#requireAlive();
    this.#take({ type: "abandoned" });
  }

  /**
   * Looks at a turn until its end is told. One that has been silent for too long is cancelled; an agent that does not
   * even end it then is ended.
   */
  async #watchTurn(turn: number): Promise<void> {
    const { clock, silenceLimitMs = SILENCE_LIMIT_MS } = this.#options;
    const over = this.#turn.signal;
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, this.#gone.signal);
      if (this.#endedTurn >= turn || this.#state.turns > turn) return;
      this.#take({ type: "looked" });
      const { heardMs, waiting } = this.#state;
      const isSilent = clock.now() >= heardMs + silenceLimitMs;
      if (!over.aborted && isSilent && waiting.size === 0 && runningCalls(this.#state) === 0) break;
    }
    const seconds = silenceLimitMs / 1000;
    this.#take({ type: "trouble", text: `The agent has been silent for ${seconds} s; its turn is cancelled.` });
    this.#take({ type: "cancelled", because: "silent" });
    await this.#connection.cancel(this.sessionId);
    await clock.sleep(CANCEL_GRACE_MS, over);
    this.#endedBecause ??= `it was silent for ${seconds} s, and did not end its turn when that was cancelled`;
    await this.#connection[Symbol.asyncDispose]();
  }

  #noteEnd(end: AcpEnd): void {
    this.#end = end;
    this.#gone.abort();
    this.#take({ type: "ended", how: this.describeEnd() ?? "" });
  }

  /** Of another session only what is done there counts: nobody is asked for it. */
  #takeOther(sessionId: string, update: AcpUpdate): void {
    this.#noteOtherSession();
    if (update.type !== "call" || sessionId === this.#options.resume) return;
    this.#take({
      type: "update",
      update: { type: "call", call: { ...update.call, id: `${sessionId} ${update.call.id}` } },
    });
  }

  #noteOtherSession(): void {
    if (this.#isOtherSessionTold) return;
    this.#isOtherSessionTold = true;
    this.trouble("The agent speaks of another session than its own; that does not count.");
  }
}

function endWords(end: AcpEnd): string {
  if (end.kind === "closed") return "panewright has ended it";
  if (end.kind !== "exited") return describeAcpEnd(end);
  return exitWords(end.code);
}
