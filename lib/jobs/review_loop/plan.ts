import type { Role } from "../../roles.ts";
import type { PermissionPlan } from "../../dialogs/decision.ts";
import type { HandoffSettings } from "../../handoff/settings.ts";
import type { PaneProvider } from "../../providers/provider.ts";
import type { NotificationPlan } from "../notify.ts";
import type { Job } from "./job.ts";
import type { ReviewLoopSettings } from "./settings.ts";

/** Everything that one run of the review loop needs to know; what the configuration comes down to. */
export interface ReviewRunPlan {
  /** Absolute path of the folder in which the agents work. */
  readonly workdir: string;
  readonly job: Job;
  readonly agents: Readonly<Record<Role, AgentPlan>>;
  readonly loop: ReviewLoopSettings;
  readonly handoff: HandoffSettings;
  readonly permissions: PermissionPlan;
  readonly tmux: TmuxPlan;
  /** How often a role's agent whose program ends by itself is started again. */
  readonly maxAgentRestarts: number;
  /** Seconds that an agent may take from its start to its first prompt. */
  readonly startupTimeoutSeconds: number;
  /** Seconds that a doubtful screen must stand still to be believed, where the agent's CLI keeps no record to tell. */
  readonly quietSeconds: number;
  /** Whether the panes are closed at the end; otherwise they stay for a person to attach to. */
  readonly cleanupOnExit: boolean;
  readonly notifications?: NotificationPlan;
  readonly postProcessing: PostProcessingPlan;
}

/** Which agent plays a role, and how it is started. */
export interface AgentPlan {
  /** With the person's changes to its rules. */
  readonly provider: PaneProvider;
  /** Program and leading arguments in place of the provider's own. */
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly profile?: string;
}

/** Where the panes live. */
export interface TmuxPlan {
  /** Socket of a server of its own; `panewright-<run>` without one. */
  readonly socket?: string;
  /** An existing session of the server `socket` (or of the default server) to open the windows in. */
  readonly session?: string;
  readonly cols: number;
  readonly rows: number;
}

/** What happens after PASS. */
export interface PostProcessingPlan {
  /** Commits all changes of the working directory with this message. */
  readonly gitCommitMessage?: string;
  /** Archives this openspec change. */
  readonly openspecChange?: string;
}
