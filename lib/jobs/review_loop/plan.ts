import type { Job } from "../../journal/loop/fields.ts";
import type { Role } from "../../base/roles.ts";
import type { PermissionPlan } from "../../turn/desk/decision.ts";
import type { HandoffSettings } from "../../turn/settings.ts";
import type { Driver } from "../../agents/driven_agent.ts";
import type { Provider } from "../../agents/provider.ts";
import type { AroundAgent, SandboxRequest } from "../../agents/launch_plan.ts";
import type { SandboxPlan } from "../whole_sandbox.ts";
import type { Caps } from "../../run/caps.ts";
import type { RunPlan } from "../../run/plan.ts";
import type { SettingsOf } from "../../base/settings.ts";
import type { POST_PROCESSING_SETTINGS, REVIEW_RUN_SETTINGS, ReviewLoopSettings, TMUX_SETTINGS } from "./settings.ts";

export interface ReviewRunPlan extends RunPlan, SettingsOf<typeof REVIEW_RUN_SETTINGS> {
  readonly job: Job;
  readonly agents: Readonly<Record<Role, AgentPlan>>;
  readonly loop: ReviewLoopSettings;
  readonly handoff: HandoffSettings;
  readonly permissions: PermissionPlan;
  readonly tmux: TmuxPlan;
  /** What the sandbox of each agent's CLI is asked for; missing where agents start as their CLI's settings say. */
  readonly sandbox?: SandboxPlan;
  /** The sandbox that is open around the project's commands, while the run is executed. */
  readonly sandboxOfCommands?: AroundAgent;
  readonly postProcessing: PostProcessingPlan;
}

export interface AgentPlan {
  readonly provider: Provider;
  /** What drives it. @default what its provider offers for a role */
  readonly driver?: Driver;
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly profile?: string;
  readonly caps?: Caps;
  /** Where it is not that of the plan. */
  readonly sandbox?: SandboxRequest;
}

interface TmuxPlan extends SettingsOf<typeof TMUX_SETTINGS> {}

export interface PostProcessingPlan extends SettingsOf<typeof POST_PROCESSING_SETTINGS> {}

export function agentsUsed({ agents }: Pick<ReviewRunPlan, "agents">): readonly Provider[] {
  return [...new Set(Object.values(agents).map(({ provider }) => provider))];
}
