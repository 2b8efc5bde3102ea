import { HumanInterventionRequiredError, PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { sleepUntilTime } from "../../base/ports/calendar.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import type { Fallbacks } from "../../turn/ladder.ts";
import { createSettling, type Settling } from "../../turn/settle.ts";
import type { Role } from "../../base/roles.ts";
import { loginOf } from "../fallback.ts";
import { rolesAhead } from "./machine.ts";
import { mayRecover } from "../../journal/recovery.ts";
import { fallbacksFor, loginInUse, planWithDue } from "./role_due.ts";
import type { RoleAgent } from "./role_agent.ts";
import { adoptInPane } from "./role_pane.ts";
import type { RunParts } from "./run_parts.ts";
import { type RoleStartOptions, startRole } from "./start_role.ts";
import { agentOf } from "./plan.ts";

export interface AgentTeam extends AsyncDisposable {
  /**
   * Starts a role's agent where it has not been started: nobody knew that the run would come to it; and the role's own
   * again, where another agent has taken its place and need not any more.
   */
  start(role: Role): Promise<void>;
  terminalOf(role: Role): RoleAgent;
  agents(): Iterable<readonly [Role, RoleAgent]>;
  /**
   * Whether a role's agent has come to rest since it was started: all are looked at side by side, so that only the
   * first prompt of a run waits for it.
   */
  hasSettled(role: Role): Promise<boolean>;
  /** Who may take the place of a role's agent, of other providers or with other logins. */
  fallbacks(role: Role): Fallbacks;
  /** Whether turns that have failed may still be tried again. */
  mayRecover(): boolean;
  /** Another agent takes its place, with its session where it has one and that is not to be left. */
  restart(role: Role, options?: { readonly isFresh: boolean }): Promise<void>;
}

interface StartAgentsOptions extends RoleStartOptions, Pick<RunParts, "state"> {
  readonly alive: ReadonlySet<string>;
}

/**
 * Starts the agents of the roles that the round will come to side by side, before the first of them gets work: what
 * stands in the way of one, a login say, shows at once and not hours into the job. The others are started when it is
 * their turn. An agent of an earlier process that is alive stays; one that is not is started again, with the session of
 * its CLI where that is known.
 */
export async function startAgents(options: StartAgentsOptions): Promise<AgentTeam> {
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([options.signal, gaveUp.signal]);
  const roles = Object.keys(options.plan.agents).filter((role) => isNeeded(role, options));
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
    const started = await Promise.allSettled(starts);
    await closeWithoutPane(started.flatMap((one) => one.status === "fulfilled" ? [one.value[1]] : []));
    throw error;
  }
}

function isNeeded(role: Role, { state, alive }: StartAgentsOptions): boolean {
  const { agents, head: { settings }, loop } = state();
  return rolesAhead(loop, settings).includes(role) || alive.has(agents[role]?.pane?.terminalId ?? "");
}

function settle(settling: Settling<Role>, role: Role, terminal: RoleAgent): void {
  settling.watch(role, (signal) => terminal.status({ signal }));
}

function createTeam(
  { terminals, settling }: { readonly terminals: Map<Role, RoleAgent>; readonly settling: Settling<Role> },
  options: StartAgentsOptions,
): AgentTeam {
  const add = (role: Role, terminal: RoleAgent) => {
    terminals.set(role, terminal);
    settle(settling, role, terminal);
  };
  const terminalOf = (role: Role): RoleAgent => {
    const terminal = terminals.get(role);
    if (terminal === undefined) throw new TypeError(`Cannot use the agent of ${role}: it was not started`);
    return terminal;
  };
  const replaceAgent = async (role: Role, { isFresh }: { readonly isFresh: boolean }) => {
    const before = terminalOf(role);
    before.releaseRecord();
    await before.close();
    add(role, isFresh ? await startUsable(role, options) : await haveAgent(role, { ...options, alive: new Set() }));
  };
  return {
    async start(role) {
      if (!terminals.has(role)) return add(role, await haveAgent(role, options));
      const { plan, state, record } = options;
      const due = loginOf(agentOf(planWithDue(role, { plan, state }).plan, role));
      const before = loginInUse(state(), role);
      if (due === before) return;
      const isOwn = due === loginOf(agentOf(plan, role));
      const why = isOwn ? "can be used again" : `takes the place of ${before}, which cannot be used`;
      record({ type: "note", role, message: `${due} ${why}`, passable: true });
      await replaceAgent(role, { isFresh: true });
    },
    terminalOf,
    agents: () => [...terminals],
    hasSettled: (role) => settling.hasSettled(role),
    fallbacks: (role) => fallbacksFor(role, options),
    mayRecover: () => mayRecover(options.state(), options.plan.caps),
    restart: (role, { isFresh } = { isFresh: false }) => replaceAgent(role, { isFresh }),
    async [Symbol.asyncDispose]() {
      settling[Symbol.dispose]();
      for (const terminal of terminals.values()) terminal.releaseRecord();
      await closeWithoutPane([...terminals.values()]);
    },
  };
}

