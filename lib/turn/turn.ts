import { resolve } from "@std/path/posix";
import {
  AgentAtWorkError,
  HumanInterventionRequiredError,
  PanewrightError,
  RuntimeError,
  TimeoutError,
} from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import type { TerminalStatus } from "../screen/status.ts";
import { abortable } from "../base/ports/abortable.ts";
import { defaultArchiveDir } from "./archive.ts";
import type { FollowUpOptions } from "./instruction.ts";
import type { Role } from "../base/roles.ts";
import { type HandoffOptions, type HandoffSettings, resolveHandoffSettings } from "./settings.ts";
import type { CallOptions, Terminal } from "./terminal.ts";
import { errorText } from "../base/text/error_text.ts";
import { tellTime, type TurnTime } from "./turn_time.ts";
import { present } from "../base/schema.ts";

/** One turn of one role: all that it needs, checked, and how far it is. */
export interface Turn {
  readonly terminal: Terminal;
  readonly role: Role;
  readonly workdir: string;
  readonly archiveDir: string;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal | undefined;
  /** What every call of the terminal takes. */
  readonly call: CallOptions;
  readonly settings: HandoffSettings;
  readonly log: (line: string) => void;
  readonly options: HandoffOptions;
  readonly acceptTimes: Map<string, number>;
  readonly progress: TurnProgress;
}

/** What changes during a turn. */
interface TurnProgress extends TurnTime {
  lastStatus: TerminalStatus | undefined;
  /** How many dialogs were accepted in this turn without a person. */
  acceptedDialogs: number;
  /** How many were refused by the policy. */
  declinedDialogs: number;
  /** What was refused to an agent that worked on then: nobody has told it why. */
  untoldRefusal: { readonly request: string; readonly reason: string } | undefined;
  /** Whether the dialog that is open now was reported already. */
  dialogReported: boolean;
  /** How often it was tried again after a failure. */
  retries: number;
}

/** How many reads of a status may fail in a row before the turn fails. */
const MAX_STATUS_ATTEMPTS = 5;

/**
 * Opens a turn.
 *
 * @throws {UsageError} when a setting is wrong
 */
export function openTurn(
  terminal: Terminal,
  options: HandoffOptions & { readonly role: Role },
): Turn {
  const workdir = resolve(options.workdir);
  return {
    terminal,
    role: options.role,
    workdir,
    archiveDir: resolve(options.archiveDir ?? defaultArchiveDir(workdir)),
    clock: options.clock ?? systemClock,
    wallClock: options.wallClock ?? (() => new Date()),
    signal: options.signal,
    call: options.signal === undefined ? {} : { signal: options.signal },
    settings: settingsOf(options),
    log: options.log ?? (() => {}),
    options,
    acceptTimes: options.acceptTimes ?? new Map(),
    progress: {
      lastStatus: undefined,
      acceptedDialogs: options.begun?.acceptedDialogs ?? 0,
      declinedDialogs: options.begun?.declinedDialogs ?? 0,
      untoldRefusal: undefined,
      dialogReported: false,
      waitingSinceMs: undefined,
      retries: options.begun?.retries ?? 0,
      waitedMs: 0,
      running: undefined,
      toldUsedMs: (options.begun?.usedSeconds ?? 0) * 1000,
    },
  };
}

/** How long an agent rests at most until a turn is over in which no response is expected. */
const REST_WITHOUT_RESPONSE_SECONDS = 10;

function settingsOf({ settings, expectsResponse }: HandoffOptions): HandoffSettings {
  const resolved = resolveHandoffSettings(settings);
  if (expectsResponse !== false) return resolved;
  return { ...resolved, idleGraceSeconds: Math.min(resolved.idleGraceSeconds, REST_WITHOUT_RESPONSE_SECONDS) };
}

/** How what is sent in the same turn after its prompt ends. */
export function followUpOf({ options: { expectsResponse = true } }: Turn): Pick<FollowUpOptions, "expectsResponse"> {
  return { expectsResponse };
}

/** "Cannot finish the turn of tester in terminal t-1: … (last status: idle)". */
export function turnMessage(turn: Turn, problem: string): string {
  const status = turn.progress.lastStatus ?? "none was read";
  return `Cannot finish the turn of ${turn.role} in terminal ${turn.terminal.id}: ${problem} (last status: ${status})`;
}

/** The error of a turn whose time is up; `before` and `after` stand around "the limit of 1800 s passed". */
export function timeoutError(turn: Turn, { before = "", after = "" } = {}): TimeoutError {
  const limit = `the limit of ${turn.settings.responseTimeoutSeconds} s passed`;
  return new TimeoutError(turnMessage(turn, `${before}${limit}${after}`), {
    hint: "RESPONSE_TIMEOUT sets the limit, in seconds. A turn that is resumed has what is left of it.",
  });
}

/** Waits until a time of the clock, or until something happened that is worth a look. */
export async function waitUntil({ clock, options, signal }: Turn, untilMs: number): Promise<void> {
  if (options.wake) return await options.wake(untilMs, signal);
  await clock.sleep(Math.max(0, Math.ceil(untilMs - clock.now())), signal);
}

/**
 * Does something with the turn's terminal that has to succeed.
 *
 * @throws {RuntimeError} naming role and terminal, when it fails; what is a reason to wait, or a request for a person,
 * passes through as it is
 */
export async function useTerminal<T>(turn: Turn, purpose: string, call: () => Promise<T>): Promise<T> {
  try {
    return await abortable(call, turn.signal);
  } catch (error) {
    throw asTurnError(turn, error, `${purpose} failed: ${errorText(error)}`);
  }
}

/**
 * Reads the terminal's status. A failure is tried again after an eighth of the poll interval, then after twice as long
 * each time, up to the whole interval.
 *
 * @throws {RuntimeError} when five attempts in a row failed
 */
export async function readStatus(turn: Turn): Promise<TerminalStatus> {
  const { call, clock, progress, settings, signal, terminal } = turn;
  tellTime(turn);
  for (let attempt = 1;; attempt++) {
    try {
      const { status, ...witnesses } = await abortable(() => terminal.status(call), signal);
      if (status !== progress.lastStatus) turn.options.onStatus?.(status, witnesses);
      progress.lastStatus = status;
      return status;
    } catch (error) {
      const failure = `reading the terminal's status failed ${attempt} times in a row: ${errorText(error)}`;
      const turnError = asTurnError(turn, error, failure);
      if (attempt === MAX_STATUS_ATTEMPTS || !(turnError instanceof RuntimeError)) throw turnError;
      if (attempt === 1) {
        turn.log(
          `Warning: cannot read the status of ${turn.role} in terminal ${terminal.id}: ${
            errorText(error)
          }. Trying again.`,
        );
      }
    }
    await clock.sleep(Math.ceil(settings.pollSeconds * 1000 / 2 ** (MAX_STATUS_ATTEMPTS - 1 - attempt)), signal);
  }
}

function asTurnError(turn: Turn, error: unknown, problem: string): unknown {
  if (turn.signal?.aborted) return turn.signal.reason;
  if (error instanceof HumanInterventionRequiredError || error instanceof AgentAtWorkError) return error;
  const hint = error instanceof PanewrightError ? error.hint : undefined;
  return new RuntimeError(turnMessage(turn, problem), { cause: error, ...present({ hint }) });
}
