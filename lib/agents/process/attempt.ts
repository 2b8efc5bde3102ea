import { ASK_CHANNEL_VARIABLE } from "../../base/ports/marks.ts";
import type { ProcessMark } from "../../base/ports/end_processes.ts";
import { HumanInterventionRequiredError, RuntimeError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Request } from "../../policy/request.ts";
import type { AcpActivity } from "../acp/activity.ts";
import type { AgentEvent, TurnEnd } from "../agent.ts";
import type { DrivenAgent } from "../driven_agent.ts";
import { stepDriverOf } from "../drivers.ts";
import { isUnread } from "../hook_payload.ts";
import { runsCommand, stalledText } from "../running_commands.ts";
import { startAgent } from "../start_agent.ts";
import type { Account } from "./account.ts";
import { ATTEMPT_VARIABLE, followAsks } from "./ask_channel.ts";
import { type AskingProcesses, findAskingProcesses, followAskingProcesses } from "./asking_processes.ts";
import type { CallVerdict } from "./call_judge.ts";
import { launchedProgram } from "./launchers.ts";
import type { AttemptRequest } from "./seam.ts";
import type { StepFiles } from "./step_files.ts";

/** How long an ask that runs, and whose text cannot be seen, waits for the command's own record. */
const OWN_RECORD_MS = 1500;

/** How long an ask whose exact text only the shell knows waits until it runs: npx alone takes 10 s on a busy machine. */
const EXACT_TEXT_MS = 30_000;

const MAX_CONTINUATIONS = 5;

const CONTINUE =
  "That has ended your turn, but your task is not over: continue without it. If that is impossible, say so.";

/** The exit code of an agent that was stopped before it had started. */
const NOT_STARTED_CODE = 128 + 15;

type AttemptEnd = "ended" | "turn_over" | "asked" | "halted" | "unjudged" | "aborted" | "time_limit" | "broken";

/** The ends that come before what the agent would have come to later. */
const CUT: readonly AttemptEnd[] = ["halted", "unjudged", "aborted", "time_limit"];

export interface AgentEnd {
  readonly end: AttemptEnd;
  readonly exitCode: number;
  readonly stderr: string;
  readonly halted?: { readonly question: string; readonly call: Request };
  /** Why what it did counts for nothing, unless it asked before. */
  readonly error?: Error;
  /** The same, unless the attempt has failed anyway. */
  readonly unproven?: Error;
}

/** One attempt of a step over an agent, whatever drives that: until its turn is over, it asks, or it is stopped. */
export class Attempt {
  readonly mark: ProcessMark = { name: ATTEMPT_VARIABLE, value: crypto.randomUUID() };
  #agent: DrivenAgent | undefined;
  #isStopped = false;
  readonly #stopped = Promise.withResolvers<AttemptEnd>();
  /** Aborted once nothing more is written. */
  readonly #written = new AbortController();
  readonly #over = new AbortController();
  #halted: AgentEnd["halted"];
  #error: Error | undefined;
  /** What could not be written down. */
  #broken: { readonly error: unknown } | undefined;
  /** What is done about what was told, one thing after another. */
  #acts: Promise<void> = Promise.resolve();
  #isTurnOver = false;
  /** Why calls were refused, since the agent last did or said anything. */
  #refusals: string[] = [];
  #continuations = 0;
  /** How often it has told something. */
  #told = 0;

  constructor(
    readonly request: AttemptRequest,
    readonly parts: { readonly account: Account; readonly files: StepFiles },
  ) {}

  get variables(): Readonly<Record<string, string>> {
    return { [ASK_CHANNEL_VARIABLE]: this.request.ask.channelFolder, [this.mark.name]: this.mark.value };
  }

  /** Whether the agent may go on after a command. */
  get mayGoOn(): boolean {
    return this.parts.account.question === undefined;
  }

