import type { AgentFact } from "../agent.ts";
import {
  type AcpConnection,
  type AcpEnd,
  AcpEndedError,
  AcpReplyError,
  type AcpSessionNotification,
  type AcpUnread,
  describeAcpEnd,
} from "./protocol/connection.ts";
import type {
  AcpElicitation,
  AcpElicitationReply,
  AcpPermissionOutcome,
  AcpPermissionRequest,
} from "./protocol/protocol.ts";
import { AgentAtWorkError, HumanInterventionRequiredError, RuntimeError } from "../../base/errors.ts";
import { abortable } from "../../base/ports/abortable.ts";
import type { Request } from "../../policy/request.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { WakeHint, WakeSource } from "../pane/wake_source.ts";
import { formAsked, questionsAsked } from "./asked_questions.ts";
import type { AcpAgent, AcpAgentOptions, AcpUsage } from "./contract.ts";
import { exactRequestOf } from "./exact_request.ts";
import type { AcpListener } from "./opening.ts";
import { PendingRequests, permissionWays } from "./pending.ts";
import { sameFileIn } from "./same_file.ts";
import type { OpenedSession } from "./session.ts";
import { type AcpEvent, type AcpRules, type AcpState, startAcpState } from "./state.ts";
import { foldAcp } from "./turn.ts";
import { type AcpUpdate, type CallPatch, readCall, readOwnMode, readUnreadCall, readUpdate } from "./update.ts";
import { failureOf, runningCalls, viewOf } from "./view.ts";
import { present } from "../../base/schema.ts";

/** What a {@linkcode RunningAgent} is made of. */
interface RunningAgentParts {
  readonly options: AcpAgentOptions;
  readonly connection: AcpConnection;
  readonly opened: OpenedSession;
  readonly launchedAtMs: number;
}

/** How long a turn may be silent before it is cancelled. */
const SILENCE_LIMIT_MS = 900_000;

/** How often a silent turn is looked at of which something runs or waits. */
const LOOK_AGAIN_MS = 30_000;

/** How long an agent has to end a turn that was cancelled because it was silent, before it is ended itself. */
const CANCEL_GRACE_MS = 30_000;

/** How long a lost end is waited for once more before the next prompt. */
const LOST_END_GRACE_MS = 5000;

/** How long a request waits for what its call tells of itself, where it is not understood without. */
const FOLDER_LOOK_MS = 20;
const FOLDER_LOOKS = 25;

/** How many facts are kept for who asks for them. */
const MAX_FACTS = 2000;

/** How much of what a call has written is kept of each. */
const MAX_OUTPUT_CHARS = 64 * 1024;

