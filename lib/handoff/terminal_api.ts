import type { TerminalStatus } from "../screen/status.ts";

/** What {@linkcode TerminalApi.sendInput} may be given besides its text. */
export interface SendInputOptions {
  /** Called right before keys are pressed: before the text is pasted, and before each Enter. */
  readonly onStep?: (step: "paste" | "enter") => void | Promise<void>;
  /** Whether the text may stand in the composer already, from an attempt that was broken off. @default {false} */
  readonly mayBePasted?: boolean;
}

/** What the handoff knows of terminals: a status, a way in, and the last output. Ids are opaque here. */
export interface TerminalApi {
  getStatus(terminalId: string): Promise<TerminalStatus>;
  /** Resolves once the text was submitted to the agent. */
  sendInput(terminalId: string, text: string, options?: SendInputOptions): Promise<void>;
  /** Whether the text stands in the terminal's composer, pasted and not submitted. */
  holdsInput?(terminalId: string, text: string): Promise<boolean>;
  /** How the terminal's program has ended, such as "killed by signal 9"; `undefined` while it runs. */
  describeEnd?(terminalId: string): Promise<string | undefined>;
  /** The agent's last answer, as far as the terminal shows it. */
  getLastOutput(terminalId: string): Promise<string>;
}
