import { resolve } from "@std/path/posix";
import { TimeoutError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import type { Role } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import type { TerminalStatus } from "../base/status.ts";
import { defaultArchiveDir } from "./archive.ts";
import { PERSON_SECONDS } from "./desk/settings.ts";
import type { DialogDesk } from "./dialog_desk.ts";
import type { EmitTurnEvent, Message } from "./events.ts";
import type { Fallbacks, Tried } from "./ladder.ts";
import type { DispatchMark } from "./response_reading.ts";
import { type HandoffSettings, resolveHandoffSettings } from "./settings.ts";
import type { CallOptions, Terminal } from "./terminal.ts";

/** How far a turn came in a process that is gone. */
export interface BegunTurn {
  /** When its prompt was dispatched; undefined where it was not. */
  readonly dispatch?: DispatchMark;
  /** The last message to the agent that is there now. */
  readonly message?: Message;
  /** How many reminders have been sent. */
  readonly reminders: number;
  /** How often what was done about its failures. @default {{}} */
  readonly tried?: Tried;
  /** How much of the time that a turn may take it has used. @default {0} */
  readonly usedSeconds?: number;
  /** How many of its dialogs were accepted. */
  readonly acceptedDialogs: number;
  /** How many of its dialogs were declined. */
  readonly declinedDialogs: number;
}

/** How a turn is handed over and waited for. Only `workdir` is required. */
export interface TurnOptions {
  /** The folder in which the agent works; responses live in `<workdir>/.tmp/agent-responses`. */
  readonly workdir: string;
  /** The clock of its timers. @default {systemClock} */
  readonly clock?: Clock;
  /** The time of day. @default {() => new Date()} */
  readonly wallClock?: () => Date;
  /** Ends every wait; the turn then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How it is waited for. @default {the defaults of the seeds} */
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
  /** How long a person's draft in the composer is waited for. @default {600} */
  readonly draftTimeoutSeconds?: number;
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

export interface TurnSeat {
  readonly role: Role;
  readonly emit?: EmitTurnEvent;
  readonly keepsOutput?: boolean;
  /** Whether who plays it can put another agent in the place of this one: see {@linkcode AgentGivenUpError}. */
  readonly mayReplace?: boolean;
  /** The agents of other providers, or with other logins, that may do so. @default none */
  readonly fallbacks?: () => Fallbacks;
  /** Whether turns that have failed may still be tried again. @default {() => true} */
  readonly mayRecover?: () => boolean;
  /** How often its agent's conversation had been made shorter before the turn. @default {0} */
  readonly compactions?: number;
  /** What an agent is told once more whose conversation was made shorter. @default nothing */
  readonly restate?: () => string;
}

export interface Turn extends TurnOptions, TurnSeat {
  readonly terminal: Terminal;
  readonly emit: EmitTurnEvent;
  readonly archiveDir: string;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly call: CallOptions;
  readonly settings: HandoffSettings;
  readonly draftTimeoutSeconds: number;
  readonly expectsResponse: boolean;
  readonly acceptTimes: Map<string, number>;
  readonly progress: TurnProgress;
}

/** How an agent at work got on when that was looked at last. */
interface Standing {
  /** See `workMark` of a terminal. */
  readonly mark: string | undefined;
  /** Since when it is the same, and when it was looked at, in the clock's milliseconds. */
  readonly sinceMs: number;
  readonly lookedMs: number;
}

interface TurnProgress {
  lastStatus: TerminalStatus | undefined;
  acceptedDialogs: number;
  declinedDialogs: number;
  /** What was refused to an agent that worked on then: nobody has told it why. */
  untoldRefusal: { readonly request: string; readonly reason: string } | undefined;
  dialogReported: boolean;
  compactions: number;
  tried: Tried;
  /** Of an agent that is at work. */
  standing: Standing | undefined;
  waitingSinceMs: number | undefined;
  /** How long it stood there before, or waited for its next try: time that does not count. */
  waitedMs: number;
  /**
   * Since when its time is counted in this process, and how long had been waited then; not before its prompt was sent.
   */
  running: { readonly sinceMs: number; readonly waitedMs: number } | undefined;
  toldUsedMs: number;
}

const REST_WITHOUT_RESPONSE_SECONDS = 10;

export function openTurn(terminal: Terminal, options: TurnOptions & TurnSeat): Turn {
  const { begun, expectsResponse = true, signal } = options;
  const workdir = resolve(options.workdir);
  const settings = resolveHandoffSettings(options.settings);
  const idleGraceSeconds = expectsResponse
    ? settings.idleGraceSeconds
    : Math.min(settings.idleGraceSeconds, REST_WITHOUT_RESPONSE_SECONDS);
  return {
    ...options,
    terminal,
    emit: options.emit ?? (() => {}),
    workdir,
    archiveDir: resolve(options.archiveDir ?? defaultArchiveDir(workdir)),
    clock: options.clock ?? systemClock,
    wallClock: options.wallClock ?? (() => new Date()),
    call: present({ signal }),
    settings: { ...settings, idleGraceSeconds },
    draftTimeoutSeconds: options.draftTimeoutSeconds ?? PERSON_SECONDS,
    expectsResponse,
    acceptTimes: options.acceptTimes ?? new Map(),
    progress: {
      lastStatus: undefined,
      acceptedDialogs: begun?.acceptedDialogs ?? 0,
      declinedDialogs: begun?.declinedDialogs ?? 0,
      untoldRefusal: undefined,
      dialogReported: false,
      compactions: options.compactions ?? 0,
      tried: begun?.tried ?? {},
      standing: undefined,
      waitingSinceMs: undefined,
      waitedMs: 0,
      running: undefined,
      toldUsedMs: (begun?.usedSeconds ?? 0) * 1000,
    },
  };
}

export function whoseTurn({ role, terminal }: Pick<Turn, "role" | "terminal">): string {
  return `${role} in terminal ${terminal.id}`;
}

export async function warn(turn: Turn, message: string): Promise<void> {
  await turn.emit({ type: "notice", severity: "warning", message });
}

/** "Cannot finish the turn of tester in terminal t-1: … (last status: idle)". */
export function turnMessage(turn: Turn, problem: string): string {
  const status = turn.progress.lastStatus ?? "none was read";
  return `Cannot finish the turn of ${whoseTurn(turn)}: ${problem} (last status: ${status})`;
}

export function timeoutError(turn: Turn, { before = "", after = "" } = {}): TimeoutError {
  const limit = `the limit of ${turn.settings.responseTimeoutSeconds} s passed`;
  return new TimeoutError(turnMessage(turn, `${before}${limit}${after}`), {
    hint: "RESPONSE_TIMEOUT sets the limit, in seconds. A turn that is resumed has what is left of it: resume the " +
      "run with --raise response_timeout=SECONDS.",
  });
}
