import { RuntimeError } from "../base/errors.ts";
import type { Role } from "../base/roles.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../base/status.ts";
import type { AgentFailure } from "../agents/failure.ts";
import type { ArchivedResponse, EmitTurnEvent, Held, Message } from "./events.ts";
import { playTurn, waitForTurn } from "./play_turn.ts";
import type { DispatchMark } from "./response_reading.ts";
import type { Retry } from "./ladder.ts";
import type { SendOptions, Terminal, TerminalReading } from "./terminal.ts";
import { type TurnOptions, type TurnSeat, whoseTurn } from "./turn.ts";

/** How a turn is handed over and waited for, and who is told of it. Only `workdir` is required. */
export interface HandoffOptions extends TurnOptions {
  /**
   * Takes warnings and audit lines. An audit line has line breaks in it: the screen's tail follows on lines of its own.
   */
  readonly log?: (line: string) => void;
  /** Told whenever the terminal's status differs from the one before, and whose word that is. */
  readonly onStatus?: (status: TerminalStatus, witnesses: Omit<TerminalReading, "status">) => void;
  /** Told what the agent says of a turn that failed, before the turn ends, or waits to be tried again. */
  readonly onFailure?: (failure: AgentFailure, retry?: Retry) => void;
  /** Told what keeps a message from being sent, whenever that changes; `undefined` when it waits no longer. */
  readonly onHeld?: (held: Held | undefined) => void;
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
}

/** Terminals by their ids, as users of the library provide them. Ids are opaque here. */
export interface TerminalApi {
  /** What the terminal shows of its agent. */
  getStatus(terminalId: string): Promise<TerminalStatus>;
  /**
   * Resolves once the text was submitted to the agent. Where it rejects with an `AgentAtWorkError` or a
   * `DraftInTheWayError`, the text is sent again when the agent rests and `hasDraft` says no.
   */
  sendInput(terminalId: string, text: string, options?: SendOptions): Promise<void>;
  /** Whether the text stands in the terminal's composer, pasted and not submitted. */
  holdsInput?(terminalId: string, text: string): Promise<boolean>;
  /** Whether words stand in the terminal's composer that nobody has submitted, whoever typed them. */
  hasDraft?(terminalId: string): Promise<boolean>;
  /** How the terminal's program ended, such as "killed by signal 9"; `undefined` while it runs. */
  describeEnd?(terminalId: string): Promise<string | undefined>;
  /** The agent's last answer, as far as the terminal shows it. */
  getLastOutput(terminalId: string): Promise<string>;
}

/**
 * Plays one turn: clears the role's response path, sends the message, waits for the response file and returns its text.
 *
 * The message has to tell the agent where to write: end it with `responseFileInstruction`. When the agent comes to rest
 * without a usable response it is reminded up to `maxFileReminders` times, each time with fresh grace timers; the
 * response timeout counts for the whole turn.
 *
 * @throws like {@linkcode waitForResponseFile}, and {RuntimeError} when the message cannot be sent
 */
export function sendAndWait(
  api: TerminalApi,
  terminalId: string,
  role: Role,
  message: string,
  options: HandoffOptions,
): Promise<string> {
  const terminal = terminalOf(api, terminalId);
  return playTurn(terminal, { ...options, ...seatOf({ role, terminal }, options), message });
}

/**
 * Waits for a role's response file by the polling rules, archives it and returns its text.
 *
 * A file that is there when the wait begins counts: only `sendAndWait` knows what is older than its prompt.
 *
 * @returns the response without byte order mark and with LF line ends; without strict handoff the terminal's last
 * output when the agent came to rest without a response
 * @throws {RuntimeError} when the agent is in error, the response is missing with strict handoff, the response path is
 * refused, too many dialogs were accepted, or the terminal cannot be used
 * @throws {TimeoutError} when the time is up and the agent is not at rest
 * @throws {UsageError} when a setting is wrong
 * @throws the signal's reason when it is aborted
 */
export function waitForResponseFile(
  api: TerminalApi,
  terminalId: string,
  role: Role,
  options: HandoffOptions,
): Promise<string> {
  const terminal = terminalOf(api, terminalId);
  return waitForTurn(terminal, { ...options, ...seatOf({ role, terminal }, options) });
}

function seatOf(whose: { readonly role: Role; readonly terminal: Terminal }, options: HandoffOptions): TurnSeat {
  return { role: whose.role, emit: tellerOf(whose, options), keepsOutput: options.onArchived !== undefined };
}

/** What keeps a message from being sent, for a person. */
const OBSTACLES: Readonly<Record<Held["obstacle"], string>> = {
  at_work: "the agent is at work on something else",
  draft: "a person's draft is in its composer",
};

/** Hands the events of a turn to the callbacks of its options. */
function tellerOf(whose: Parameters<typeof seatOf>[0], options: HandoffOptions): EmitTurnEvent {
  const warn = (message: string) => options.log?.(`Warning: ${message}`);
  return (event) => {
    switch (event.type) {
      case "status": {
        const { type: _, status, ...witnesses } = event;
        return options.onStatus?.(status, witnesses);
      }
      case "failure":
        return options.onFailure?.(event.failure, event.retry);
      case "held": {
        const { held } = event;
        if (options.onHeld !== undefined) return options.onHeld(held);
        return warn(`the ${held.what} for ${whoseTurn(whose)} waits: ${OBSTACLES[held.obstacle]}.`);
      }
      case "released":
        return options.onHeld?.(undefined);
      case "time_used":
        return options.onTimeUsed?.(event.seconds);
      case "reminder":
        return options.onReminder?.(event.number);
      case "archived":
        return options.onArchived?.(event.response);
      case "message":
        return options.onMessage?.(event.message, event.dispatch);
      case "notice":
        return event.severity === "warning" ? warn(event.message) : options.log?.(event.message);
    }
  };
}

function terminalOf(api: TerminalApi, id: string): Terminal {
  return {
    id,
    status: async () => ({ status: checkStatus(await api.getStatus(id)) }),
    submit: (text, { onStep, mayBePasted = false } = {}) =>
      onStep === undefined ? api.sendInput(id, text) : api.sendInput(id, text, { onStep, mayBePasted }),
    holdsText: async (text) => await api.holdsInput?.(id, text) ?? false,
    hasDraft: async () => await api.hasDraft?.(id) ?? false,
    lastOutput: () => api.getLastOutput(id),
    describeEnd: async () => await api.describeEnd?.(id),
  };
}

/** What programs without types hand over may be anything. */
function checkStatus(status: TerminalStatus): TerminalStatus {
  if (TERMINAL_STATUSES.includes(status)) return status;
  throw new RuntimeError(`the status is ${JSON.stringify(status)}; it must be one of ${TERMINAL_STATUSES.join(", ")}`);
}
