import { type ShellCommand, type ShellScript, type ShellWord, type WordPart, wordText } from "../shell/mod.ts";

interface KnownVariables {
  readonly pwd: string | undefined;
  readonly home: string | undefined;
}

export function setsKnownVariables({ commands, variables }: ShellScript): boolean {
  const known = (name: string) => name === "PWD" || name === "HOME";
  return variables.some(({ name }) => known(name)) ||
    commands.some(({ assignments, words }) =>
      assignments.some(({ name }) => known(name)) || words.some(({ value }) => /^(?:PWD|HOME)(?:=|$)/.test(value ?? ""))
    );
}

/** The command with `$PWD` and `$HOME` replaced by their values, in words that nothing else is expanded in. */
export function withKnownVariables(command: ShellCommand, known: KnownVariables): ShellCommand {
  const all = [...command.words, ...command.assignments.map(({ word }) => word)];
  const targets = command.redirections.map(({ target }) => target);
  if ([...all, ...targets].every((word) => replaced(word, known) === word)) return command;
  return {
    ...command,
    words: command.words.map((word) => replaced(word, known)),
    assignments: command.assignments.map((one) => ({ ...one, word: replaced(one.word, known) })),
    redirections: command.redirections.map((one) => ({ ...one, target: replaced(one.target, known) })),
  };
}

function replaced(word: ShellWord, known: KnownVariables): ShellWord {
  if (word.value !== undefined || !word.parts.some(({ type }) => type === "variable")) return word;
  const parts = word.parts.map((part): WordPart => {
    const value = part.type === "variable" ? valueOf(part, known) : undefined;
    return value === undefined ? part : { type: "literal", text: value, quoted: true };
  });
  if (parts.every((part, index) => part === word.parts[index])) return word;
  const expansions = parts.some(({ type }) => type === "variable")
    ? word.expansions
    : word.expansions.filter((kind) => kind !== "variable");
  const value = expansions.length === 0 ? wordText({ parts }) : undefined;
  return { ...word, parts, expansions, value };
}

/** An expansion without quotes is one word only where its value has no blank or pattern in it. */
function valueOf({ text, quoted }: WordPart, { pwd, home }: KnownVariables): string | undefined {
  const value = /^\$(?:PWD|\{PWD\})$/.test(text) ? pwd : /^\$(?:HOME|\{HOME\})$/.test(text) ? home : undefined;
  return quoted || (value !== undefined && /^[\w./-]*$/.test(value)) ? value : undefined;
}
