import { UsageError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { TerminalStatus } from "../screen/status.ts";
import type { DialogDesk } from "./dialog_desk.ts";
import type { DispatchMark } from "./response_reading.ts";
import type { Role } from "../roles.ts";

/** The figures by which a turn is waited for. The defaults are those of the seeds. */
export interface HandoffSettings {
  /** Seconds between two looks at the terminal, at most an hour. @default {2} */
  readonly pollSeconds: number;
  /** Seconds without a break that an agent may rest without a response file before its turn is over. @default {30} */
  readonly idleGraceSeconds: number;
  /** Seconds that a whole turn may take, reminders included. @default {1800} */
  readonly responseTimeoutSeconds: number;
  /** Whether a turn without a response file is an error; otherwise the terminal's last output stands in. @default {true} */
  readonly strictFileHandoff: boolean;
  /** Whether permission dialogs are answered with yes. @default {false} */
  readonly autoAcceptPermissions: boolean;
  /** Seconds between two dialogs of one terminal that are accepted. @default {5} */
  readonly acceptCooldownSeconds: number;
  /** How many dialogs may be accepted in one turn. @default {20} */
  readonly acceptCap: number;
  /** How often a resting agent is reminded of its missing response file. @default {0} */
  readonly maxFileReminders: number;
  /** Bytes that a response file may have. @default {1048576} */
  readonly maxResponseBytes: number;
}

/** What applies where nothing else is said. */
export const DEFAULT_HANDOFF_SETTINGS: HandoffSettings = {
  pollSeconds: 2,
  idleGraceSeconds: 30,
  responseTimeoutSeconds: 1800,
  strictFileHandoff: true,
  autoAcceptPermissions: false,
  acceptCooldownSeconds: 5,
  acceptCap: 20,
  maxFileReminders: 0,
  maxResponseBytes: 1024 * 1024,
};

/**
 * What an agent is sent in a turn: its prompt, a reminder of the response file, the refusal of what it asked for, or a request
 * to continue after its CLI was started again.
 */
export type MessageKind = "prompt" | "reminder" | "refusal" | "continuation";

/** A message to an agent, and how far it has come: about to be pasted, about to be submitted, taken. */
export interface Message {
  readonly what: MessageKind;
  readonly text: string;
  readonly step: "paste" | "enter" | "sent";
}

/** How far a turn came in a process that is gone. */
export interface BegunTurn {
  /** When its prompt was dispatched; undefined where it was not. */
  readonly dispatch?: DispatchMark;
  /** The last message to the agent that is there now. */
  readonly message?: Message;
  readonly reminders: number;
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
  /** Takes warnings and audit lines. An audit line has line breaks in it: the screen's tail follows on lines of its own. */
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
  /** Whether `sendAndWait` lets the terminal come to rest before it sends: for the first prompt of a terminal. @default {false} */
  readonly settleBeforeSend?: boolean;
  /** Told whenever the terminal's status differs from the one before. */
  readonly onStatus?: (status: TerminalStatus) => void;
  /** Told when a reminder goes out; the first has the number 1. */
  readonly onReminder?: (reminder: number) => void;
  /** Told of the response before it is returned. */
  readonly onArchived?: (response: ArchivedResponse) => void | Promise<void>;
  /** Told right before each key that is pressed for a message, and when it was taken; a prompt's with its dispatch. */
  readonly onMessage?: (message: Message, dispatch?: DispatchMark) => void | Promise<void>;
  /** How far an earlier process came with the turn, which `sendAndWait` then resumes. */
  readonly begun?: BegunTurn;
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
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined) checkSetting(name, value);
  }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_HANDOFF_SETTINGS, ...given };
}

type Check = readonly [expectation: string, holds: (value: unknown) => boolean];

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const MORE_THAN_ZERO: Check = ["a number greater than 0", (value) => isNumber(value) && value > 0];
const ZERO_OR_MORE: Check = ["a number of at least 0", (value) => isNumber(value) && value >= 0];
const WHOLE: Check = ["a whole number of at least 0", (value) => Number.isInteger(value) && Number(value) >= 0];
const WHOLE_MORE_THAN_ZERO: Check = ["a whole number greater than 0", (value) => WHOLE[1](value) && value !== 0];
const YES_OR_NO: Check = ["true or false", (value) => typeof value === "boolean"];

const CHECKS: Readonly<Record<keyof HandoffSettings, Check>> = {
  pollSeconds: [
    "a number greater than 0 and at most 3600",
    (value) => MORE_THAN_ZERO[1](value) && Number(value) <= 3600,
  ],
  idleGraceSeconds: ZERO_OR_MORE,
  responseTimeoutSeconds: MORE_THAN_ZERO,
  strictFileHandoff: YES_OR_NO,
  autoAcceptPermissions: YES_OR_NO,
  acceptCooldownSeconds: ZERO_OR_MORE,
  acceptCap: WHOLE,
  maxFileReminders: WHOLE,
  maxResponseBytes: WHOLE_MORE_THAN_ZERO,
};

function checkSetting(name: string, value: unknown): void {
  if (!Object.hasOwn(CHECKS, name)) {
    throw new UsageError(`Cannot use the handoff setting "${name}": there is no such setting`, {
      hint: `Settings are: ${Object.keys(CHECKS).join(", ")}.`,
    });
  }
  const [expectation, holds] = CHECKS[name as keyof HandoffSettings];
  if (!holds(value)) {
    throw new UsageError(
      `Cannot use ${
        typeof value === "string" ? JSON.stringify(value) : String(value)
      } as ${name}: it must be ${expectation}`,
    );
  }
}
