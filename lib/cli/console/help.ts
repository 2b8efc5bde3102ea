import help from "../help.json" with { type: "json" };
import type { Command, CommandEntry } from "./command.ts";

export interface CommandHelp extends Pick<Command, "arguments" | "flags"> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
}

interface Words {
  readonly summary: string;
  readonly description: readonly string[];
  readonly examples?: readonly (readonly string[])[];
}

const WORDS: Readonly<Record<string, Words>> = help;

export function listed(
  entries: readonly CommandEntry[],
): readonly (Pick<CommandHelp, "name" | "summary"> & { readonly group: string })[] {
  return entries.filter(({ hidden }) => hidden !== true)
    .map(({ group, name }) => ({ name, group, summary: wordsOf(name).summary }));
}

export async function helpOf({ name, load }: CommandEntry): Promise<CommandHelp> {
  const { command: { arguments: args, flags } } = await load();
  const { summary, description, examples = [] } = wordsOf(name);
  return {
    name,
    summary,
    description: description.join("\n\n"),
    arguments: args,
    flags,
    examples: examples.map(([command = "", description = ""]) => ({ command, description })),
  };
}

function wordsOf(name: string): Words {
  return WORDS[name] ?? { summary: "", description: [] };
}
