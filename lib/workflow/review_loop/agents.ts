import { type Role, ROLES } from "../../handoff/roles.ts";
import { createTerminalApi } from "../../handoff/agent_terminals.ts";
import type { TerminalApi } from "../../handoff/terminal_api.ts";
import type { Clock } from "../../ports/clock.ts";
import { type AgentTerminal, startAgentTerminal } from "../../providers/agent_terminal.ts";
import { findProvider } from "../../providers/mod.ts";
import type { Provider } from "../../providers/provider.ts";
import { withUserRules } from "../../screen/user_rules.ts";

import type { TmuxSession } from "../../tmux/session.ts";
import type { ReviewLoopEvent } from "./events.ts";
import type { ReviewRunPlan } from "./plan.ts";

/** A provider that reads its screens with the person's rules as well. */
function withRulesOf(provider: Provider, { userRules }: ReviewRunPlan): Provider {
  const changes = userRules?.[provider.id] ?? [];
  return changes.length === 0 ? provider : { ...provider, rules: withUserRules(provider.rules, changes) };
}

/** The agents of a run, one to a role, ready for their first prompt. Disposal ends no agent: the session does that. */
export interface AgentTeam extends Disposable {
  readonly terminals: Readonly<Record<Role, AgentTerminal>>;
  /** The terminals by their ids, for the handoff. */
  readonly api: TerminalApi;
}

/** What agents are started with. */
export interface StartAgentsOptions {
  readonly plan: ReviewRunPlan;
  readonly session: TmuxSession;
  readonly emit: (event: ReviewLoopEvent) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Starts the agents of all roles side by side, before the first of them gets work: what stands in the way of one, a login
 * say, shows at once and not hours into the job.
 *
 * @throws the error of the first that cannot be started; the others are given up
 */
export async function startAgents(options: StartAgentsOptions): Promise<AgentTeam> {
  const { plan, session, emit, clock } = options;
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([options.signal, gaveUp.signal]);
  const start = async (role: Role): Promise<[Role, AgentTerminal]> => {
    const { provider: providerId, ...request } = plan.agents[role];
    const startedAtMs = clock.now();
    emit({ type: "agent_starting", role, provider: providerId });
    const terminal = await startAgentTerminal({
      session,
      provider: withRulesOf(findProvider(providerId), plan),
      request: { ...request, role, workdir: plan.workdir, keepScrollback: !plan.handoff.strictFileHandoff },
      startTimeoutMs: plan.startupTimeoutSeconds * 1000,
      quietMs: plan.quietSeconds * 1000,
      log: (message) => emit({ type: "warning", role, message }),
      clock,
      signal,
    });
    const seconds = (clock.now() - startedAtMs) / 1000;
    emit({ type: "agent_ready", role, terminalId: terminal.pane.paneId, seconds });
    return [role, terminal];
  };
  const starts = ROLES.map(start);
  try {
    const started = await Promise.all(starts);
    const byId = new Map(started.map(([, terminal]) => [terminal.pane.paneId, terminal]));
    const terminals = Object.fromEntries(started) as Record<Role, AgentTerminal>;
    return {
      terminals,
      api: createTerminalApi(byId, { signal: options.signal }),
      [Symbol.dispose]() {
        for (const [, terminal] of started) terminal.releaseRecord();
      },
    };
  } catch (error) {
    gaveUp.abort(error);
    await Promise.allSettled(starts);
    throw error;
  }
}
