import { namesFromSubstitutions } from "./name_sources.ts";
import { builtinEffects, type ShellScript, type ShellWord, wordText } from "../shell/mod.ts";

/**
 * What the variables of a text may be set to by it: `undefined` for a value that is not known, and {@linkcode MADE} for
 * a text that commands put together.
 */
export type KnownValues = Map<string, Set<string | undefined>>;

/** Stands in a text for what commands put together, which may be any name. */
export const MADE = "\u0000";

export function noteValues(values: KnownValues, { commands, variables }: ShellScript): void {
  const note = (name: string, value: string | undefined) => {
    const known = values.get(name);
    if (known === undefined) values.set(name, new Set([value]));
    else known.add(value);
  };
  for (const { name, values: given, patterns = [] } of variables) {
    for (const parts of patterns) note(name, valueOf(parts));
    if (given === undefined) note(name, undefined);
    for (const parts of given ?? []) note(name, valueOf(parts));
  }
  for (const { assignments, words } of commands) {
    for (const { name, word, elements = [] } of assignments) {
      note(name, word.value?.slice(word.value.indexOf("=") + 1) ?? valueOf(word.parts));
      for (const element of elements) note(name, element.value ?? valueOf(element.parts));
    }
    for (const { name } of builtinEffects(words)?.sets ?? []) {
      const word = words.find(({ source }) => source.startsWith(`${name}=`));
      note(name, word?.value?.slice(name.length + 1));
    }
  }
}

function valueOf(parts: ShellWord["parts"]): string | undefined {
  if (parts.every(({ type }) => type === "literal")) return wordText({ parts });
  return namesFromSubstitutions({ parts }, "cat") === undefined ? undefined : MADE;
}

const MAX_TEXTS = 64;

/** The texts that a word may come down to, with `*` for what is not known of it. */
export function possibleTexts({ parts }: ShellWord, values: KnownValues): readonly string[] {
  let texts = [""];
  for (const { type, text } of parts) {
    const name = type === "variable" ? /^\$(?:\{(\w+)\}|(\w+))$/.exec(text) : null;
    const known = name === null ? undefined : values.get(name[1] ?? name[2] ?? "");
    const pieces = type === "literal" ? [text] : known === undefined ? ["*"] : [...known].map((value) => value ?? "*");
    if (texts.length * pieces.length > MAX_TEXTS) return [texts.length === 1 ? `${texts[0]}*` : "*"];
    texts = texts.flatMap((before) => pieces.map((piece) => before + piece));
  }
  return texts;
}
