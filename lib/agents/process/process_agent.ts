import { AgentAtWorkError, PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import type { ProcessInfo } from "../../base/ports/process_table.ts";
import { errorText } from "../../base/text/error_text.ts";
import { addUsage, type Usage } from "../../base/usage.ts";
import type { Request } from "../../policy/request.ts";
import { type AnswerWays, type PendingRequest, PendingRequests } from "../acp/pending.ts";
import type { AgentAnswer, AgentEvent } from "../agent.ts";
import { type AgentListener, type AgentView, type DrivenAgent, exitWords, Listeners } from "../driven_agent.ts";
import type { AgentFailure } from "../failure.ts";
import type { Provider } from "../provider.ts";
import { Account } from "./account.ts";
import { createActivityTeller } from "./activities.ts";
import type { SessionReader } from "./cli.ts";
import type { CommandHooks, HookReply } from "./command_hooks.ts";
import { Confinement } from "./confinement.ts";
import { ReportOrLog } from "./report_or_log.ts";
import type { CliStart } from "./start.ts";
import { type CliProcess, startCliProcess } from "./start_process.ts";
import { ToldCalls } from "./told_calls.ts";

/** How long a CLI may run after the end of its turn. */
const LINGER_MS = 5000;

const LOG_FIRST_MS = 2000;

const NOT_REFUSED =
  "the CLI runs no hook for its tools: what the step may not write is not refused, and only found after it";

/** The process of one turn, with what it has told. */
interface Turn {
  readonly reader: SessionReader;
  /** What it has told comes to. */
  readonly account: Account;
  /** Aborted once nothing more is written. */
  readonly written: AbortController;
  group?: CliProcess;
  exitCode?: number;
  linger?: AbortController;
  following?: Promise<void>;
  finished?: Promise<void>;
  isOver: boolean;
  hasEnd: boolean;
  hasLingered?: boolean;
}

/**
 * An agent whose CLI is started without a terminal for each message, later ones in the session of the first: the driver
 * of the seam `Agent` for CLIs that have such a mode. Its requests come by hooks of the CLI.
 */
export class ProcessAgent implements DrivenAgent {
  readonly driver = "process";
  readonly launchedAtMs = Date.now();
  readonly id = `process:${crypto.randomUUID().slice(0, 8)}`;
  sessionId: string | undefined;
  ended: Promise<void> = Promise.resolve();
  readonly #gone = Promise.withResolvers<void>();
  readonly #listeners = new Listeners();
  readonly #pending: PendingRequests;
  readonly #activity: ReturnType<typeof createActivityTeller>;
  #told: ToldCalls | undefined;
  readonly #confinement: Confinement | undefined;
  #turn: Turn | undefined;
  #turns = 0;
  #heardMs: number;
  #usedBefore: Usage = {};
  #problem: PanewrightError | undefined;
  /** What earlier turns have left to somebody else; it has the mark of this one as well. */
  #kept: readonly ProcessInfo[] = [];
  #isStopped = false;

  constructor(readonly options: CliStart, readonly hooks: CommandHooks | undefined) {
    const { clock, requiresHooks, resume } = options;
    this.#confinement = Confinement.of(options);
    this.sessionId = resume;
    this.#heardMs = clock.now();
    if (requiresHooks !== undefined) this.#told = new ToldCalls();
    this.#activity = createActivityTeller(options.onActivity);
    this.#pending = new PendingRequests((id, answer) => {
      this.#activity({ type: "permission_answered", id, answer });
      this.#tell({ type: "answered", id });
    });
  }

  get provider() {
    return this.options.provider;
  }

  /**
   * Begins a turn: resolves once the CLI is started with the text.
   *
   * @throws {AgentAtWorkError} while a turn is under way
   * @throws {UsageError} when there is no such program
   */
  async send(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    const { clock, launch, name, onForcedExit, provider: { failures, headless } } = this.options;
    const end = this.describeEnd();
    if (end !== undefined) throw new RuntimeError(`Cannot send the ${name} a prompt: its agent has ended: ${end}`);
    if (this.#isWorking) throw new AgentAtWorkError(`Cannot send the ${name} a prompt: it is at work`);
    this.#usedBefore = this.#usage();
    this.#turns++;
    this.#heardMs = clock.now();
    const turn: Turn = {
      reader: headless.createReader(launch),
      account: new Account({ askCommands: [], onFact: () => {}, ...present({ failures }) }),
      written: new AbortController(),
      isOver: false,
      hasEnd: false,
    };
    this.#turn = turn;
    this.#activity({ type: "turn_begun", text });
    const started = Promise.withResolvers<CliProcess>();
    const teller = new ReportOrLog(headless.openLog !== undefined, (events) => this.#takeAll(turn, events));
    try {
      const log = await headless.openLog?.({
        ...{ workdir: launch.workdir, env: { ...Deno.env.toObject(), ...launch.env }, prompt: text },
        ...{ resumeSessionId: this.sessionId, startedAt: Date.now(), sessionId: () => this.sessionId },
        listPids: async () => await (await started.promise).listPids(),
        writerEnded: turn.written.signal,
      });
      const group = await startCliProcess(this.options, {
        ...{ text, sessionId: this.sessionId, hooks: this.hooks?.commands, signal },
        onLine: (line) => {
          this.options.onLine?.(line, "report");
          teller.take(turn.reader.readReport(line), "report");
        },
      });
      turn.group = group;
      group.keep(this.#kept);
      const takeBack = onForcedExit?.(() => group.killNow(), { mark: this.options.mark });
      started.resolve(group);
      this.ended = this.#follow(turn, { log, teller }).finally(() => takeBack?.());
    } catch (error) {
      turn.isOver = true;
      throw error;
    }
    if (this.#isStopped) await this.stop();
  }

  /** Until its program has ended. What that has left is ended with the turn. */
  async #follow(turn: Turn, { log, teller }: {
    readonly log: AsyncIterable<readonly string[]> | undefined;
    readonly teller: ReportOrLog;
  }): Promise<void> {
    const { clock, worker } = this.options;
    clock.sleep(LOG_FIRST_MS, turn.written.signal).then(() => teller.decide("report"), () => {});
    turn.following = Promise.all([this.#followLog(turn, { log, teller }), this.#followHooks(turn)])
      .then(() => teller.decide("report"));
    turn.following.catch((error) => this.#stopFor(error));
    turn.exitCode = await turn.group?.ended ?? 1;
    if (worker === "step") return;
    if (!this.#isStopped && turn.finished === undefined) {
      await this.options.onLeft?.(this).catch((error) => this.#stopFor(error));
    }
    await this.#finish(turn).catch((error) => this.#stopFor(error));
  }

  /** Ends what is left of a turn. @throws when something that was told could not be taken in */
  #finish(turn: Turn): Promise<void> {
    return turn.finished ??= (async () => {
      try {
        await turn.group?.stop();
      } finally {
        turn.written.abort();
        await turn.following;
        turn.account.close({ isCut: false });
        turn.isOver = true;
        this.#noteEnd(turn);
      }
    })();
  }

  #noteEnd(turn: Turn): void {
    const { failure } = this.#outcomeOf(turn);
    const reason = failure?.text ?? this.describeEnd() ?? "end_turn";
    this.#activity({ type: "turn_ended", reason, isGood: failure === undefined && this.describeEnd() === undefined });
    if (this.#isStopped) this.#activity({ type: "ended", text: this.describeEnd() ?? "" });
    this.#tell();
  }

  events({ signal }: { readonly signal?: AbortSignal } = {}) {
    return this.#listeners.events({ ended: this.#gone.promise, signal });
  }

  listen(listener: AgentListener): Disposable {
    return this.#listeners.listen(listener);
  }

  view(): AgentView {
    const turn = this.#turn;
    const quietMs = this.options.clock.now() - this.#heardMs;
    const of = `turn ${this.#turns}`;
    const about = (state: AgentView["state"], evidence: string): AgentView => {
      const lastMessage = turn?.account.lastSaid ?? "";
      return { state, turns: this.#turns, lastMessage, quietMs, mayBeOver: false, evidence };
    };
    const end = this.describeEnd();
    if (end !== undefined) return about("ended", `its process has ended: ${end}`);
    if (turn === undefined) return about("idle", "it was given nothing yet");
    if (turn.isOver) return about("idle", `its process has ended with code ${turn.exitCode ?? 0} after ${of}`);
    const waiting = this.#pending.list().length;
    if (waiting > 0) return about("waiting", `${waiting} of its requests without an answer`);
    return about("working", `the process of ${of} runs; last heard of ${Math.floor(quietMs / 1000)} s ago`);
  }

  pending(): readonly Request[] {
    return this.#pending.list().map(({ request }) => request);
  }

  requests(): readonly PendingRequest[] {
    return this.#pending.list();
  }

  answer(id: string, answer: AgentAnswer): Promise<boolean> {
    return this.#pending.answer(id, answer);
  }

  async cancel(): Promise<void> {
    if (this.#isWorking) await this.#finish(this.#turn!);
  }

  usage() {
    const sessionId = `${this.sessionId ?? this.id}@${this.launchedAtMs}`;
    return { sessionId, usage: this.#usage() };
  }

  failure(): AgentFailure | undefined {
    return this.#turn?.isOver === true ? this.#outcomeOf(this.#turn).failure : undefined;
  }

  problem(): Error | undefined {
    return this.#problem;
  }

  unproven(): Error | undefined {
    return this.#confinement?.unproven();
  }

  describeEnd(): string | undefined {
    if (this.#isStopped) return "panewright has ended it";
    return this.#turn?.isOver === true ? this.#outcomeOf(this.#turn).death : undefined;
  }

  exitCode(): number | undefined {
    return this.#turn?.exitCode;
  }

  lingers(): boolean {
    return this.#turn?.hasLingered === true;
  }

  stderrTail(): string {
    return this.#turn?.group?.stderrTail() ?? "";
  }

  async listPids(): Promise<readonly number[]> {
    return await this.#turn?.group?.listPids() ?? [];
  }

  async processes() {
    const { pid: root = 0, listProcesses } = this.#turn?.group ?? {};
    return { root, own: await listProcesses?.() ?? [] };
  }

  keep(processes: readonly ProcessInfo[]): void {
    this.#kept = [...this.#kept, ...processes];
    this.#turn?.group?.keep(processes);
  }

  async freeze(pids: readonly number[]): Promise<void> {
    await this.#turn?.group?.freeze(pids);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    try {
      if (this.#turn !== undefined && this.#turn.group !== undefined) await this.#finish(this.#turn);
    } finally {
      this.#gone.resolve();
      await this.hooks?.[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #isWorking(): boolean {
    return this.#turn !== undefined && !this.#turn.isOver;
  }

  #usage(): Usage {
    return addUsage(this.#usedBefore, this.#turn?.account.usage ?? {});
  }

  /** How a turn that is over has failed, or how its program died in it. */
  #outcomeOf({ account, exitCode = 0, group, hasEnd }: Turn): {
    readonly failure?: AgentFailure;
    readonly death?: string;
  } {
    if (!hasEnd && exitCode > 128) return { death: exitWords(exitCode) };
    const { error, failure: kind = "other", usageLimit } = account.result({
      ...{ exitCode, stderr: group?.stderrTail().trim() ?? "", isTurnOver: hasEnd },
    });
    if (error === undefined) return {};
    const evidence = `the end of turn ${this.#turns}`;
    const resetsAt = usageLimit?.resetsAt;
    return { failure: { class: kind, text: error, evidence, isTurnOver: true, ...present({ resetsAt }) } };
  }

  #stopFor(error: unknown): void {
    this.#problem ??= error instanceof PanewrightError
      ? error
      : new RuntimeError(`Cannot follow the ${this.options.name}: ${errorText(error)}`, { cause: error });
    this.#turn?.group?.stop().catch(() => {});
    this.#tell();
  }

  async #followLog(turn: Turn, { log, teller }: {
    readonly log: AsyncIterable<readonly string[]> | undefined;
    readonly teller: ReportOrLog;
  }): Promise<void> {
    if (log === undefined) return;
    try {
      for await (const lines of log) {
        teller.decide("log");
        for (const line of lines) {
          this.options.onLine?.(line, "log");
          for (const event of turn.reader.readLog(line)) {
            const problem = this.#confinement?.read(event);
            if (problem !== undefined) this.#stopFor(problem);
            teller.take([event], "log");
          }
        }
      }
    } catch (error) {
      // The report and the command's own record are still there.
      const why = errorText(error);
      teller.take([{ type: "trouble", text: `the session log cannot be read: ${why}` }], "log");
    }
  }

  async #followHooks(turn: Turn): Promise<void> {
    const { mayGoOn = () => true } = this.options;
    await this.hooks?.follow({
      heard: (id) => this.#told?.heard(id),
      take: (event) => {
        if (event.type === "ended") this.#take(turn, { ...event, source: "hook" });
        else {
          const { id, command } = event;
          this.#take(turn, { type: "called", source: "hook", id, commands: [{ command, isCertain: true }] });
        }
        return mayGoOn();
      },
      asked: (request, reply) => this.#asked(turn, { request, reply }).catch((error) => this.#stopFor(error)),
    }, { signal: turn.written.signal });
  }

  async #asked(turn: Turn, { request, reply }: {
    readonly request: Request;
    readonly reply: (answer: HookReply) => void;
  }): Promise<void> {
    const { isPut } = this.options;
    const { signal } = turn.written;
    const isLeft = request.needsPermission === false && await isPut?.(request, this.id) === false;
    if (isLeft) return signal.aborted ? undefined : reply("leave");
    const isQuestion = request.kind === "question";
    const ways: AnswerWays<HookReply> = {
      ...(isQuestion ? {} : { allow: { behavior: "allow" } }),
      reject: { behavior: "deny" },
      rejectWith: (reason) => ({ behavior: "deny", reason }),
      gone: "leave",
    };
    const onWaiting = (asked: Request) => this.#take(turn, { type: "asked", request: asked });
    const answer = await this.#pending.wait(request, ways, { signal, onWaiting });
    if (!signal.aborted) reply(answer);
  }

  /** A call that has run although no hook told of it was judged by nobody, and refused nothing. */
  #requireTold(turn: Turn, event: Extract<AgentEvent, { type: "called" | "ended" }>): void {
    if (this.#told?.lacks(event) !== true) return;
    this.#told = undefined;
    if (this.options.requiresHooks === "to_judge") {
      return this.#stopFor(notJudged(this.provider, "they do not report its calls"));
    }
    this.#take(turn, { type: "trouble", text: NOT_REFUSED });
  }

  #takeAll(turn: Turn, events: readonly AgentEvent[]): void {
    for (const event of events) this.#take(turn, event);
  }

  #take(turn: Turn, event: AgentEvent): void {
    const { clock } = this.options;
    this.#heardMs = clock.now();
    switch (event.type) {
      case "session":
        if (event.sessionId === turn.account.sessionId) break;
        this.sessionId = event.sessionId;
        this.#activity({
          ...{ type: "session", agent: this.provider.label, sessionId: event.sessionId },
          resumed: this.options.resume === event.sessionId || this.#turns > 1,
        });
        break;
      case "called":
      case "ended":
        this.#requireTold(turn, event);
        break;
      case "said":
      case "ran":
        // What does something is not at its end: a new turn may begin by itself.
        turn.linger?.abort();
        break;
      case "turn_end":
        turn.hasEnd = true;
        turn.linger?.abort();
        turn.linger = new AbortController();
        clock.sleep(LINGER_MS, AbortSignal.any([turn.linger.signal, turn.written.signal])).then(
          () => this.#endLingering(turn),
          () => {},
        );
    }
    turn.account.take(event);
    this.#activity.of(event);
    this.#tell(event);
  }

  /** Its turn is over, and its program has not ended by itself. */
  #endLingering(turn: Turn): void {
    turn.hasLingered = true;
    if (this.options.worker !== "step") void this.#finish(turn).catch((error) => this.#stopFor(error));
    else this.#tell();
  }

  #tell(...events: readonly AgentEvent[]): void {
    this.#listeners.tell(events);
  }
}

export function notJudged({ label }: Pick<Provider, "label">, problem: string): UsageError {
  return new UsageError(
    `Cannot keep the rules of permissions.deny and permissions.ask, which need the hooks of ${label}: ${problem}`,
    {
      hint: "Codex has such hooks from 0.130.0 on, and a --settings among the arguments of Claude Code replaces them.",
    },
  );
}
