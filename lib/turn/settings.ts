import { completeSettings, defaultsOf, type SettingSlice } from "../base/settings.ts";

/** The handoff's slice of the settings table: how a turn is waited for. The defaults are those of the seeds. */
export const HANDOFF_SETTINGS = {
  pollSeconds: {
    names: { key: "handoff.poll_seconds", env: "POLL_SECONDS", flag: "--poll-seconds" },
    value: { kind: "seconds", above: 0, most: 3600, default: 2 },
    description: "Seconds between two looks at an agent's terminal.",
  },
  idleGraceSeconds: {
    names: { key: "handoff.idle_grace_seconds", env: "IDLE_GRACE_SECONDS", flag: "--idle-grace-seconds" },
    value: { kind: "seconds", least: 0, default: 30 },
    description:
      "Seconds that an agent may be idle, without a break and without a response file, before its turn is over.",
  },
  responseTimeoutSeconds: {
    names: { key: "handoff.response_timeout", env: "RESPONSE_TIMEOUT", flag: "--response-timeout" },
    value: { kind: "seconds", above: 0, default: 1800 },
    description:
      "Seconds that a whole turn may take, reminders included; a turn that is resumed has what is left of them, or what `--raise response_timeout=SECONDS` gives it.",
  },
  strictFileHandoff: {
    names: { key: "handoff.strict_file_handoff", env: "STRICT_FILE_HANDOFF" },
    value: { kind: "switch", default: true },
    description: "Whether a turn without a response file fails; if not, the terminal's last output is the response.",
  },
  maxFileReminders: {
    names: { key: "handoff.max_file_reminders", env: "MAX_FILE_REMINDERS" },
    // The seeds' handoff never reminds, and callers of the library get that; a reminder saves many a run at night.
    value: { kind: "count", least: 0, default: 1, libraryDefault: 0 },
    description: "How often an idle agent is reminded of its missing response file in one turn.",
  },
  maxErrorRetries: {
    names: { key: "handoff.max_error_retries" },
    // The seeds' handoff fails at once; a model server that is overloaded for minutes ends many a run at night.
    value: { kind: "count", least: 0, default: 8, libraryDefault: 0 },
    description:
      "How often a turn, or a step's attempt, is tried again after an error that passes (429, 5xx, overloaded, network); with 0 nothing else is tried either, such as another session after one that is too long.",
  },
  errorRetrySeconds: {
    names: { key: "handoff.error_retry_seconds" },
    value: { kind: "seconds", above: 0, most: 900, default: 30 },
    description:
      "Seconds before it is tried again; each later time it waits twice as long as before, up to 15 minutes.",
  },
  waitForUsageLimitReset: {
    names: { key: "handoff.wait_for_usage_limit_reset" },
    // The seeds' handoff fails at once, as with other errors; a reset at three in the morning needs nobody.
    value: { kind: "switch", default: true, libraryDefault: false },
    description:
      "Whether a turn that reaches the account's usage limit waits until the limit is reset, if that time is told.",
  },
  stallMinutes: {
    names: { key: "handoff.stall_minutes" },
    value: { kind: "amount", least: 0, most: 1440, default: 20, libraryDefault: 0 },
    description:
      "Minutes after which an agent at work has stalled if nothing changes: what it shows, what it has used, what runs. It is interrupted, then started again with its session. A command that runs is no standstill; 0 never looks.",
  },
  maxResponseBytes: {
    names: { key: "handoff.max_response_bytes" },
    value: { kind: "bytes", least: 1, default: 1024 * 1024 },
    description: "The largest response file that is read, in bytes.",
  },
  autoAcceptPermissions: {
    names: { key: "permissions.auto_accept", env: "AUTO_ACCEPT_PERMISSIONS", flag: "--auto-accept" },
    value: { kind: "switch", default: false, onlyBy1: true },
    description:
      "Whether what agents ask permission for is accepted as far as the rules allow; only for work in a sandbox.",
    flagDescription: "accept agents' permission dialogs as far as the rules allow; only for work in a sandbox",
  },
  acceptCooldownSeconds: {
    names: { key: "permissions.accept_cooldown_seconds" },
    value: { kind: "seconds", least: 0, default: 5 },
    description:
      "Seconds between two dialogs of one terminal that are accepted with a key; what an agent's hook asks about needs none.",
  },
  acceptCap: {
    names: { key: "permissions.accept_cap" },
    value: { kind: "count", least: 0, default: 20 },
    description: "How many dialogs may be accepted in one turn.",
  },
} as const satisfies SettingSlice;

/** How a turn is waited for. */
export interface HandoffSettings {
  /** Seconds between two looks at an agent's terminal. */
  readonly pollSeconds: number;
  /** Seconds that an agent may be idle without a response file before its turn is over. */
  readonly idleGraceSeconds: number;
  /** Seconds that a whole turn may take. */
  readonly responseTimeoutSeconds: number;
  /** Whether a turn without a response file fails. */
  readonly strictFileHandoff: boolean;
  /** How often an idle agent is reminded of its response file in one turn. */
  readonly maxFileReminders: number;
  /** How often a turn is tried again after an error that passes. */
  readonly maxErrorRetries: number;
  /** Seconds before such a turn is tried again. */
  readonly errorRetrySeconds: number;
  /** Whether a turn that reaches the account's usage limit waits for its reset. */
  readonly waitForUsageLimitReset: boolean;
  /** Minutes after which an agent at work has stalled if nothing changes; 0 for never. */
  readonly stallMinutes: number;
  /** The largest response file that is read. */
  readonly maxResponseBytes: number;
  /** Whether permission dialogs are accepted as far as the rules allow. */
  readonly autoAcceptPermissions: boolean;
  /** Seconds between two dialogs that are accepted with a key. */
  readonly acceptCooldownSeconds: number;
  /** How many dialogs may be accepted in one turn. */
  readonly acceptCap: number;
}

/** What applies where nothing else is said, for callers of the library. */
export const DEFAULT_HANDOFF_SETTINGS: HandoffSettings = defaultsOf(HANDOFF_SETTINGS);

/**
 * Completes settings with the defaults and checks them.
 *
 * @throws {UsageError} for an unknown name or a value that is out of range
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(resolveHandoffSettings({ pollSeconds: 0.5 }).pollSeconds, 0.5);
 * assertEquals(resolveHandoffSettings().idleGraceSeconds, 30);
 * ```
 */
export function resolveHandoffSettings(settings: Partial<HandoffSettings> = {}): HandoffSettings {
  return completeSettings(HANDOFF_SETTINGS, settings);
}
