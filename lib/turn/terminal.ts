import type { AgentFailure } from "../agents/failure.ts";
import type { TerminalStatus } from "../base/status.ts";

/** What every call of a {@linkcode Terminal} takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How a text is submitted. */
export interface SendOptions {
  /** Called right before keys are pressed: before the text is pasted, and before each Enter. */
  readonly onStep?: (step: "paste" | "enter") => void | Promise<void>;
  /** Whether the text may stand in the composer already, from an attempt that was broken off. @default {false} */
  readonly mayBePasted?: boolean;
}

/** What a terminal's status is, and whose word that is. */
export interface TerminalReading {
  /** What the agent is doing. */
  readonly status: TerminalStatus;
  /** The rule that decided, where the screen did. */
  readonly rule?: string;
  /** The record that decided, where the agent's own word did. */
  readonly record?: string;
}

/** What the handoff knows of an agent's terminal: a status, a way in, and the last output. */
export interface Terminal {
  readonly id: string;
  status(options?: CallOptions): Promise<TerminalReading>;
  /**
   * Resolves once the agent has taken the text.
   *
   * @throws {AgentAtWorkError} when it is at work; the text is sent once it is not
   * @throws {DraftInTheWayError} when a person's words stand in the composer; it is sent once they are gone
   * @throws {HumanInterventionRequiredError} when a dialog is in the way
   */
  submit(text: string, options?: CallOptions & SendOptions): Promise<void>;
  /** Whether the text stands in the composer, pasted and not submitted. */
  holdsText(text: string, options?: CallOptions): Promise<boolean>;
  /** Whether words stand in the composer that nobody has submitted, whoever typed them. */
  hasDraft(options?: CallOptions): Promise<boolean>;
  /** The agent's last answer, as far as the terminal shows it. */
  lastOutput(options?: CallOptions): Promise<string>;
  /** How the terminal's program ended, such as "killed by signal 9"; `undefined` while it runs. */
  describeEnd(options?: CallOptions): Promise<string | undefined>;
  /** What the agent says of a turn that failed; `undefined` where it says nothing, missing where it is not known. */
  failure?(options?: CallOptions): Promise<AgentFailure | undefined>;
  /** Interrupts the agent's turn, as a person does with Esc; missing where that cannot be done. */
  interrupt?(options?: CallOptions): Promise<void>;
  /** How often the agent's conversation was made shorter; missing where it is not known. */
  compactions?(options?: CallOptions): Promise<number>;
  /**
   * What changes as long as an agent at work gets on; `undefined` where that cannot be told, or a command of its runs.
   * Missing where it is not known.
   */
  workMark?(options?: CallOptions): Promise<string | undefined>;
}
