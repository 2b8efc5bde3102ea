import type { Command, CommandEntry } from "./console/command.ts";
import { outputLine } from "../api/output/line.ts";

/** All commands that help shows, as objects of `--json`: a line each. */
export function overviewLines(entries: readonly CommandEntry[]): string {
  return entries.filter((entry) => entry.hidden !== true)
    .map(({ name, summary }) => outputLine("command", { name, summary })).join("");
}

export function commandLine({ name, summary }: CommandEntry, command: Command): string {
  const { description, arguments: specs = [], flags = [], examples = [] } = command;
  const args = specs.map(({ text: _text, ...shown }) => shown);
  return outputLine("command", { name, summary, description, arguments: args, flags, examples });
}
