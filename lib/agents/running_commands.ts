import { listCommandLines } from "../base/ports/command_lines.ts";
import { findPidsByEntry } from "../base/ports/process_table.ts";
import { type AgentProcesses, findLeftCommands, type ProcessFacts } from "./left_commands.ts";

/** What is known of this user's processes, besides what the process table tells. */
export async function readProcessFacts(variables: readonly string[]): Promise<ProcessFacts> {
  const [ofCommands, argvOf] = await Promise.all([
    findPidsByEntry(`(${variables.join("|")})=.*`),
    listCommandLines(),
  ]);
  return { ofCommands, argvOf };
}

/**
 * Whether a command of an agent runs, or something that may be one.
 *
 * @param variable which the agent's CLI gives to commands alone, where one is known
 */
export async function runsCommand(processes: AgentProcesses, variable: string | undefined): Promise<boolean> {
  const { own, root } = processes;
  // The CLI alone runs nothing.
  if (own.every(({ pid }) => pid === root)) return false;
  if (variable === undefined) return true;
  return findLeftCommands(processes, await readProcessFacts([variable])).length > 0;
}

/** What is said of an agent that has stalled. */
export function stalledText(minutes: number): string {
  return `nothing has changed for ${minutes} minutes`;
}
