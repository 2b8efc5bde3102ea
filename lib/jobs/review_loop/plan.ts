import type { Job } from "../../journal/loop/fields.ts";
import type { Role } from "../../base/roles.ts";
import type { PermissionPlan } from "../../turn/desk/decision.ts";
import type { HandoffSettings } from "../../turn/settings.ts";
import type { Driver } from "../../agents/driven_agent.ts";
import type { Provider } from "../../agents/provider.ts";
import type { AroundAgent, SandboxRequest } from "../../agents/launch_plan.ts";
import { UsageError } from "../../base/errors.ts";
import { firstRole } from "./loops.ts";
import { rolesIn } from "./shapes.ts";
import { agentsOf } from "../fallback.ts";
import { requireWorkspace } from "../keep_turn.ts";
import type { SandboxPlan } from "../whole_sandbox.ts";
import type { Caps } from "../../run/caps.ts";
import type { RunPlan } from "../../run/plan.ts";
import type { SettingsOf } from "../../base/settings.ts";
import type { POST_PROCESSING_SETTINGS, REVIEW_RUN_SETTINGS, ReviewLoopSettings, TMUX_SETTINGS } from "./settings.ts";

export { firstRole };
export { ownRolesTold } from "./shapes.ts";

export interface ReviewRunPlan extends RunPlan, SettingsOf<typeof REVIEW_RUN_SETTINGS> {
  readonly job: Job;
  readonly agents: Readonly<Record<Role, AgentPlan>>;
  readonly loop: ReviewLoopSettings;
  /** As in the settings of the loop, which are recorded with them. */
  readonly words?: ReviewLoopSettings["words"];
  readonly handoff: HandoffSettings;
  readonly permissions: PermissionPlan;
  readonly tmux: TmuxPlan;
  /** What the sandbox of each agent's CLI is asked for; missing where agents start as their CLI's settings say. */
  readonly sandbox?: SandboxPlan;
  /** The sandbox that is open around the project's commands, while the run is executed. */
  readonly sandboxOfCommands?: AroundAgent;
  readonly postProcessing: PostProcessingPlan;
}

/** An agent as the configuration has it: how it is started. */
export interface PlannedAgent {
  readonly provider: Provider;
  /** What its login is called, where that is not its provider's usual one. */
  readonly login?: string;
  /** What drives it. @default what its provider offers for a role */
  readonly driver?: Driver;
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly profile?: string;
  /** Where it is not that of the plan. */
  readonly sandbox?: SandboxRequest;
}

export interface AgentPlan extends PlannedAgent {
  /** Of the role, whoever plays it. */
  readonly caps?: Caps;
  /** Who may take its place. @default {[]} */
  readonly fallbacks?: readonly PlannedAgent[];
  /** Whether nothing stays of what it changes in its turns. @default {false} */
  readonly isApart?: boolean;
  /** Of a role whose work is done several times side by side, of which one is chosen. @default it is done once */
  readonly attempts?: RoleAttempts;
}

export interface RoleAttempts {
  readonly count: number;
  /** Their agents, in turn. @default {[]} that of the role */
  readonly agents: readonly PlannedAgent[];
}

interface TmuxPlan extends SettingsOf<typeof TMUX_SETTINGS> {}

export interface PostProcessingPlan extends SettingsOf<typeof POST_PROCESSING_SETTINGS> {}

/** The agents of all roles, with those that may take their places. */
export function plannedAgents({ agents }: Pick<ReviewRunPlan, "agents">): readonly PlannedAgent[] {
  return Object.values(agents).flatMap(allAgentsOf);
}

/** Whoever may play a role: its own agent, those that may take its place, and those of its attempts. */
export function allAgentsOf(agent: AgentPlan): readonly PlannedAgent[] {
  return [...agentsOf<PlannedAgent>(agent), ...agent.attempts?.agents ?? []];
}

/** The role whose work is done several times, and how often; undefined where each is done once. */
export function attemptsIn(
  { agents, loop }: Pick<ReviewRunPlan, "agents" | "loop">,
): (RoleAttempts & { readonly role: Role; readonly isFirst: boolean }) | undefined {
  const roles = rolesIn(loop);
  const first = firstRole(loop);
  const role = roles.slice(roles.indexOf(first)).find((name) => (agents[name]?.attempts?.count ?? 1) > 1);
  const attempts = role === undefined ? undefined : agents[role]?.attempts;
  return role === undefined || attempts === undefined ? undefined : { ...attempts, role, isFirst: role === first };
}

export function agentsUsed(plan: Pick<ReviewRunPlan, "agents">): readonly Provider[] {
  return [...new Set(plannedAgents(plan).map(({ provider }) => provider))];
}

export function workerCapsOf({ agents }: Pick<ReviewRunPlan, "agents">): Readonly<Record<string, Caps>> {
  return Object.fromEntries(Object.entries(agents).map(([role, { caps = {} }]) => [role, caps]));
}

/** @throws {UsageError} where nothing is to stay of what a role changes, and the run works in no workspace */
export function requireRolesApart({ agents, loop, workdir }: ReviewRunPlan): void {
  for (const role of rolesIn(loop)) if (agents[role]?.isApart === true) requireWorkspace(workdir, `the ${role}`);
}

/** @throws {UsageError} when no agent plays it */
export function agentOf({ agents }: Pick<ReviewRunPlan, "agents">, role: Role): AgentPlan {
  const { [role]: agent } = agents;
  if (agent !== undefined) return agent;
  throw new UsageError(`Cannot start an agent as ${role}: the configuration has no such role any more`);
}
