import { namesFromSubstitutions } from "./name_sources.ts";
import { secretPart } from "./protected_paths.ts";
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
    // set -- a b
    const from = words[0]?.value === "set" ? words.findIndex(({ value }) => value === "--") : -1;
    for (const [index, word] of (from === -1 ? [] : words.slice(from + 1)).entries()) {
      for (const name of [String(index + 1), "@", "*"]) note(name, word.value ?? valueOf(word.parts));
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
    const pieces = type === "literal" ? [text] : type === "variable" ? expanded(text, values) : ["*"];
    if (texts.length * pieces.length > MAX_TEXTS) return [texts.length === 1 ? `${texts[0]}*` : "*"];
    texts = texts.flatMap((before) => pieces.map((piece) => before + piece));
  }
  return texts;
}

/** What an expansion of a variable may come to, as far as it may be a secret's name. */
function expanded(source: string, values: KnownValues): readonly string[] {
  const [, braced, change = "", bare = ""] = /^\$(?:\{(\w+|[@*])(?:\[[^\]]*\])?([^]*)\}|(\w+|[@*]))$/.exec(source) ??
    [];
  const known = [...values.get(braced ?? bare) ?? [undefined]].map((value) => value ?? "*");
  const [, given] = /^:?[-=+?]([^$`]*)$/.exec(change) ?? [];
  if (given !== undefined) return [...known, given];
  if (change === "") return known;
  // What is put in place of a part may make any name of it; what is left of it is a part.
  if (change.startsWith("/")) return known.map((value) => value.includes("*") ? value : MADE);
  return known.flatMap((value) => [value, ...partsOf(value).filter((part) => secretPart(part) !== undefined)]);
}

function partsOf(value: string): readonly string[] {
  const indexes = [...value.slice(0, MAX_TEXTS)].map((_, index) => index);
  return indexes.flatMap((index) => [value.slice(index), value.slice(0, index)]).filter((part) => part !== "");
}
