import type { Reader } from "./reader.ts";
import type { ExpansionKind, ShellWord, WordPart } from "./syntax.ts";
import { wordText } from "./word_text.ts";

export interface Draft {
  readonly parts: WordPart[];
  readonly expansions: Set<ExpansionKind>;
  /** The unquoted text, in which patterns, braces and tildes are special; quoted text leaves a NUL. */
  bare: string;
}

export function newDraft(): Draft {
  return { parts: [], expansions: new Set(), bare: "" };
}

/** Adds a part; a literal one joins the one before where both are quoted, or neither. */
export function add(draft: Draft, part: WordPart): void {
  const last = draft.parts.at(-1);
  if (part.type === "literal" && last?.type === "literal" && last.quoted === part.quoted) {
    draft.parts[draft.parts.length - 1] = { ...last, text: last.text + part.text };
  } else draft.parts.push(part);
  if (part.type !== "literal") draft.expansions.add(part.type);
  draft.bare += part.type === "literal" && !part.quoted ? part.text : "\0";
}

export function finish(
  draft: Draft,
  { reader, start }: { readonly reader: Reader; readonly start: number },
): ShellWord {
  const { bare, expansions, parts } = draft;
  if (bare !== "[" && (/[*?]/.test(bare) || isBefore(bare.indexOf("["), bare.lastIndexOf("]")))) {
    expansions.add("pathname");
  }
  const brace = bare.indexOf("{");
  const closing = bare.lastIndexOf("}");
  if (brace !== -1 && (within(bare, ",", brace, closing) || within(bare, "..", brace, closing))) {
    expansions.add("brace");
  }
  if (bare.startsWith("~") || bare.includes("=~") || bare.includes(":~")) expansions.add("tilde");
  const kept = parts.filter((part) => part.text !== "");
  return {
    value: expansions.size === 0 ? wordText({ parts }) : undefined,
    parts: kept.length > 0 ? kept : parts.slice(0, 1),
    expansions: [...expansions],
    source: reader.text.slice(start, reader.at),
    start: reader.offsetOf(start),
    end: reader.offsetOf(reader.at),
  };
}

function isBefore(left: number, right: number): boolean {
  return left !== -1 && left < right;
}

function within(text: string, part: string, from: number, to: number): boolean {
  const found = text.indexOf(part, from);
  return found !== -1 && found < to;
}
