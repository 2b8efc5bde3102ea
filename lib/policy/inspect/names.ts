import {
  type CommandLayer,
  commandLayers,
  type ShellCommand,
  type ShellScript,
  type ShellWord,
  type WordPart,
} from "../../shell/mod.ts";
import { possibleTexts } from "../known_values.ts";
import { namesFrom, namesFromSubstitutions, secretIn, writesFileNames } from "../name_sources.ts";
import { programUses } from "../programs/mod.ts";
import { shownSecret } from "../secret_variables.ts";
import { doubt, type Inspection, type LayerPlace } from "./inspection.ts";

/** The commands of a pipeline before one of its commands, and no more of these than are followed, and one. */
export function pipedInto(commands: readonly ShellCommand[], last: number): readonly ShellCommand[] {
  let from = last;
  while (from > 0 && last - from <= MAX_PIPED && commands[from]?.precededBy === "|") from--;
  return commands.slice(from, last);
}

/** Names are followed through so many commands: each command of a pipeline looks at those before it. */
const MAX_PIPED = 32;

/** Looks at secrets' values that a command hands over, by their variables' names; a test only looks at them. */
export function inspectShown({ words, assignments, redirections }: ShellCommand, context: Inspection): void {
  if (/^(?:test|\[)$/.test(words[0]?.value ?? "")) return;
  const given = [...words, ...assignments.map(({ word }) => word), ...redirections.map(({ target }) => target)];
  const elements = assignments.flatMap((one) => one.elements ?? []);
  noteShown([...given, ...elements].flatMap((word) => word.parts), context);
  noteShown(redirections.flatMap(({ hereParts = [] }) => hereParts), context);
}

function noteShown(parts: readonly WordPart[], { guarded, values }: Inspection): void {
  for (const part of parts) {
    const name = shownSecret(part, (one) => values.has(one));
    if (name !== undefined) guarded.push(`it hands over $${name}, which is a secret by its name`);
  }
}

/** Looks for names of secrets in what other commands take names from: `$(…)`, and texts before `xargs` and `read`. */
export function inspectNames({ commands, variables }: ShellScript, context: Inspection): void {
  const { guarded, values } = context;
  const assigned = commands.flatMap(({ assignments }) =>
    assignments.flatMap(({ word, elements = [] }) => [word.parts, ...elements.map(({ parts }) => parts)])
  );
  for (const parts of [...variables.flatMap((one) => one.values ?? []), ...assigned]) {
    noteShown(parts, context);
    const found = namesFromSubstitutions({ parts }, "cat");
    if (found !== undefined && "secret" in found && found.secret !== "any file") {
      guarded.push(`it takes names from another command, and ${found.secret} is secret`);
    }
  }
  const takes = commands.some(({ words }) =>
    words.some(({ value }) => /^(?:g?xargs|parallel|read|mapfile|readarray)$/.test(value ?? ""))
  );
  if (!takes) return;
  const lists = commands.find((one) =>
    commandLayers(one).at(-1)?.program === "ls" && namesFrom([one], "cat") !== undefined
  );
  const reads = commands.some(({ words }) => /^(?:read|mapfile|readarray)$/.test(words[0]?.value ?? ""));
  if (reads && lists !== undefined) doubt(context, "it reads names of hidden files, which may be secret");
  for (const { words, redirections } of commands) {
    const printed = /^(?:echo|printf)$/.test(words[0]?.value ?? "") ? words.slice(1) : [];
    const here = redirections.filter(({ operator }) => operator === "<<<").map(({ target }) => target);
    const texts = [...printed, ...here].flatMap((word) => possibleTexts(word, values));
    for (const text of [...texts, ...redirections.map(({ hereDocument = "" }) => hereDocument)]) {
      const secret = secretIn(text);
      if (secret !== undefined) guarded.push(`it hands ${secret} to another command, which is secret`);
    }
  }
}

export function givenFileNames({ before, command, layers }: LayerPlace): boolean {
  return !readsFile(command, layers) && before.length <= MAX_PIPED && writesFileNames(before);
}

function readsFile({ redirections }: ShellCommand, layers: readonly CommandLayer[]): boolean {
  return redirections.some(({ operator }) => operator.startsWith("<")) ||
    layers.some((layer) =>
      layer.program === "xargs" && layer.words.some(({ value }) => /^-a|^--arg/.test(value ?? ""))
    );
}

export function checkGiven(
  { program = "", words }: CommandLayer,
  { context, before, command, layers, names }: LayerPlace & { readonly names: boolean },
): void {
  const [first] = words;
  if (first === undefined) return;
  const added = programUses(program, words, true).filter(({ word }) => !words.includes(word));
  if (added.some(({ kind }) => kind === "runs" || kind === "leaves" || (kind === "unknown" && !names))) {
    doubt(context, `${program} is given words that may tell it to run something`);
  }
  const probe: ShellWord = { ...first, value: "probe", parts: [{ type: "literal", text: "probe", quoted: true }] };
  if (!programUses(program, [...words, probe]).some(({ word }) => word === probe)) return;
  const unknown = readsFile(command, layers)
    ? "names in a file"
    : before.length > MAX_PIPED
    ? "names that too many commands make"
    : undefined;
  const source = unknown === undefined ? namesFrom(before, program) : { unknown };
  if (source === undefined) return;
  if ("secret" in source) context.guarded.push(`${program} is given names, and ${source.secret} is secret`);
  else doubt(context, `${program} is given ${source.unknown}`);
}
