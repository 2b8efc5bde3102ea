import type { TurnEnd } from "../agent.ts";
import { HumanInterventionRequiredError, type PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import type { AcpActivity } from "../acp/activity.ts";
import { startAcpAgent } from "../acp/agent.ts";
import type { AcpAgent } from "../acp/acp_agent.ts";
import { asksBeforeAll } from "../acp/acp_provider.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { type AgentEnd, type AgentProcesses, type AttemptParts, AttemptWatch } from "./attempt_watch.ts";
import type { Request } from "../../policy/request.ts";
import type { CallVerdict } from "./call_judge.ts";
import type { AttemptRequest } from "./seam.ts";
import { present } from "../../base/schema.ts";

const MAX_CONTINUATIONS = 5;

const CONTINUE =
  "That has ended your turn, but your task is not over: continue without it. If that is impossible, say so.";

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

interface AcpParts extends AttemptParts {
  readonly provider: AcpAgentProvider;
  readonly watch: AttemptWatch;
}

interface AcpProcesses extends AgentProcesses {
  readonly agent: AcpAgent;
}

class AcpAtWork {
  /** Why what it did counts for nothing. */
  error: PanewrightError | undefined;
  /** Why it could not be started. */
  failedStart: unknown;
  /** Why what it told could not be written down. */
  broken: unknown;
  #agent: AcpAgent | undefined;
  #isTurnOver = false;
  /** Why calls were refused, since the agent last did or said anything. */
  #refusals: string[] = [];
  #continuations = 0;

  constructor(readonly request: AttemptRequest, readonly parts: AcpParts) {}

  get stderr(): string {
    return this.#agent?.stderrTail().trim() ?? "";
  }

  async start(signal: AbortSignal): Promise<AcpProcesses> {
    const { args, ask, clock, command, env = {}, model, onForcedExit, resumeSessionId, workdir } = this.request;
    const { provider, watch } = this.parts;
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
        onActivity: (activity) => {
          if (isWork(activity)) this.#refusals = [];
        },
        onLine: (line, from) => this.#keepLine(line, from),
        ...present({ onForcedExit }),
      });
      this.#agent = agent;
      return {
        agent,
        ended: agent.ended.then(() => agent.exitCode() ?? 1),
        listPids: () => agent.listPids(),
        stop: () => agent.stop(),
      };
    } catch (error) {
      this.failedStart = error;
      throw error;
    }
  }

  async follow({ agent }: AcpProcesses): Promise<void> {
    const { prompt, resumeSessionId } = this.request;
    const { watch } = this.parts;
    const events = agent.events();
    using _news = agent.listen(() => this.#noteViolation(agent));
    if (resumeSessionId !== undefined && !agent.resumed) {
      const why = agent.notResumedBecause ?? "The agent has begun a new session.";
      return this.#endTurn({ outcome: "failed", error: `its session cannot be continued: ${why}` });
    }
    watch.take({ type: "session", sessionId: agent.sessionId }, "report");
    if (agent.mode !== undefined) watch.take({ type: "permitted", mode: `session mode ${agent.mode}` }, "report");
    await this.#send(agent, prompt);
    for await (const event of events) {
      if (event.type === "asked") await this.#answer(agent, event.request);
      else if (event.type === "turn_end") await this.#takeEnd(agent, event);
      else watch.take(event, "report");
    }
    if (this.#isTurnOver) return;
    const lastWords = this.stderr.split("\n").at(-1) ?? "";
    const words = lastWords === "" ? "" : `: ${lastWords}`;
    const error = `the agent ended before its turn was over: ${agent.describeEnd()}${words}`;
    this.#endTurn({ outcome: "failed", error });
  }

  async #takeEnd(agent: AcpAgent, { type: _, record, ...end }: TurnEnd): Promise<void> {
    if (this.#isTurnOver || this.parts.watch.isStopped) return;
    const isEndedByNo = this.#refusals.length > 0 && (record === "cancelled" || record === "end_turn");
    if (!isEndedByNo || this.#continuations >= MAX_CONTINUATIONS) return this.#endTurn(end);
    this.#continuations++;
    const text = [...this.#refusals, CONTINUE].join("\n\n");
    this.#refusals = [];
    await this.#send(agent, text);
  }

  async #send(agent: AcpAgent, text: string): Promise<void> {
    const { written } = this.parts.watch;
    await agent.send(text, { signal: written }).catch((error) => {
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

  async #answer(agent: AcpAgent, request: Request): Promise<void> {
    const { files, watch } = this.parts;
    if (watch.isStopped || !agent.pending().some(({ id }) => id === request.id)) return;
    const verdict = await this.#verdictOf(request);
    if (watch.isStopped) return;
    switch (verdict.decision) {
      case "ask":
        return watch.halt(request, verdict.question);
      case "allow":
        await agent.answer(request.id, { type: "allow" });
        return;
      case "deny":
        files.note(`refused: ${verdict.reason}`);
        this.#refusals.push(verdict.reason);
        if (request.offers?.reject === true) await agent.answer(request.id, { type: "reject" });
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
  #keepLine(line: string, from: "us" | "agent"): void {
    try {
      this.parts.files.wire(from, line);
    } catch (error) {
      this.broken ??= error;
      this.parts.watch.stop("broken");
    }
  }
}

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
