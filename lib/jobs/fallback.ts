import type { Provider } from "../agents/provider.ts";
import { insideOf } from "../agents/whole_agent.ts";
import type { Unusable } from "../journal/recovery.ts";
import type { Fallbacks } from "../turn/ladder.ts";

/** An agent as a plan has it, with those that may take its place. */
interface WithLogin {
  readonly provider: { readonly id: string };
  /** Where it is not its provider's usual one. */
  readonly login?: string | undefined;
}

type WithFallbacks<Agent extends WithLogin> = Agent & { readonly fallbacks?: readonly Agent[] };

interface Around {
  readonly unusable: readonly Unusable[] | undefined;
  readonly worker: string;
  readonly now: Date;
}

/** What an agent's login is called. */
export function loginOf({ provider: { id }, login = id }: WithLogin): string {
  return login;
}

/** The variable that names the folder with a CLI's login; of agents over ACP no other login was tried. */
export function loginVariable(provider: Provider): string | undefined {
  return provider.acp === undefined ? insideOf(provider)?.state.variable : undefined;
}

/** A role's or step's own agent, then those that may take its place. */
export function agentsOf<Agent extends WithLogin>(own: WithFallbacks<Agent>): readonly Agent[] {
  return [own, ...own.fallbacks ?? []];
}

/** The name of a role's or step's agent's own folder: of its own agent, 0, or of one that may take its place. */
export function workerNameOf(worker: string, index: number): string {
  return index === 0 ? worker : `${worker}.fallback-${index}`;
}

/**
 * The agent that is to play: who plays already, as long as that can; else the first that can, and the role's or step's
 * own where none can.
 */
export function agentDue<Agent extends WithLogin>(
  own: WithFallbacks<Agent>,
  { current, ...around }: Around & { readonly current?: string | undefined },
): Agent {
  const usable = agentsOf(own).filter((agent) => usableAt(agent, around) <= around.now.getTime());
  return usable.find((agent) => loginOf(agent) === current) ?? usable[0] ?? own;
}

/** The agents that may take the place of the one that plays. */
export function fallbacksOf<Agent extends WithLogin>(
  own: WithFallbacks<Agent>,
  { current, ...around }: Around & { readonly current: string },
): Fallbacks {
  const others = agentsOf(own).filter((agent) => loginOf(agent) !== current);
  const first = Math.min(...others.map((agent) => usableAt(agent, around)));
  return { count: others.length, ...(Number.isFinite(first) ? { at: new Date(first) } : {}) };
}

/** In milliseconds since the epoch; 0 where nothing is known against it. */
function usableAt(agent: WithLogin, { unusable = [], worker }: Around): number {
  const login = loginOf(agent);
  const about = unusable.filter((one) => one.login === login && (one.worker ?? worker) === worker);
  return Math.max(0, ...about.map(({ until }) => until === undefined ? Infinity : Date.parse(until)));
}
