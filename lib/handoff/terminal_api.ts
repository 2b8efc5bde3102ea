import type { TerminalStatus } from "../screen/status.ts";

/** What the handoff knows of terminals: a status, a way in, and the last output. Ids are opaque here. */
export interface TerminalApi {
  getStatus(terminalId: string): Promise<TerminalStatus>;
  /** Resolves once the text was submitted to the agent. */
  sendInput(terminalId: string, text: string): Promise<void>;
  /** The agent's last answer, as far as the terminal shows it. */
  getLastOutput(terminalId: string): Promise<string>;
}
