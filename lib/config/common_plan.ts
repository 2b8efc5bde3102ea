import type { PermissionPlan } from "../turn/desk/decision.ts";
import type { PermissionPolicy, PermissionRule } from "../policy/mod.ts";
import { EVIDENCE_SETTINGS } from "../evidence/settings.ts";
import { DIALOG_SETTINGS } from "../turn/desk/settings.ts";
import { contractOf } from "./contract.ts";
import { HANDOFF_SETTINGS } from "../turn/settings.ts";
import { CAP_SETTINGS } from "../run/caps.ts";
import type { NotificationPlan } from "../run/notify/plan.ts";
import type { RunPlan } from "../run/plan.ts";
import { present } from "../base/schema.ts";
import type { LoadedSettings } from "./load.ts";
import { bytesOfSize } from "./place_settings.ts";
import type { Config } from "./settings_table.ts";
import { EVERYDAY_LIST, type EverydayRules } from "./allow_list.ts";
import { settingsIn } from "./settings_in.ts";
import { dotted } from "./source.ts";

/** What the plans of all jobs have of a configuration. */
export function commonPlan(
  loaded: LoadedSettings,
  bound: Parameters<typeof contractOf>[1],
) {
  const { config, workdir } = loaded;
  const { sandbox, prices, leave_running: leaveRunning, on_answer: onAnswer, ask_policy: askPolicy } = config;
  const workspace = workspacePlan(config);
  const setup = workspace.setup === undefined ? [] : [workspace.setup.command];
  const evidence = {
    ...settingsIn(config, EVIDENCE_SETTINGS),
    hidden: config.evidence.hidden,
    tests: config.evidence.tests,
  };
  const more = [evidence.hiddenCmd, evidence.mutationCmd].filter((command) => command !== undefined);
  return {
    workdir,
    caps: settingsIn(config, CAP_SETTINGS),
    handoff: settingsIn(config, HANDOFF_SETTINGS),
    permissions: permissionPlan(config),
    workspace,
    evidence,
    contract: contractOf(loaded, { ...bound, commands: [...bound.commands, ...setup, ...more] }),
    ...(leaveRunning.length === 0 ? {} : { leaveRunning }),
    ...(sandbox === "off" ? {} : { sandbox: sandboxPlan(config) }),
    ...(prices === undefined ? {} : { prices: toPrices(prices) }),
    ...present({ onAnswer }),
    ...(askPolicy === "ask" ? {} : { askPolicy }),
    ...notificationsIn(config),
  };
}

function workspacePlan({ deliver, workspace }: Config): NonNullable<RunPlan["workspace"]> {
  const { max_disk: maxDisk, setup: command, setup_files: files, setup_seconds: timeLimitSeconds } = workspace;
  const { share = command === undefined ? ["node_modules/"] : [] } = workspace;
  return {
    ...{ deliver, share },
    ...(maxDisk === undefined ? {} : { maxDiskBytes: bytesOfSize(maxDisk) }),
    ...(command === undefined ? {} : { setup: { command, files, timeLimitSeconds } }),
  };
}

function sandboxPlan(config: Config) {
  const { permissions, sandbox } = config;
  const { writable } = permissions;
  if (sandbox !== "agent" && sandbox !== "auto") return { writable };
  return { writable, whole: { ...wholePlan(config), ...(sandbox === "auto" ? { orCommands: true } : {}) } };
}

/** What a sandbox around whole agents lets through, whether or not one is asked for. */
export function wholePlan({ evidence, sandbox_env: variables, sandbox_network: network }: Config) {
  return { network, variables, unseen: evidence.hidden };
}

function toPrices({ date, models }: NonNullable<Config["prices"]>): NonNullable<RunPlan["prices"]> {
  const entries = Object.entries(models).map(([name, { cached_input, cache_write, input, output }]) =>
    [name, { input, output, ...present({ cachedInput: cached_input, cacheWrite: cache_write }) }] as const
  );
  return { date, models: Object.fromEntries(entries) };
}

export function notificationsIn({ notifications }: Config): { readonly notifications?: NotificationPlan } {
  const { ntfy_url: url, ntfy_topic: topic, ntfy_token_file, webhook_url, webhook_secret_file } = notifications;
  const { desktop, command, delay_seconds: delaySeconds, buttons, reply_topic, answer_url: answerUrl } = notifications;
  const { ends, quiet_hours: quietHours } = notifications;
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
  return { notifications: { ...plan, delaySeconds, buttons, ends, ...present({ answerUrl, quietHours }) } };
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