  async run(): Promise<AgentEnd> {
    const { account, files } = this.parts;
    const { signal, timeLimitSeconds } = this.request;
    const onAbort = () => this.#stop("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (timeLimitSeconds !== undefined) this.#after(timeLimitSeconds * 1000, () => this.#stop("time_limit"));
    let end: AttemptEnd = "broken";
    try {
      const agent = await this.#start();
      this.#agent = agent;
      if (agent === undefined) end = await this.#stopped.promise;
      else end = await this.#watch(agent);
    } catch (error) {
      if (this.#broken !== undefined) throw this.#broken.error;
      // An agent that dies at once may live the next time.
      if (this.#agent !== undefined || !(error instanceof RuntimeError)) throw error;
      account.take({ type: "turn_end", outcome: "failed", error: error.message });
      return { end: "ended", exitCode: 1, stderr: "" };
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#over.abort();
      account.close({ isCut: CUT.includes(end) });
      if (this.#stderr !== "") files.note(`stderr: ${this.#stderr}`);
    }
    const { driver } = this.#agent ?? {};
    // One that has no process for its turn alone was ended by us then.
    const exitCode = end === "turn_over" && driver !== "process" ? 0 : this.#agent?.exitCode() ?? NOT_STARTED_CODE;
    const problem = this.#error ?? this.#agent?.problem();
    const unproven = this.#agent?.unproven();
    return { end, exitCode, stderr: this.#stderr, ...present({ halted: this.#halted, error: problem, unproven }) };
  }

  get #stderr(): string {
    return this.#agent?.stderrTail().trim() ?? "";
  }

  /** `undefined` where the attempt was to end before it had started. */
  async #start(): Promise<DrivenAgent | undefined> {
    const unstarted = new AbortController();
    let isStarted = false;
    this.#stopped.promise.then(() => isStarted || unstarted.abort());
    const { ask, clock, judge, provider, refuseWrite, onForcedExit, onProgramGone, resumeSessionId, ...request } =
      this.request;
    const { args, command, env, model, sandbox, workdir } = request;
    const judgesAll = judge?.judgesAll === true;
    const judgesCalls = refuseWrite !== undefined || judgesAll;
    try {
      const driver = stepDriverOf(this.request);
      if (driver === "pane") throw new TypeError("no step is in a pane yet");
      const agent = await startAgent(driver, {
        ...{ provider, name: "agent", worker: "step", mark: this.mark, variables: this.variables, clock } as const,
        ...{ ask, requiresHooks: judgesAll ? "to_judge" : judgesCalls ? "to_refuse" : undefined } as const,
        launch: { workdir, command, model, ...present({ args, env, sandbox }) },
        hookUse: { place: ask.hooks, clock, judgesCalls, asks: judge !== undefined, isPatient: false },
        ...present({
          resume: resumeSessionId,
          onForcedExit,
          onProgramGone,
          acceptsTypedInput: judge?.acceptsTypedInput,
        }),
        signal: unstarted.signal,
        mayGoOn: () => this.mayGoOn,
        onActivity: (activity) => {
          if (isWork(activity)) this.#refusals = [];
        },
        onLine: (line, from) => this.#keepLine(line, from),
        onTrouble: (text) => {
          this.parts.files.note(text);
          this.request.onProgress?.({ type: "trouble", text });
        },
      });
      isStarted = true;
      return agent;
    } catch (error) {
      if (unstarted.signal.aborted) return undefined;
      throw error;
    }
  }

  async #watch(agent: DrivenAgent): Promise<AttemptEnd> {
    const { ask } = this.request;
    const processes = { ...ask, self: launchedProgram(ask), listPids: () => agent.listPids(), mark: this.mark };
    const decided = new AbortController();
    using _events = agent.listen((events) => this.#hear(agent, events));
    const listening = Promise.all([
      this.#followAsks(),
      this.#followProcesses(processes, decided.signal),
      this.#followStall(agent, decided.signal),
    ]);
    // It is awaited below; until then an agent must not work without a record.
    listening.catch(() => this.#stop("broken"));
    let end: AttemptEnd;
    try {
      await this.#begin(agent);
      end = await Promise.race([agent.ended.then(() => "ended" as const), this.#stopped.promise]);
      decided.abort();
      try {
        // What the agent has left behind may ask, and is seen for the last time.
        const mayBeLeft = end === "ended"
          ? (await agent.listPids()).length > 0
          // Other commands may ask at the same time.
          : end === "turn_over" || end === "time_limit" || end === "asked";
        const asking = mayBeLeft ? await findAskingProcesses(processes) : [];
        for (const seen of asking) this.#takeSeen(seen);
        // Nothing that stands behind an ask runs while it is open.
        await agent.freeze(asking.map(({ pid }) => pid));
        const hasEnded = end === "ended" || end === "turn_over";
        if (hasEnded && asking.length === 0) await this.request.onLeft?.(agent);
      } finally {
        await agent.stop();
      }
      await this.#acts;
      if (end === "ended") this.#requireEnd(agent);
    } finally {
      decided.abort();
      this.#written.abort();
      await listening;
    }
    if (this.#broken !== undefined) throw this.#broken.error;
    return end;
  }

  async #begin(agent: DrivenAgent): Promise<void> {
    const { prompt, resumeSessionId } = this.request;
    if (resumeSessionId !== undefined && agent.resumed === false) {
      const why = agent.notResumedBecause ?? "The agent has begun a new session.";
      return this.#endTurn({ outcome: "failed", error: `its session cannot be continued: ${why}` });
    }
    if (agent.driver === "acp" && agent.sessionId !== undefined) {
      this.#take({ type: "session", sessionId: agent.sessionId });
      if (agent.mode !== undefined) this.#take({ type: "permitted", mode: `session mode ${agent.mode}` });
    }
    await this.#send(agent, prompt);
  }

  async #send(agent: DrivenAgent, text: string): Promise<void> {
    const stopped = new AbortController();
    this.#stopped.promise.then(() => stopped.abort());
    const signal = AbortSignal.any([this.#written.signal, stopped.signal]);
    await agent.send(text, { signal }).catch((error) => {
      // How it ended is told later.
      const isToldLater = agent.driver === "acp" && error instanceof RuntimeError;
      if (!isToldLater && !signal.aborted) throw error;
    });
  }

  /** A protocol's agent that ends in its turn has not told how that ended. */
  #requireEnd(agent: DrivenAgent): void {
    if (agent.driver === "process" || this.#isTurnOver) return;
    const lastWords = this.#stderr.split("\n").at(-1) ?? "";
    const words = lastWords === "" ? "" : `: ${lastWords}`;
    const error = `the agent ended before its turn was over: ${agent.describeEnd()}${words}`;
    this.#endTurn({ outcome: "failed", error });
  }

  #hear(agent: DrivenAgent, events: readonly AgentEvent[]): void {
    this.#told++;
    for (const event of events) {
      if (event.type === "asked") this.#act(() => this.#answer(agent, event.request));
      else if (event.type === "turn_end" && agent.driver !== "process") this.#act(() => this.#takeEnd(agent, event));
      else this.#take(event);
    }
    if (agent.lingers()) this.#stop("turn_over");
    if (agent.problem() !== undefined) this.#stop("unjudged");
  }

  #act(act: () => Promise<void>): void {
    this.#acts = this.#acts.then(act).catch((error) => this.#break(error));
  }

  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#stop("broken");
  }

  #take(event: AgentEvent): void {
    try {
      this.parts.account.take(event);
    } catch (error) {
      return this.#break(error);
    }
    if (event.type === "called" || event.type === "ended") this.#stopIfAsked();
  }

  async #takeEnd(agent: DrivenAgent, { type: _, record, ...end }: TurnEnd): Promise<void> {
    if (this.#isTurnOver || this.#isStopped) return;
    const isEndedByNo = this.#refusals.length > 0 && (record === "cancelled" || record === "end_turn");
    if (!isEndedByNo || this.#continuations >= MAX_CONTINUATIONS) return this.#endTurn(end);
    this.#continuations++;
    const text = [...this.#refusals, CONTINUE].join("\n\n");
    this.#refusals = [];
    await this.#send(agent, text);
  }

  #endTurn(end: Omit<TurnEnd, "type">): void {
    this.#isTurnOver = true;
    this.#take({ type: "turn_end", ...end });
    this.#stop("turn_over");
  }

  async #answer(agent: DrivenAgent, request: Request): Promise<void> {
    if (this.#isStopped || !agent.pending().some(({ id }) => id === request.id)) return;
    const verdict = await this.#verdictOf(agent, request);
    if (this.#isStopped) return;
    switch (verdict.decision) {
      case "ask":
        this.#halted = { question: verdict.question, call: request };
        return this.#stop("halted");
      case "pass":
        return void await agent.answer(request.id, { type: "leave" });
      case "allow":
        return void await agent.answer(request.id, { type: "allow" });
      case "deny": {
        const { reason } = verdict;
        if (agent.driver === "acp") {
          this.parts.files.note(`refused: ${reason}`);
          this.#refusals.push(reason);
        }
        if (request.offers?.reject !== false) await agent.answer(request.id, { type: "reject", reason });
        else this.#stopForNo(reason);
      }
    }
  }

  async #verdictOf(agent: DrivenAgent, request: Request): Promise<CallVerdict> {
    const { judge, refuseWrite } = this.request;
    const reason = refuseWrite && (isUnread(request) ? "Which file it writes is not known." : refuseWrite(request));
    if (reason !== undefined) return { decision: "deny", reason };
    const verdict = await judge?.judge(request) ?? { decision: "pass" };
    const mustDecide = agent.driver === "acp" && verdict.decision === "pass";
    return mustDecide ? { decision: "deny", reason: "Nobody decides about it." } : verdict;
  }

  /** The agent takes no plain no: it may not continue. */
  #stopForNo(reason: string): void {
    this.#error = new HumanInterventionRequiredError(
      `Cannot refuse what the agent asks for, as it offers no plain no: ${reason}`,
      { hint: "Decide about it in the agent's own settings, then resume the run." },
    );
    this.#stop("unjudged");
  }

  /** No agent may work on without a record. */
  #keepLine(line: string, from: "us" | "agent" | "report" | "log"): void {
    const { files } = this.parts;
    if (from !== "us") this.#told++;
    try {
      if (from === "report") files.raw(line);
      else if (from === "log") files.session(line);
      else files.wire(from, line);
    } catch (error) {
      this.#break(error);
    }
  }

