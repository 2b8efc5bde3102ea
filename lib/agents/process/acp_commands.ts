import type { AgentEvent } from "../agent.ts";
import type { AcpActivity } from "../acp/activity.ts";

/** How much of what a command has written is kept, from its end. */
const MAX_OUTPUT_CHARS = 64 * 1024;

interface Command {
  readonly command: string;
  output: string;
  hasEnded: boolean;
}

/**
 * The commands of an agent over ACP, as they are heard when they begin, write and end. Their exit codes are not told: a
 * command that failed counts as one with 1.
 */
export class AcpCommands {
  readonly #commands = new Map<string, Command>();

  take(activity: AcpActivity): readonly AgentEvent[] {
    switch (activity.type) {
      case "tool_call":
        return this.#takeCall(activity);
      case "tool_output": {
        const { id, text } = activity;
        const known = this.#commands.get(id);
        if (known === undefined || known.hasEnded) return [];
        known.output = `${known.output}${text}`.slice(-MAX_OUTPUT_CHARS);
        return [{ type: "ended", source: "call", id, exitCode: undefined, output: known.output }];
      }
      default:
        return [];
    }
  }

  #takeCall({ id, command, status }: Extract<AcpActivity, { type: "tool_call" }>): readonly AgentEvent[] {
    const before = this.#commands.get(id);
    if (before?.hasEnded) return [];
    const told: AgentEvent[] = [];
    // It may be told in pieces.
    if (command !== undefined && command !== before?.command) {
      this.#commands.set(id, { command, output: before?.output ?? "", hasEnded: false });
      told.push({ type: "called", source: "call", id, commands: [{ command, isCertain: true }] });
    }
    const now = this.#commands.get(id);
    if (now === undefined || (status !== "completed" && status !== "failed")) return told;
    const { output } = now;
    this.#commands.set(id, { command: now.command, output: "", hasEnded: true });
    return [...told, { type: "ended", source: "call", id, exitCode: status === "completed" ? 0 : 1, output }];
  }
}
