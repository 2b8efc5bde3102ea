import { type Role, ROLES } from "../../roles.ts";
import { RuntimeError, UsageError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SandboxRequest } from "../../providers/sandbox.ts";
import type { AgentTerminal } from "../../providers/terminal/agent_terminal.ts";
import {
  adoptAgentTerminal,
  type AgentTerminalOptions,
  startAgentTerminal,
} from "../../providers/terminal/start_agent_terminal.ts";
import { turnHooksOf } from "../../providers/terminal/turn_hooks.ts";
import type { HookChannel } from "../../dialogs/hook_channel.ts";
import { createSettling, type Settling } from "../../handoff/settle.ts";
import type { Spool } from "../../session_log/spool.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import type { ReviewFact } from "./facts.ts";
import type { ReviewRunPlan } from "./plan.ts";
import type { AgentPane } from "../../run/progress.ts";
import { rolesAhead } from "./machine.ts";
import type { RunState } from "./run_state.ts";

/** The agents of a run, one to a role. Disposal ends no agent: the session does that. */
export interface AgentTeam extends Disposable {
  /**
   * Starts a role's agent where it has not been started: nobody knew that the run would come to it.
   *
   * @returns whether it was started now
   * @throws like {@linkcode startAgents}
   */
  start(role: Role): Promise<boolean>;
  /**
   * The terminal of a role's agent as it is now.
   *
   * @throws {TypeError} when it was not started
   */
  terminalOf(role: Role): AgentTerminal;
  /** The agents that were started so far. */
  agents(): Iterable<readonly [Role, AgentTerminal]>;
  /**
   * Whether a role's agent has come to rest since it was started: all are looked at side by side, so that only the
   * first prompt of a run waits for it.
   */
  hasSettled(role: Role): Promise<boolean>;
  /**
   * Starts a role's agent again whose program has ended, with the session of its CLI where that is known.
   *
   * @throws like {@linkcode startAgents}
   */
  restart(role: Role): Promise<void>;
}

