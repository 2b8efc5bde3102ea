import { UsageError } from "../errors.ts";
import type { AgentTerminal } from "../providers/agent_terminal.ts";
import type { TerminalApi } from "./terminal_api.ts";

/** The answer that accepts a dialog; the seeds' word for it. No prompt consists of it alone. */
const ACCEPT = "y";

/**
 * The terminals of a run, as the handoff sees them.
 *
 * Sending `y` accepts an open permission dialog with the keys of the agent's CLI, and does nothing where none is open any
 * more. Every other text is submitted as a prompt.
 *
 * @param terminals by terminal id
 */
export function createTerminalApi(
  terminals: ReadonlyMap<string, AgentTerminal>,
  options: { readonly signal?: AbortSignal } = {},
): TerminalApi {
  const find = (terminalId: string): AgentTerminal => {
    const terminal = terminals.get(terminalId);
    if (terminal) return terminal;
    throw new UsageError(`Cannot use terminal "${terminalId}": there is none of that id`, {
      hint: `The terminals are ${[...terminals.keys()].join(", ")}.`,
    });
  };
  return {
    getStatus: async (terminalId) => (await find(terminalId).status(options)).status,
    getLastOutput: async (terminalId) => await find(terminalId).lastOutput(options),
    async sendInput(terminalId, text) {
      const terminal = find(terminalId);
      if (text.trim() === ACCEPT) await terminal.acceptDialog(options);
      else await terminal.submit(text, options);
    },
  };
}
