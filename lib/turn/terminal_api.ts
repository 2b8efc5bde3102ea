import { RuntimeError } from "../base/errors.ts";
import type { Role } from "../base/roles.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../screen/status.ts";
import { playTurn, waitForTurn } from "./play_turn.ts";
import type { HandoffOptions } from "./settings.ts";
import type { SendOptions, Terminal } from "./terminal.ts";

/** Terminals by their ids, as users of the library provide them. Ids are opaque here. */
export interface TerminalApi {
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
  return playTurn(terminalOf(api, terminalId), { ...options, role, message });
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
  return waitForTurn(terminalOf(api, terminalId), { ...options, role });
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