/** What agents are started with. */
export interface StartAgentsOptions {
  readonly plan: ReviewRunPlan;
  readonly session: TmuxSession;
  /** Where the run stands: which agents there were before, and which it will come to. */
  readonly state: () => Pick<RunState, "agents" | "loop">;
  /** The terminal ids of those that are alive. */
  readonly alive: ReadonlySet<string>;
  /** What the CLIs of the agents ask before they open a dialog; missing where there is nobody to ask. */
  readonly hooks?: Pick<HookChannel, "hookOf">;
  /** Where the CLIs of the agents tell that a turn began or ended; missing where there is no such place. */
  readonly turnEvents?: Spool;
  readonly record: (event: ReviewFact) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Starts the agents of the roles that the round will come to side by side, before the first of them gets work: what
 * stands in the way of one, a login say, shows at once and not hours into the job. The others are started when it is
 * their turn. An agent of an earlier process that is alive stays; one that is not is started again, with the session of
 * its CLI where that is known.
 *
 * @throws the error of the first that cannot be started; the others are given up
 */
export async function startAgents(options: StartAgentsOptions): Promise<AgentTeam> {
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([options.signal, gaveUp.signal]);
  const roles = ROLES.filter((role) => isNeeded(role, options));
  using unfinished = new DisposableStack();
  const settling = unfinished.use(createSettling<Role>(options));
  const starts = roles.map(async (role) => {
    const terminal = await haveAgent(role, { ...options, signal });
    // Not when all are ready: it comes to rest while the others start.
    settle(settling, role, terminal);
    return [role, terminal] as const;
  });
  try {
    const terminals = new Map(await Promise.all(starts));
    unfinished.move();
    return createTeam({ terminals, settling }, options);
  } catch (error) {
    gaveUp.abort(error);
    await Promise.allSettled(starts);
    throw error;
  }
}

function isNeeded(role: Role, { state, alive }: StartAgentsOptions): boolean {
  const { agents, loop } = state();
  return rolesAhead(loop).includes(role) || alive.has(agents[role]?.pane?.terminalId ?? "");
}

function settle(settling: Settling<Role>, role: Role, terminal: AgentTerminal): void {
  settling.watch(role, (signal) => terminal.status({ signal }));
}

function createTeam(
  { terminals, settling }: { readonly terminals: Map<Role, AgentTerminal>; readonly settling: Settling<Role> },
  options: StartAgentsOptions,
): AgentTeam {
  const add = (role: Role, terminal: AgentTerminal) => {
    terminals.set(role, terminal);
    settle(settling, role, terminal);
  };
  const terminalOf = (role: Role): AgentTerminal => {
    const terminal = terminals.get(role);
    if (terminal === undefined) throw new TypeError(`Cannot use the agent of ${role}: it was not started`);
    return terminal;
  };
  return {
    async start(role) {
      if (terminals.has(role)) return false;
      add(role, await haveAgent(role, options));
      return true;
    },
    terminalOf,
    agents: () => [...terminals],
    hasSettled: (role) => settling.hasSettled(role),
    async restart(role) {
      const before = terminalOf(role);
      before.releaseRecord();
      await before.close();
      add(role, await haveAgent(role, { ...options, alive: new Set() }));
    },
    [Symbol.dispose]() {
      settling[Symbol.dispose]();
      for (const terminal of terminals.values()) terminal.releaseRecord();
    },
  };
}

/** The living agent of a role, or a new one. */
async function haveAgent(role: Role, options: StartAgentsOptions): Promise<AgentTerminal> {
  const { state, alive, record } = options;
  const agent = state().agents[role];
  if (agent?.pane !== undefined && alive.has(agent.pane.terminalId)) {
    const { terminalId, sandbox = null } = agent.pane;
    if (!isSameSandbox(sandbox, options.plan.sandbox)) throw otherSandbox(role);
    record({ type: "agent_adopted", role, terminalId });
    return adopt(role, { pane: agent.pane, seenRules: agent.seenRules }, options);
  }
  const isSame = agent?.provider === options.plan.agents[role].provider.id;
  if (!isSame || !agent.hasMemory || agent.sessionId === undefined) return await start(role, undefined, options);
  try {
    return await start(role, agent.sessionId, options);
  } catch (error) {
    // A CLI that does not know the session any more ends at once; a dialog or a login stands in the way of every start.
    if (!(error instanceof RuntimeError) || options.signal.aborted) throw error;
    const message = `cannot resume session ${agent.sessionId}: a new one replaces it. ${error.message}`;
    record({ type: "warning", role, message });
    return await start(role, undefined, options);
  }
}

/** A running agent has the sandbox that it was started with, whatever the configuration says by now. */
function isSameSandbox(started: readonly string[] | null, wanted: SandboxRequest | undefined): boolean {
  return wanted === undefined || (started !== null && started.every((path) => wanted.writable.includes(path)));
}

function otherSandbox(role: Role): UsageError {
  return new UsageError(
    `Cannot keep the agent of ${role} at work: it was not started in the sandbox that is configured`,
    {
      hint: 'End it with "panewright stop", then resume the run: the agent is started anew, with its session.',
    },
  );
}

function adopt(
  role: Role,
  { pane, seenRules }: { readonly pane: AgentPane; readonly seenRules: readonly string[] },
  options: StartAgentsOptions,
): Promise<AgentTerminal> {
  const { terminalId: paneId, pid, launchedAtMs, wrapperShell } = pane;
  const agent = { pane: { paneId, pid }, launchedAtMs, wrapperShell, seenRules };
  return adoptAgentTerminal(terminalOptions(role, options), agent);
}

async function start(role: Role, resumes: string | undefined, options: StartAgentsOptions): Promise<AgentTerminal> {
  const { plan, session, record, clock } = options;
  const startedAtMs = clock.now();
  const { provider } = plan.agents[role];
  const resume = resumes === undefined ? {} : { resumes };
  record({ type: "agent_starting", role, provider: provider.id, ...resume });
  const { request, ...common } = terminalOptions(role, options);
  const terminal = await startAgentTerminal({
    ...common,
    request: resumes === undefined ? request : { ...request, resume: resumes },
  });
  const { paneId: terminalId, pid, startTime } = session.knownPane(terminal.pane);
  record({
    type: "agent_ready",
    role,
    terminalId,
    seconds: (clock.now() - startedAtMs) / 1000,
    pid,
    ...(startTime === undefined ? {} : { processStart: startTime }),
    ...(terminal.wrapperShell === undefined ? {} : { wrapperShell: terminal.wrapperShell }),
    launchedAtMs: terminal.launchedAtMs,
    ...(plan.sandbox === undefined ? {} : { sandbox: plan.sandbox.writable }),
  });
  return terminal;
}

function terminalOptions(role: Role, options: StartAgentsOptions): AgentTerminalOptions {
  const { plan, session, hooks, turnEvents, record, clock, signal } = options;
  const { provider, ...request } = plan.agents[role];
  const { turnHook, hookMail } = turnEvents && provider.terminal.hasTurnHooks ? turnHooksOf(turnEvents, role) : {};
  return {
    session,
    provider,
    request: {
      ...request,
      role,
      workdir: plan.workdir,
      keepScrollback: !plan.handoff.strictFileHandoff,
      ...(hooks === undefined ? {} : { hook: hooks.hookOf(role) }),
      ...(plan.sandbox === undefined ? {} : { sandbox: plan.sandbox }),
      ...(turnHook === undefined ? {} : { turnHook }),
    },
    ...(hookMail === undefined ? {} : { hookMail }),
    startTimeoutMs: plan.startupTimeoutSeconds * 1000,
    quietMs: plan.quietSeconds * 1000,
    log: (message) => record({ type: "warning", role, message }),
    clock,
    signal,
  };
}