/** An agent whose session is open. What it tells is folded; what it asks waits for who has to decide. */
export class RunningAgent implements AcpAgent, AcpListener {
  readonly id: string;
  readonly name: string;
  readonly provider: AcpAgentProvider;
  readonly pid: number;
  readonly launchedAtMs: number;
  readonly sessionId: string;
  readonly resumed: boolean;
  readonly notResumedBecause?: string;
  readonly ended: Promise<void>;
  readonly wakeSource: WakeSource = { onHint: (listener) => this.#onHint(listener) };
  readonly #options: AcpAgentOptions;
  readonly #connection: AcpConnection;
  readonly #rules: AcpRules;
  readonly #pending: PendingRequests;
  readonly #listeners = new Set<(hint: WakeHint) => void>();
  #state: AcpState;
  #facts: AgentFact[] = [];
  #requests = 0;
  /** Aborted at the end of the turn under way. */
  #turn = new AbortController();
  #end: AcpEnd | undefined;
  /** Why we have ended it. */
  #endedBecause: string | undefined;
  #isOtherSessionTold = false;

  constructor({ options, connection, opened, launchedAtMs }: RunningAgentParts) {
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
    const { askMode, tools, usage } = provider.acp;
    this.#rules = {
      tools,
      usage: { sources: usage, model: launch.model ?? opened.model },
      isSameFile: sameFileIn(launch),
      ...(askMode ? { askMode } : {}),
    };
    this.#pending = new PendingRequests((id, answer) => this.#take({ type: "answered", id, answer }));
    this.#state = startAcpState(clock.now());
    const { agentInfo } = connection.initialized;
    options.onActivity?.({
      type: "session",
      agent: agentInfo === undefined ? provider.label : `${agentInfo.name} ${agentInfo.version}`,
      sessionId: this.sessionId,
      resumed: this.resumed,
    });
    this.#take({ type: "opened", ...present({ mode: opened.mode }) });
    this.ended = connection.ended.then((end) => this.#noteEnd(end));
  }

  get mode(): string | undefined {
    return this.#state.mode;
  }

  async prompt(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#requireAlive();
    if (this.#state.waiting.size > 0) {
      throw new HumanInterventionRequiredError(`Cannot send the ${this.name} a prompt: it waits for an answer`);
    }
    if (this.view().state === "working") await this.#leaveLostTurn(signal);
    this.#take({ type: "prompted", text });
    const turn = this.#state.turns;
    this.#turn = new AbortController();
    const { written, reply } = this.#connection.prompt({ sessionId: this.sessionId, text });
    reply.then(
      (reply) => {
        const { stopReason } = reply;
        this.#take({ type: "replied", turn, reply, ...present({ stopReason }) });
      },
      (error) => this.#takeRefusal(turn, error),
    );
    this.#watchSilence(this.#turn.signal).catch(() => {});
    await abortable(() => written, signal).catch((error) => {
      if (!(error instanceof AcpEndedError) || error.end.kind === "broken") throw error;
      throw this.#endedError(this.#endedBecause ?? endWords(error.end), error);
    });
  }

  view() {
    this.#take({ type: "looked" });
    return viewOf(this.#state, this.#options.clock.now());
  }

  pending() {
    return this.#pending.list();
  }

  async cancel(): Promise<void> {
    this.#take({ type: "cancelled", because: "asked" });
    await this.#connection.cancel({ sessionId: this.sessionId });
  }

  usage(): AcpUsage | undefined {
    const { cost, tokens } = this.#state.usage;
    if (cost === undefined && Object.keys(tokens).length === 0) return undefined;
    return { sessionId: this.sessionId, usage: tokens, ...present({ cost }) };
  }

  failure() {
    return failureOf(this.#state, this.provider.failures ?? []);
  }

  violation() {
    return this.#state.violation;
  }

  denied() {
    return this.#state.denied;
  }

  describeEnd(): string | undefined {
    return this.#end === undefined ? undefined : this.#endedBecause ?? endWords(this.#end);
  }

  exitCode(): number | undefined {
    return this.#end?.kind === "exited" ? this.#end.code : this.#end && 1;
  }

  listPids() {
    return this.#connection.listPids();
  }

  stderrTail(): string {
    return this.#connection.stderrTail().join("\n");
  }

  takeWork(): readonly AgentFact[] {
    const facts = this.#facts;
    this.#facts = [];
    return facts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turn.abort();
    await this.#connection[Symbol.asyncDispose]();
    await this.ended;
  }

  replayed(callId: string): void {
    this.#take({ type: "replayed", callId });
  }

  update({ sessionId, update: given }: AcpSessionNotification): void {
    const update = readUpdate(given);
    if (sessionId !== this.sessionId) return this.#takeOther(sessionId, update);
    // What comes before the first prompt can only be of the session's past.
    const isPast = this.resumed && this.#state.turns === 0;
    if (isPast && update.type === "call") return this.replayed(update.call.id);
    if (isPast && (update.type === "message" || update.type === "thought" || update.type === "plan")) return;
    this.#take({ type: "update", update });
  }

  unread({ sessionId = this.sessionId, about }: AcpUnread): void {
    if (sessionId !== this.sessionId) return this.#noteOtherSession();
    if (this.resumed && this.#state.turns === 0 && about !== "mode") return;
    this.#take({ type: "unread", about: about === "mode" ? about : readUnreadCall(about) });
  }

  extension(params: unknown): void {
    const told = readOwnMode(params);
    if (told?.sessionId === this.sessionId) this.#take({ type: "update", update: told.update });
  }

  async permission(
    { options, sessionId, toolCall }: AcpPermissionRequest,
    signal: AbortSignal,
  ): Promise<AcpPermissionOutcome> {
    if (sessionId !== this.sessionId) {
      this.#noteOtherSession();
      return { outcome: "cancelled" };
    }
    const patch = readCall(toolCall);
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
    return await this.#pending.wait(put, offered, { signal, onWaiting });
  }

  async elicitation(question: AcpElicitation, signal: AbortSignal): Promise<AcpElicitationReply> {
    const { sessionId } = question;
    if (sessionId !== undefined && sessionId !== this.sessionId) {
      this.#noteOtherSession();
      return { action: "cancel" };
    }
    const { request, ways } = formAsked(question, { id: this.#nextId() });
    const onWaiting = () => this.#take({ type: "asked", id: request.id, text: request.subject });
    return await this.#pending.wait(request, ways, { signal, onWaiting });
  }

  trouble(text: string): void {
    this.#take({ type: "trouble", text });
  }

  #exactRequest(patch: CallPatch, id: string): Request {
    const { launch: { workdir }, provider: { acp: { tools } } } = this.#options;
    return exactRequestOf(patch, { id, tools, workdir, known: this.#state.calls.get(patch.id) });
  }

  #nextId(): string {
    return `${this.id}-${++this.#requests}`;
  }

  #take(event: AcpEvent): void {
    const before = this.#state;
    const { state, activities, facts } = foldAcp(before, event, {
      nowMs: this.#options.clock.now(),
      rules: this.#rules,
    });
    this.#state = state;
    if (facts.length > 0) this.#facts = [...this.#facts, ...facts.map(bounded)].slice(-MAX_FACTS);
    for (const activity of activities) this.#options.onActivity?.(activity);
    if (state.phase !== "open") this.#turn.abort();
    if (state.violation !== undefined && before.violation === undefined) {
      this.#endedBecause ??= state.violation;
      this.#connection.killNow();
    }
    const isNews = state.phase !== before.phase || state.end !== before.end || state.violation !== before.violation ||
      state.waiting.size > before.waiting.size;
    if (isNews) { for (const listener of this.#listeners) listener("now"); }
  }

  #takeRefusal(turn: number, error: unknown): void {
    if (!(error instanceof AcpReplyError)) return;
    const { rpcCode: code, reason, words = reason } = error;
    this.#take({ type: "refused", turn, code, text: words });
  }

  #onHint(listener: (hint: WakeHint) => void): Disposable {
    // One function may listen twice.
    const own = (hint: WakeHint) => listener(hint);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
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

  /** Cancels a turn that has been silent for too long; an agent that does not even end it then is ended. */
  async #watchSilence(over: AbortSignal): Promise<void> {
    const { clock, silenceLimitMs = SILENCE_LIMIT_MS } = this.#options;
    for (;;) {
      const { heardMs, waiting } = this.#state;
      const leftMs = heardMs + silenceLimitMs - clock.now();
      const isBusy = waiting.size > 0 || runningCalls(this.#state) > 0;
      if (leftMs <= 0 && !isBusy) break;
      await clock.sleep(Math.max(leftMs, LOOK_AGAIN_MS), over);
    }
    const seconds = silenceLimitMs / 1000;
    this.#take({ type: "trouble", text: `The agent has been silent for ${seconds} s; its turn is cancelled.` });
    this.#take({ type: "cancelled", because: "silent" });
    await this.#connection.cancel({ sessionId: this.sessionId });
    await clock.sleep(CANCEL_GRACE_MS, over);
    this.#endedBecause ??= `it was silent for ${seconds} s, and did not end its turn when that was cancelled`;
    await this.#connection[Symbol.asyncDispose]();
  }

  #noteEnd(end: AcpEnd): void {
    this.#end = end;
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

/** How a connection ended, for a message. */
function endWords(end: AcpEnd): string {
  if (end.kind === "closed") return "panewright has ended it";
  if (end.kind !== "exited") return describeAcpEnd(end);
  return end.code > 128 ? `killed by signal ${end.code - 128}` : `exit code ${end.code}`;
}

function bounded(fact: AgentFact): AgentFact {
  return fact.type === "saw" && fact.output.length > MAX_OUTPUT_CHARS
    ? { ...fact, output: fact.output.slice(-MAX_OUTPUT_CHARS).toWellFormed() }
    : fact;
}
