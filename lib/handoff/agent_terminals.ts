import { UsageError } from "../errors.ts";
import type { AgentTerminal } from "../providers/agent_terminal.ts";
import type { TerminalApi } from "./terminal_api.ts";

/**
 * The terminals of a run, as the handoff sees them. All text is submitted as a prompt: dialogs are dealt with by a desk.
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
    sendInput: async (terminalId, text, sending = {}) =>
      await find(terminalId).submit(text, { ...options, ...sending }),
    describeEnd: async (terminalId) => await find(terminalId).describeEnd(options),
    holdsInput: async (terminalId, text) => await find(terminalId).holdsText(text, options),
  };
}
