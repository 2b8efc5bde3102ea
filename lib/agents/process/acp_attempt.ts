import type { TurnEnd } from "../agent.ts";
import { HumanInterventionRequiredError, type PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import type { AcpActivity } from "../acp/activity.ts";
import { type AcpAgent, type PendingRequest, startAcpAgent } from "../acp/agent.ts";
import { asksBeforeAll } from "../acp/acp_provider.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { AcpCommands } from "./acp_commands.ts";
import { type AgentEnd, type AgentProcesses, type AttemptParts, AttemptWatch } from "./attempt_watch.ts";
import type { Request } from "../../policy/request.ts";
import type { CallVerdict } from "./call_judge.ts";
import type { AttemptRequest } from "./seam.ts";
import { present } from "../../base/schema.ts";

/** Looks at the agent even though nothing hinted at news. */
const LOOK_ANYWAY_MS = 1000;

/** How often an agent whose turn a refusal has ended is told to continue without what was refused. */
const MAX_CONTINUATIONS = 5;

/** What it is told then. */
const CONTINUE =
  "That has ended your turn, but your task is not over: continue without it. If that is impossible, say so.";

/**
 * Lets an agent over the Agent Client Protocol work on an attempt, to the end of its turn.
 *
 * @throws {UsageError} when there is no such program, or its calls cannot be judged
 * @throws {HumanInterventionRequiredError} when it is not logged in
 */
export async function workByAcp(
  request: AttemptRequest,
  { account, files, provider }: AttemptParts & { readonly provider: AcpAgentProvider },
): Promise<AgentEnd> {
  if (request.judge?.judgesAll === true && !asksBeforeAll(provider.acp)) throw notJudged(provider);
  const watch = new AttemptWatch(request, account);
  const work = new AcpAtWork(request, { account, files, provider, watch });
  try {
    const ended = await watch.run({
      start: (signal) => work.start(signal),
      follow: (agent) => [work.follow(agent)],
      drain: () => work.drain(),
    });
    if (work.broken !== undefined) throw work.broken;
    // We have ended it ourselves then.
    const exitCode = ended.end === "turn_over" ? 0 : ended.exitCode;
    return { ...ended, exitCode, stderr: work.stderr, ...present({ error: work.error }) };
  } catch (error) {
    // An agent that dies at once may live the next time.
    if (error !== work.failedStart || !(error instanceof RuntimeError)) throw error;
    account.take({ type: "turn_end", outcome: "failed", error: error.message }, "report");
    return { end: "ended", exitCode: 1, stderr: "" };
  } finally {
    if (work.stderr !== "") files.note(`stderr: ${work.stderr}`);
  }
}

function notJudged({ label }: AcpAgentProvider): UsageError {
  return new UsageError(
    `Cannot keep the rules of permissions.deny and permissions.ask: ${label} does not ask before all that it does`,
    { hint: "Give the step another agent, or leave out the entries that name a command or a path." },
  );
}

/** What an agent over ACP tells of, and who hears of it. */
interface AcpParts extends AttemptParts {
  readonly provider: AcpAgentProvider;
  readonly watch: AttemptWatch;
}

interface AcpProcesses extends AgentProcesses {
  readonly agent: AcpAgent;
}

/** An agent over ACP at work on an attempt. */
class AcpAtWork {
  /** Why what it did counts for nothing. */
  error: PanewrightError | undefined;
  /** Why it could not be started. */
  failedStart: unknown;
  /** Why what it told could not be taken in. */
  broken: unknown;
  #agent: AcpAgent | undefined;
  #isTurnOver = false;
  /** Ends the pause between two looks. */
  #wake = new AbortController();
  /** The requests that were decided about. */
  readonly #decided = new Set<string>();
  readonly #commands = new AcpCommands();
  #usage = "";
  /** Why calls were refused, since the agent last did or said anything. */
  #refusals: string[] = [];
  #continuations = 0;

  constructor(readonly request: AttemptRequest, readonly parts: AcpParts) {}

  get stderr(): string {
    return this.#agent?.stderrTail().trim() ?? "";
  }

  async start(signal: AbortSignal): Promise<AcpProcesses> {
    const { args, ask, clock, command, env = {}, model, onForcedExit, resumeSessionId, workdir } = this.request;
    const { files, provider, watch } = this.parts;
    const path = env["PATH"] ?? Deno.env.get("PATH") ?? "";
    try {
      const agent = await startAcpAgent({
        provider,
        name: "agent",
        launch: { workdir, command, model, env, ...present({ args }) },
        variables: { ...watch.variables, PATH: `${ask.launcherFolder}:${path}` },
        ...present({ resume: resumeSessionId }),
        mark: watch.mark,
        clock,
        signal,
        onActivity: (activity) => this.#guarded(() => this.#hear(activity)),
        onLine: (line, from) => this.#guarded(() => files.wire(from, line)),
        ...present({ onForcedExit }),
      });
      this.#agent = agent;
      return {
        agent,
        ended: agent.ended.then(() => agent.exitCode() ?? 1),
        listPids: () => agent.listPids(),
        stop: async () => await agent[Symbol.asyncDispose](),
      };
    } catch (error) {
      this.failedStart = error;
      throw error;
    }
  }

  /** Gives the agent its prompt, and answers what it asks, until its turn is over. */
  async follow({ agent }: AcpProcesses): Promise<void> {
    const { prompt, resumeSessionId } = this.request;
    const { watch } = this.parts;
    using _hints = agent.wakeSource.onHint(() => this.#wake.abort());
    if (resumeSessionId !== undefined && !agent.resumed) {
      const why = agent.notResumedBecause ?? "The agent has begun a new session.";
      return this.#endTurn({ outcome: "failed", error: `its session cannot be continued: ${why}` });
    }
    watch.take({ type: "session", sessionId: agent.sessionId }, "report");
    if (agent.mode !== undefined) watch.take({ type: "permitted", mode: `session mode ${agent.mode}` }, "report");
    await this.#send(agent, prompt);
    while (!watch.isStopped && !watch.written.aborted) {
      this.#wake = new AbortController();
      this.#takeWork(agent);
      if (await this.#isAtItsEnd(agent)) return;
      const signal = AbortSignal.any([this.#wake.signal, watch.written]);
      await this.request.clock.sleep(LOOK_ANYWAY_MS, signal).catch(() => {});
    }
  }

  /** Takes in what the agent told while it was ended. */
  drain(): void {
    const agent = this.#agent;
    if (agent === undefined) return;
    this.#takeWork(agent);
    const denied = agent.denied();
    if (denied.length > 0) this.parts.watch.take({ type: "denied", calls: denied }, "report");
    this.#noteViolation(agent);
    if (this.#isTurnOver) return;
    const how = agent.describeEnd() ?? agent.view().evidence;
    const lastWords = this.stderr.split("\n").at(-1) ?? "";
    const words = lastWords === "" ? "" : `: ${lastWords}`;
    this.#endTurn({ outcome: "failed", error: `the agent ended before its turn was over: ${how}${words}` });
  }

  async #isAtItsEnd(agent: AcpAgent): Promise<boolean> {
    const { watch } = this.parts;
    this.#noteViolation(agent);
    const { state, stopReason } = agent.view();
    switch (state) {
      case "ended":
        watch.stop("ended");
        return true;
      case "idle":
        this.#takeWork(agent);
        if (await this.#continues(agent, stopReason)) return false;
        this.#endTurn(turnEndOf(agent, stopReason));
        return true;
      case "waiting":
        for (const pending of agent.pending()) await this.#answer(pending);
        return false;
      case "working":
        return false;
    }
  }

  /** Some agents end their turn when something is refused, and the protocol has no place for the reason. */
  async #continues(agent: AcpAgent, stopReason: string | undefined): Promise<boolean> {
    const isEndedByNo = this.#refusals.length > 0 && (stopReason === "cancelled" || stopReason === "end_turn");
    if (!isEndedByNo || this.#continuations >= MAX_CONTINUATIONS || this.parts.watch.isStopped) return false;
    this.#continuations++;
    const text = [...this.#refusals, CONTINUE].join("\n\n");
    this.#refusals = [];
    await this.#send(agent, text);
    return true;
  }

  async #send(agent: AcpAgent, text: string): Promise<void> {
    const { written } = this.parts.watch;
    await agent.prompt(text, { signal: written }).catch((error) => {
      // How it ended is told later.
      if (!(error instanceof RuntimeError) && !written.aborted) throw error;
    });
  }

  #noteViolation(agent: AcpAgent): void {
    const violation = agent.violation();
    if (violation === undefined || this.error !== undefined) return;
    this.error = new HumanInterventionRequiredError(`Cannot let the agent of a step continue: ${violation}`, {
      hint: "The rules no longer check what it does. Look at what it did, and give the step another agent.",
    });
    this.parts.watch.stop("unjudged");
  }

  #endTurn(end: Omit<TurnEnd, "type">): void {
    this.#isTurnOver = true;
    const { watch } = this.parts;
    watch.take({ type: "turn_end", ...end }, "report");
    watch.stop("turn_over");
  }

  async #answer(pending: PendingRequest): Promise<void> {
    const { request } = pending;
    const { files, watch } = this.parts;
    if (watch.isStopped || pending.signal.aborted || this.#decided.has(request.id)) return;
    this.#decided.add(request.id);
    const verdict = await this.#verdictOf(request);
    if (watch.isStopped) return;
    switch (verdict.decision) {
      case "ask":
        return watch.halt(request, verdict.question);
      case "allow":
        await pending.answer("allow");
        return;
      case "deny":
        files.note(`refused: ${verdict.reason}`);
        this.#refusals.push(verdict.reason);
        if (request.offers?.reject === true) await pending.answer("reject");
        else this.#stopForNo(verdict.reason);
    }
  }

  async #verdictOf(request: Request): Promise<Exclude<CallVerdict, { decision: "pass" }>> {
    const { judge, refuseWrite } = this.request;
    const reason = refuseWrite?.(request);
    if (reason !== undefined) return { decision: "deny", reason };
    const verdict = await judge?.judge(request) ?? { decision: "pass" };
    return verdict.decision === "pass" ? { decision: "deny", reason: "Nobody decides about it." } : verdict;
  }

  /** The agent takes no plain no: it may not continue. */
  #stopForNo(reason: string): void {
    this.error = new HumanInterventionRequiredError(
      `Cannot refuse what the agent asks for, as it offers no plain no: ${reason}`,
      { hint: "Decide about it in the agent's own settings, then resume the run." },
    );
    this.parts.watch.stop("unjudged");
  }

  /** No agent may work on without a record. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.broken ??= error;
      this.parts.watch.stop("broken");
    }
  }

  #takeWork(agent: AcpAgent): void {
    const { watch } = this.parts;
    for (const fact of agent.takeWork()) watch.take(fact, "report");
    const used = agent.usage();
    const told = JSON.stringify(used);
    if (used === undefined || told === this.#usage) return;
    this.#usage = told;
    const { usage, cost } = used;
    watch.take({ type: "cost", usage, isRough: false }, "report");
    watch.take({ type: "usage", usage, ...present({ cost }) }, "report");
  }

  /** What it does right now: a command that asks is heard before it runs. */
  #hear(activity: AcpActivity): void {
    this.#wake.abort();
    if (isWork(activity)) this.#refusals = [];
    for (const observation of this.#commands.take(activity)) this.parts.watch.take(observation, "report");
  }
}

/** Whether an agent continues its turn. */
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

/** How a turn ended, by the agent's word: only its stop reason proves that it came to its end. */
function turnEndOf(agent: AcpAgent, stopReason: string | undefined): Omit<TurnEnd, "type"> {
  const failure = agent.failure();
  const { lastMessage, evidence } = agent.view();
  const said = lastMessage === "" ? {} : { finalText: lastMessage };
  if (failure !== undefined) {
    const { class: kind, text, resetsAt } = failure;
    return { ...said, outcome: "failed", error: text, failure: kind, ...present({ resetsAt }) };
  }
  if (stopReason === "end_turn") return { ...said, outcome: "completed" };
  return { ...said, outcome: "failed", error: `its turn did not come to its end: ${evidence}` };
}
