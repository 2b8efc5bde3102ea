import { type Role, ROLES } from "../roles.ts";
import type { PermissionPolicy, PermissionRule } from "../dialogs/policy/mod.ts";
import type { AgentPlan, ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import { findPaneProvider } from "../providers/mod.ts";
import type { LoadedConfig } from "./load.ts";
import type { Config } from "./schema.ts";

/** What a configuration comes down to for one run of the review loop. */
export function toRunPlan(loaded: LoadedConfig): ReviewRunPlan {
  const { config, workdir, job } = loaded;
  const { limits, condensation, handoff, permissions, tmux, notifications, post_processing: post } = config;
  return {
    workdir,
    job,
    agents: Object.fromEntries(ROLES.map((role) => [role, agentPlan(loaded, role)])) as Record<Role, AgentPlan>,
    loop: {
      maxRounds: limits.max_rounds,
      maxReviewCycles: limits.max_review_cycles,
      minReviewCyclesBeforeApproval: limits.min_review_cycles_before_approval,
      reviewEvidenceMinMatch: limits.review_evidence_min_match,
      atReviewLimit: limits.at_review_limit,
      startAgent: config.start_agent,
      projectTestCmd: config.project_test_cmd,
      testCommandTimeoutSeconds: config.project_test_timeout_seconds,
      condenseCrossPhase: condensation.condense_cross_phase,
      condenseUpstreamOnRepeat: condensation.condense_upstream_on_repeat,
      condenseExploreOnRepeat: condensation.condense_explore_on_repeat,
      condenseReviewFeedback: condensation.condense_review_feedback,
      condenseTestEvidence: condensation.condense_test_evidence,
      maxCrossPhaseLines: condensation.max_cross_phase_lines,
      maxFeedbackLines: condensation.max_feedback_lines,
      maxTestEvidenceLines: condensation.max_test_evidence_lines,
    },
    handoff: {
      pollSeconds: handoff.poll_seconds,
      idleGraceSeconds: handoff.idle_grace_seconds,
      responseTimeoutSeconds: handoff.response_timeout,
      strictFileHandoff: handoff.strict_file_handoff,
      autoAcceptPermissions: permissions.auto_accept,
      acceptCooldownSeconds: permissions.accept_cooldown_seconds,
      acceptCap: permissions.accept_cap,
      maxFileReminders: handoff.max_file_reminders,
      maxResponseBytes: handoff.max_response_bytes,
    },
    permissions: {
      policy: toPermissionPolicy(permissions),
      dryRun: permissions.dry_run,
      dialogTimeoutSeconds: permissions.dialog_timeout_seconds,
    },
    tmux: { cols: tmux.cols, rows: tmux.rows, ...present({ socket: tmux.socket, session: tmux.session }) },
    maxAgentRestarts: limits.max_agent_restarts,
    startupTimeoutSeconds: config.startup_timeout_seconds,
    quietSeconds: config.quiet_seconds,
    cleanupOnExit: config.cleanup_on_exit,
    ...(notifications.ntfy_topic === undefined
      ? {}
      : { notifications: { url: notifications.ntfy_url, topic: notifications.ntfy_topic } }),
    postProcessing: present({ gitCommitMessage: post.git_commit_message, openspecChange: post.openspec_change }),
  };
}

/** The permission policy of a configuration. */
export function toPermissionPolicy(permissions: Config["permissions"]): PermissionPolicy {
  const rules = (list: Config["permissions"]["deny"]): readonly PermissionRule[] =>
    list.map((rule) => typeof rule === "string" ? { command: rule } : present(rule));
  return {
    deny: rules(permissions.deny),
    ask: rules(permissions.ask),
    allow: rules(permissions.allow),
    liftBuiltin: permissions.lift_builtin,
  };
}

/** A role's own entry goes before its provider's; variables of both are put together. */
function agentPlan({ config, providers }: LoadedConfig, role: Role): AgentPlan {
  const own = config.roles[role] ?? {};
  const provider = own.provider ?? config.provider;
  const common = config.providers[provider] ?? {};
  return {
    provider: findPaneProvider(provider, providers),
    args: own.args ?? common.args ?? [],
    env: { ...common.env, ...own.env },
    ...present({
      command: own.command ?? common.command,
      model: own.model ?? common.model,
      profile: own.profile ?? common.profile,
    }),
  };
}

/** The object without the keys that have no value. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