  #stop(end: AttemptEnd): void {
    this.#isStopped = true;
    this.#stopped.resolve(end);
  }

  /** Does something after a time, unless the attempt is over by then. */
  #after(ms: number, act: () => void): void {
    this.request.clock.sleep(ms, this.#over.signal).then(act, () => {});
  }

  async #followAsks(): Promise<void> {
    const { channelFolder } = this.request.ask;
    for await (
      const question of followAsks(channelFolder, { attempt: this.mark.value, signal: this.#written.signal })
    ) {
      this.parts.account.takeQuestion(question);
      this.#stopIfAsked();
    }
  }

  async #followProcesses(processes: AskingProcesses, signal: AbortSignal): Promise<void> {
    const { clock } = this.request;
    const mayAsk = () => this.parts.account.mayAsk;
    const onTrouble = (error: unknown) => {
      this.#take({ type: "trouble", text: `the processes cannot be looked at: ${errorText(error)}` });
    };
    for await (const seen of followAskingProcesses(processes, { mayAsk, onTrouble, clock, signal })) {
      this.#takeSeen(seen);
    }
  }

  /** Ends the turn of an agent that does not get on: its model server may never answer. */
  async #followStall(agent: DrivenAgent, signal: AbortSignal): Promise<void> {
    const { clock, provider, stallMinutes = 0 } = this.request;
    if (stallMinutes === 0) return;
    let told = this.#told;
    for (let looks = 0; looks < STALL_LOOKS; looks++) {
      const isOver = await clock.sleep(stallMinutes * 60_000 / STALL_LOOKS, signal).then(() => false, () => true);
      if (isOver) return;
      // What cannot be told is no standstill.
      const runs = await agent.processes().then((all) => runsCommand(all, provider.commandVariable)).catch(() => true);
      if (told !== this.#told || runs) looks = -1;
      told = this.#told;
    }
    this.#endTurn({ outcome: "failed", error: stalledText(stallMinutes), failure: "network" });
  }

  #takeSeen(seen: Parameters<Account["takeSeen"]>[0]): void {
    const { account } = this.parts;
    // One ask may be several processes, such as those of `npx`.
    const isNew = seen.question !== undefined && ![account.question, ...account.otherQuestions].includes(seen.question);
    if (account.question === undefined || isNew) account.takeSeen(seen);
    this.#stopIfAsked();
    if (seen.question === undefined) this.#settleAfter(OWN_RECORD_MS);
  }

  #stopIfAsked(): void {
    const { account } = this.parts;
    if (account.question !== undefined) this.#stop("asked");
    if (account.awaitsText) this.#settleAfter(EXACT_TEXT_MS);
  }

  #settleAfter(ms: number): void {
    this.#after(ms, () => {
      this.parts.account.settleQuestions();
      this.#stopIfAsked();
    });
  }
}

/** Looks in the time after which an agent has stalled. */
const STALL_LOOKS = 20;

function isWork(activity: AcpActivity): boolean {
  switch (activity.type) {
    case "message":
    case "thought":
      return true;
    case "tool_call":
      return activity.status === "in_progress" || activity.status === "completed";
    default:
      return false;
  }
}
