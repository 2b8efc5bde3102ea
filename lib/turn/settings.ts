import type { Clock } from "../base/ports/clock.ts";
import type { AgentFailure } from "../agents/failure.ts";
import type { TerminalStatus } from "../screen/status.ts";
import type { TerminalReading } from "./terminal.ts";
import type { DialogDesk } from "./dialog_desk.ts";
import type { DispatchMark } from "./response_reading.ts";
import type { Retry } from "./retry.ts";
import type { Role } from "../base/roles.ts";
import { completeSettings, defaultsOf, type SettingSlice, type SettingsOf } from "../base/settings.ts";

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
      "Seconds that a whole turn may take, reminders included; a turn that is resumed has what is left of them.",
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
    description: "How often a turn is tried again after an error that passes (429, 5xx, overloaded, network).",
  },
  errorRetrySeconds: {
    names: { key: "handoff.error_retry_seconds" },
    value: { kind: "seconds", above: 0, most: 900, default: 30 },
    description:
      "Seconds before such a turn is tried again; each later time it waits twice as long as before, up to 15 minutes.",
  },
  waitForUsageLimitReset: {
    names: { key: "handoff.wait_for_usage_limit_reset" },
    value: { kind: "switch", default: false },
    description: "Whether a turn that reaches the account's usage limit waits until the limit is reset.",
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
export interface HandoffSettings extends SettingsOf<typeof HANDOFF_SETTINGS> {}

/** What applies where nothing else is said, for callers of the library. */
export const DEFAULT_HANDOFF_SETTINGS: HandoffSettings = defaultsOf(HANDOFF_SETTINGS);

/**
 * What an agent is sent in a turn: its prompt, a reminder of the response file, the refusal of what it asked for, or a
 * request to continue after its CLI was started again, or after a failure of its model server.
 */
export type MessageKind = "prompt" | "reminder" | "refusal" | "continuation";

/** A message to an agent, and how far it has come: about to be pasted, about to be submitted, taken. */
export interface Message {
  readonly what: MessageKind;
  readonly text: string;
  readonly step: "paste" | "enter" | "sent";
}

/** A message that cannot be sent yet. */
export interface Held {
  readonly what: MessageKind;
  /** `at_work`: the agent works on something else; `draft`: a person's words stand in its composer. */
  readonly obstacle: "at_work" | "draft";
  /** How long it is waited for at most. */
  readonly timeoutSeconds: number;
}

/** How far a turn came in a process that is gone. */
export interface BegunTurn {
  /** When its prompt was dispatched; undefined where it was not. */
  readonly dispatch?: DispatchMark;
  /** The last message to the agent that is there now. */
  readonly message?: Message;
  readonly reminders: number;
  /** How often it was tried again after a failure. @default {0} */
  readonly retries?: number;
  /** How much of the time that a turn may take it has used. @default {0} */
  readonly usedSeconds?: number;
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
}

/** A response that was read and moved to the archive. */
export interface ArchivedResponse {
  readonly role: Role;
  /** Where the file is now. */
  readonly path: string;
  readonly bytes: number;
  /** As it is returned: without byte order mark, with LF line ends. */
  readonly text: string;
}

/** How a turn is handed over and waited for. Only `workdir` is required. */
export interface HandoffOptions {
  /** The folder in which the agent works; responses live in `<workdir>/.tmp/agent-responses`. */
  readonly workdir: string;
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
  /**
   * Takes warnings and audit lines. An audit line has line breaks in it: the screen's tail follows on lines of its own.
   */
  readonly log?: (line: string) => void;
  /** Ends every wait; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly settings?: Partial<HandoffSettings>;
  /**
   * Waits until the next poll, at the latest until that time of the clock (milliseconds); it may resolve earlier when
   * something happened. The rules count in seconds, so that more polls change nothing but how soon a response is seen.
   *
   * @default {(untilMs, signal) => clock.sleep(untilMs - clock.now(), signal)}
   */
  readonly wake?: (untilMs: number, signal?: AbortSignal) => Promise<void>;
  /** Where consumed and stale files go. @default {"<workdir>/.tmp/<YYYYMMDD-HHMMSS of the program's start, UTC>"} */
  readonly archiveDir?: string;
  /**
   * Whether `sendAndWait` lets the terminal come to rest before it sends: for the first prompt of a terminal. A
   * function is asked right before a prompt is sent. @default {false}
   */
  readonly settleBeforeSend?: boolean | (() => Promise<boolean>);
  /** Told whenever the terminal's status differs from the one before, and whose word that is. */
  readonly onStatus?: (status: TerminalStatus, witnesses: Omit<TerminalReading, "status">) => void;
  /** Told what the agent says of a turn that failed, before the turn ends, or waits to be tried again. */
  readonly onFailure?: (failure: AgentFailure, retry?: Retry) => void;
  /** Told what keeps a message from being sent, whenever that changes; `undefined` when it waits no longer. */
  readonly onHeld?: (held: Held | undefined) => void;
  /** How long a person's draft in the composer is waited for. @default {600} */
  readonly draftTimeoutSeconds?: number;
  /**
   * Told now and then how much of its time the turn has used, in seconds: at least every minute, and when it fails.
   * Time in which a person was waited for does not count.
   */
  readonly onTimeUsed?: (seconds: number) => void;
  /** Told when a reminder goes out; the first has the number 1. */
  readonly onReminder?: (reminder: number) => void;
  /** Told of the response before it is returned. */
  readonly onArchived?: (response: ArchivedResponse) => void | Promise<void>;
  /** Told right before each key that is pressed for a message, and when it was taken; a prompt's with its dispatch. */
  readonly onMessage?: (message: Message, dispatch?: DispatchMark) => void | Promise<void>;
  /** How far an earlier process came with the turn, which `sendAndWait` then resumes. */
  readonly begun?: BegunTurn;
  /**
   * Whether the agent was asked for a response file. Otherwise the turn is over once the agent has rested for the grace
   * time, or for 10 s where that is longer, and the terminal's last output is returned. @default {true}
   */
  readonly expectsResponse?: boolean;
  /** What `sendAndWait`'s message is called. @default {"prompt"} */
  readonly messageKind?: "prompt" | "continuation";
  /** Deals with dialogs, instead of the text `y` for each that may be accepted. */
  readonly dialogs?: DialogDesk;
  /**
   * When each terminal's last dialog was accepted, in the clock's milliseconds. Pass the same map to every turn of a
   * terminal so that the cooldown outlives a turn. @default {a new map for each call}
   */
  readonly acceptTimes?: Map<string, number>;
}

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