/** Also where one cannot be closed well, all have ended when this settles. */
async function closeWithoutPane(terminals: readonly RoleAgent[]): Promise<void> {
  const closed = await Promise.allSettled(
    terminals.map((terminal) => terminal.via === "pane" ? undefined : terminal.close()),
  );
  const failed = closed.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Starts the agent that is due; where it cannot be started, the next one that may take its place. */
async function startUsable(
  role: Role,
  planned: StartAgentsOptions,
  start: (options: StartAgentsOptions) => Promise<RoleAgent> = (options) => startRole(role, undefined, options),
): Promise<RoleAgent> {
  const { plan: { handoff }, state, record, clock, signal } = planned;
  for (;;) {
    const options = planWithDue(role, planned);
    try {
      return await start(options);
    } catch (error) {
      const [{ at }, login, now] = [fallbacksFor(role, planned), loginInUse(state(), role), new Date()];
      if (!(error instanceof PanewrightError) || error instanceof UsageError || signal.aborted) throw error;
      if (at === undefined || login === undefined || (at > now && !handoff.waitForUsageLimitReset)) throw error;
      // What all of them are in is opened anew elsewhere.
      if (await planned.session?.isLost() === true) throw error;
      const until = at > now ? at : now;
      record({
        ...{ type: "agent_unusable", role, login, message: error.message, retryAt: until.toISOString() },
        class: error instanceof HumanInterventionRequiredError ? "auth" : "other",
      });
      await sleepUntilTime(until, { clock, wallClock: () => new Date(), signal });
    }
  }
}

async function haveAgent(role: Role, planned: StartAgentsOptions): Promise<RoleAgent> {
  return await startUsable(role, planned, (options) => haveThis(role, options));
}

async function haveThis(role: Role, options: StartAgentsOptions): Promise<RoleAgent> {
  const { plan, state, alive, record } = options;
  const agent = state().agents[role];
  const isSame = loginInUse(state(), role) === loginOf(agentOf(plan, role));
  if (agent?.pane !== undefined && alive.has(agent.pane.terminalId)) {
    const { pane, seenRules } = agent;
    // The network of one that is in a sandbox has ended with the process that held it.
    const isAdoptable = plan.sandbox?.whole === undefined && roleDriverOf(agentOf(plan, role)) === "pane" && isSame;
    if (isAdoptable) return await adoptInPane(role, { pane, seenRules }, options);
    // The configuration has given the role another agent meanwhile: two would work at the same time.
    await options.session?.closePane({ paneId: pane.terminalId, pid: pane.pid });
  }
  if (!isSame || agent?.hasMemory !== true || agent.sessionId === undefined) {
    return await startRole(role, undefined, options);
  }
  try {
    return await startRole(role, agent.sessionId, options);
  } catch (error) {
    // A CLI that does not know the session any more ends at once; a dialog or a login stands in the way of every start.
    if (!(error instanceof RuntimeError) || options.signal.aborted) throw error;
    const message = `cannot resume session ${agent.sessionId}: a new one replaces it. ${error.message}`;
    record({ type: "warning", role, message });
    return await startRole(role, undefined, options);
  }
}
