import { resolve } from "@std/path/posix";
import { findRoleProvider, findStepProvider } from "../agents/mod.ts";
import type { Provider, ProviderId } from "../agents/provider.ts";
import type { Role } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import { loginOf, loginVariable } from "../jobs/fallback.ts";
import type { StepAgent } from "../jobs/pipeline/plan.ts";
import type { AgentPlan } from "../jobs/review_loop/plan.ts";
import { CAP_SETTINGS, type Caps } from "../run/caps.ts";
import { variablesOfWorkspace } from "../workspace/ports.ts";
import type { FallbackEntry } from "./fallback_schema.ts";
import type { LoadedSettings } from "./load.ts";
import type { StepConfig } from "./pipeline_schema.ts";
import { allRoles } from "./roles_schema.ts";
import { settingsIn } from "./settings_in.ts";
import type { Config } from "./settings_table.ts";

type AgentConfig = Partial<Pick<StepConfig, "provider" | "command" | "args" | "env" | "model" | "limits" | "driver">>;
type Loaded = Pick<LoadedSettings, "config" | "providers" | "workdir">;

/** The agents of all roles, the five and those of the configuration's own. */
export function agentsOfRoles(loaded: Loaded): Readonly<Record<Role, AgentPlan>> {
  return Object.fromEntries(allRoles(loaded.config.roles).map((role) => [role, agentPlan(loaded, role)]));
}

/** How the agent of a role is started, and those that may take its place. */
export function agentPlan({ config, providers, workdir }: Loaded, role: Role): AgentPlan {
  const own = config.roles[role] ?? {};
  const plan = (given: typeof own): AgentPlan => {
    const { provider, common, start } = startOf(given, { config, workdir });
    return {
      ...start,
      provider: findRoleProvider(provider, providers),
      args: given.args ?? common.args ?? [],
      ...present({ driver: given.driver, profile: given.profile ?? common.profile }),
    };
  };
  const { attempts: count = 1, isolation } = own;
  const agent = {
    ...withFallbacks(plan(own), { config, own, plan }),
    ...(isolation === "workspace" ? { isApart: true } : {}),
  };
  if (count === 1) return agent;
  return { ...agent, attempts: { count, agents: ofAttempts(own, config)?.map((one) => plan(one)) ?? [] } };
}

/** How the agent of a step is started, and those that may take its place. */
export function stepAgent(step: AgentConfig, { config, providers, workdir }: Loaded) {
  const plan = (given: AgentConfig): StepAgent => {
    const { provider, common, start } = startOf(given, { config, workdir });
    const profile = common.profile === undefined ? [] : ["--profile", common.profile];
    return {
      ...start,
      provider: findStepProvider(provider, providers),
      args: given.args ?? [...profile, ...common.args ?? []],
      ...present({ driver: given.driver }),
    };
  };
  return withFallbacks(plan(step), { config, own: step, plan });
}

/** The agents of the attempts of a step, in turn; `undefined` where each has the step's own. */
export function attemptAgents(step: AgentConfig, loaded: Loaded): readonly StepAgent[] | undefined {
  return ofAttempts(step, loaded.config)?.map((one) => stepAgent(one, loaded));
}

/** What attempts of a step or role are started as, in turn. */
function ofAttempts(
  own: AgentConfig,
  { exec: { attempt_agents: entries }, provider }: Config,
): readonly AgentConfig[] | undefined {
  if (own.provider !== undefined || entries.length === 0) return undefined;
  // What a step says of how it is started is said of its own agent.
  const { env = {} } = own;
  return entries.map((entry) => ({
    ...(entry.provider === provider ? own : {}),
    ...entry,
    env: { ...env, ...entry.env },
  }));
}

/** A role's or step's own entry takes precedence over its provider's; the variables of both are merged. */
function startOf(own: AgentConfig, { config, workdir }: Pick<Loaded, "config" | "workdir">) {
  const provider = own.provider ?? config.provider;
  const common = config.providers[provider] ?? {};
  const start = {
    env: { ...variablesOfWorkspace(workdir), ...common.env, ...own.env },
    ...capsIn(own.limits),
    ...present({ command: own.command ?? common.command, model: own.model ?? common.model }),
  };
  return { provider, common, start };
}

function capsIn(limits: object | undefined): { readonly caps?: Caps } {
  return limits === undefined ? {} : { caps: settingsIn({ limits }, CAP_SETTINGS) };
}

/** What chooses the login in a folder, and what it is called. */
function loginAt(
  provider: Provider,
  { login, home }: { readonly login: string; readonly home: string },
): { readonly env: Readonly<Record<string, string>>; readonly login: string } {
  const folder = login.startsWith("~/") ? resolve(home, login.slice(2)) : login;
  const variable = loginVariable(provider);
  return { env: variable === undefined ? {} : { [variable]: folder }, login: `${provider.id} (${login})` };
}

/** The agents that may take the place of one, without those that have its own login. */
function fallbacksOf<Agent extends { readonly provider: Provider; readonly login?: string }>(
  entries: readonly FallbackEntry[],
  { own, agentOf }: {
    readonly own: Agent;
    readonly agentOf: (entry: { provider: ProviderId; login?: string | undefined }) => Agent;
  },
): readonly Agent[] {
  const taken = new Set([loginOf(own)]);
  return entries.map((one) => agentOf(typeof one === "string" ? { provider: one } : one)).filter((agent) => {
    const login = loginOf(agent);
    const isNew = !taken.has(login);
    taken.add(login);
    return isNew;
  });
}

/** An agent with those that may take its place: of its own provider with another login, or of another one. */
function withFallbacks<
  Given extends Partial<Pick<StepConfig, "provider" | "env">>,
  Agent extends { readonly provider: Provider; readonly env: Readonly<Record<string, string>> },
>(
  agent: Agent,
  { config, own, plan }: { readonly config: Config; readonly own: Given; readonly plan: (given: Given) => Agent },
): Agent & { readonly fallbacks?: readonly Agent[] } {
  const fallbacks = fallbacksOf(config.fallback, {
    own: agent,
    agentOf({ provider, login }) {
      const isSame = provider === agent.provider.id;
      const { env = {} } = own;
      // What a role or step says of how it is started is said of its own agent.
      const other = plan(isSame ? own : { provider, env } as Given);
      if (login === undefined) return other;
      const at = loginAt(other.provider, { login, home: Deno.env.get("HOME") ?? "/" });
      return { ...other, env: { ...other.env, ...at.env }, login: at.login };
    },
  });
  return fallbacks.length === 0 ? agent : { ...agent, fallbacks };
}
