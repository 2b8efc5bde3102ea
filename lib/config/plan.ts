import type { PermissionPlan } from "../turn/desk/decision.ts";
import type { PermissionPolicy, PermissionRule } from "../policy/mod.ts";
import { EVIDENCE_SETTINGS } from "../evidence/settings.ts";
import { DIALOG_SETTINGS } from "../turn/desk/settings.ts";
import { contractOf } from "./contract.ts";
import { UsageError } from "../base/errors.ts";
import { HANDOFF_SETTINGS } from "../turn/settings.ts";
import { CAP_SETTINGS, type Caps, tokenCapOf } from "../run/caps.ts";
import { NO_CHANGE_SETTINGS, REPETITION_SETTINGS } from "../run/no_progress.ts";
import type { NotificationPlan } from "../run/notify/plan.ts";
import { agentsOf } from "../jobs/fallback.ts";
import type { AgentPlan, PlannedAgent, ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import {
  POST_PROCESSING_SETTINGS,
  RESPONSE_TIMEOUT,
  REVIEW_LOOP_SETTINGS,
  REVIEW_RUN_SETTINGS,
  TMUX_SETTINGS,
} from "../jobs/review_loop/settings.ts";
import { type Role, ROLES } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import type { LoadedConfig, LoadedSettings } from "./load.ts";
import type { Config } from "./settings_table.ts";
import { EVERYDAY_LIST, type EverydayRules } from "./allow_list.ts";
import { agentPlan } from "./agent_plans.ts";
import { settingsIn } from "./settings_in.ts";
import { dotted } from "./source.ts";

export function toRunPlan(loaded: LoadedConfig): ReviewRunPlan {
  const { config, job } = loaded;
  const { project_test_cmd: test, prompt_file: jobFile } = config;
  const common = commonPlan(loaded, {
    commands: test === undefined ? [] : [test],
    // What the agents are to do is in the journal, and is read once.
    ...present({ except: jobFile }),
  });
  const agents = Object.fromEntries(ROLES.map((role) => [role, agentPlan(loaded, role)])) as Record<Role, AgentPlan>;
  for (const role of ROLES) {
    for (const { provider } of agentsOf<PlannedAgent>(agents[role])) {
      requireTokens(role, { agent: { ...agents[role], provider }, caps: common.caps });
    }
  }
  return {
    ...common,
    job,
    agents,
    timeLimits: { [RESPONSE_TIMEOUT]: config.handoff.response_timeout },
    loop: settingsIn(config, REVIEW_LOOP_SETTINGS),
    noProgress: { ...settingsIn(config, REPETITION_SETTINGS), ...settingsIn(config, NO_CHANGE_SETTINGS) },
    tmux: settingsIn(config, TMUX_SETTINGS),
    ...settingsIn(config, REVIEW_RUN_SETTINGS),
    postProcessing: settingsIn(config, POST_PROCESSING_SETTINGS),
  };
}

export function commonPlan(
  loaded: LoadedSettings,
  bound: Parameters<typeof contractOf>[1],
) {
  const { config, workdir } = loaded;
  const { sandbox, prices, leave_running: leaveRunning, on_answer: onAnswer, ask_policy: askPolicy } = config;
  const workspace = workspacePlan(config);
  const setup = workspace.setup === undefined ? [] : [workspace.setup.command];
  const evidence = { ...settingsIn(config, EVIDENCE_SETTINGS), hidden: config.evidence.hidden };
  const hidden = evidence.hiddenCmd === undefined ? [] : [evidence.hiddenCmd];
  return {
    workdir,
    caps: settingsIn(config, CAP_SETTINGS),
    handoff: settingsIn(config, HANDOFF_SETTINGS),
    permissions: permissionPlan(config),
    workspace,
    evidence,
    contract: contractOf(loaded, { ...bound, commands: [...bound.commands, ...setup, ...hidden] }),
    ...(leaveRunning.length === 0 ? {} : { leaveRunning }),
    ...(sandbox === "off" ? {} : { sandbox: sandboxPlan(config) }),
    ...(prices === undefined ? {} : { prices: toPrices(prices) }),
    ...present({ onAnswer }),
    ...(askPolicy === "ask" ? {} : { askPolicy }),
    ...notificationsIn(config),
  };
}

function workspacePlan({ workspace }: Config): NonNullable<ReviewRunPlan["workspace"]> {
  const { setup: command, setup_files: files, setup_seconds: timeLimitSeconds } = workspace;
  const { share = command === undefined ? ["node_modules/"] : [] } = workspace;
  return { share, ...(command === undefined ? {} : { setup: { command, files, timeLimitSeconds } }) };
}

function sandboxPlan({ evidence, permissions, sandbox, sandbox_env: variables, sandbox_network: network }: Config) {
  const { writable } = permissions;
  if (sandbox !== "agent" && sandbox !== "auto") return { writable };
  const { hidden: unseen } = evidence;
  return { writable, whole: { network, variables, unseen, ...(sandbox === "auto" ? { orCommands: true } : {}) } };
}

function toPrices({ date, models }: NonNullable<Config["prices"]>): NonNullable<ReviewRunPlan["prices"]> {
  const entries = Object.entries(models).map(([name, { cached_input, cache_write, input, output }]) =>
    [name, { input, output, ...present({ cachedInput: cached_input, cacheWrite: cache_write }) }] as const
  );
  return { date, models: Object.fromEntries(entries) };
}

function requireTokens(role: Role, { agent, caps }: { readonly agent: AgentPlan; readonly caps: Caps }): void {
  const cap = tokenCapOf(role, { caps, ofWorker: agent.caps });
  if (cap === undefined || tellsTokens(agent)) return;
  throw new UsageError(
    `Cannot keep the cap ${cap}: ${agent.provider.label}, the agent of ${role}, reports no tokens`,
    {
      hint: "Cap limits.max_turns and limits.max_minutes instead, or give the role another provider.",
    },
  );
}

function tellsTokens({ provider: { acp, terminal } }: AgentPlan): boolean {
  return (acp ?? terminal)?.tellsTokens === true;
}

export function notificationsIn({ notifications }: Config): { readonly notifications?: NotificationPlan } {
  const { ntfy_url: url, ntfy_topic: topic, ntfy_token_file, webhook_url, webhook_secret_file } = notifications;
  const { desktop, command, delay_seconds: delaySeconds, buttons, reply_topic, answer_url: answerUrl } = notifications;
  const plan: NotificationPlan = {
    ...(topic === undefined
      ? {}
      : { ntfy: { url, topic, ...present({ tokenFile: ntfy_token_file, replyTopic: reply_topic }) } }),
    ...(webhook_url === undefined
      ? {}
      : { webhook: { url: webhook_url, ...present({ secretFile: webhook_secret_file }) } }),
    ...(desktop ? { desktop } : {}),
    ...present({ command }),
  };
  if (Object.keys(plan).length === 0) return {};
  return { notifications: { ...plan, delaySeconds, buttons, ...present({ answerUrl }) } };
}

export function permissionPlan(config: Config): PermissionPlan {
  return { policy: toPermissionPolicy(config.permissions), ...settingsIn(config, DIALOG_SETTINGS) };
}

export function toPermissionPolicy(permissions: Config["permissions"]): PermissionPolicy {
  const rules = (list: Config["permissions"]["deny"] | EverydayRules["rules"]): readonly PermissionRule[] =>
    list.map((rule) => typeof rule === "string" ? { command: rule } : present(rule));
  const place = dotted(["permissions", "allow_everyday"]);
  const everyday = permissions.allow_everyday ? EVERYDAY_LIST.flatMap((part) => rules(part.rules)) : [];
  return {
    deny: rules(permissions.deny),
    ask: rules(permissions.ask),
    allow: [...rules(permissions.allow), ...everyday.map((rule) => ({ ...rule, place }))],
    liftBuiltin: permissions.lift_builtin,
    writable: permissions.writable,
    ...present({ default: permissions.default }),
  };
}
