import { fenced } from "../../../base/text/markdown.ts";

/** What a prompt may name of an earlier step. */
export const REFERENCE_FIELDS = ["final", "files"] as const;

/** A place in a prompt where something of an earlier step is to stand, as it is written there. */
export interface Reference {
  /** All of it: `{{steps.plan.final}}`. */
  readonly text: string;
  /** Counts from 1. */
  readonly line: number;
  /** Before the first dot: `steps`, unless that is mistyped. */
  readonly root: string;
  /** What should be the name of a step. */
  readonly step: string;
  /** What should be one of {@linkcode REFERENCE_FIELDS}; empty where there is none. */
  readonly field: string;
}

/** `${{ steps.… }}` is an expression of GitHub Actions, and every other `{{ … }}` a template of somebody else. */
const REFERENCE = /(?<!\$)\{\{[ \t]{0,20}(steps?)\.([^{}\n]{0,200})\}\}/gi;

/** The references of a prompt, right or wrong. */
export function findReferences(prompt: string): readonly Reference[] {
  return prompt.split("\n").flatMap((row, index) =>
    [...row.matchAll(REFERENCE)].map((match) => ({ ...readReference(match), line: index + 1 }))
  );
}

/**
 * A prompt in which each reference has become what it names, as a fenced block on lines of its own: what an agent has
 * written stays text, and a reference in it stays as it is.
 *
 * @param valueOf what a reference names
 */
export function fillReferences(
  prompt: string,
  valueOf: (reference: Omit<Reference, "line">) => string,
): string {
  return prompt.replaceAll(REFERENCE, (...match) => {
    const [text, , , at] = match as [string, string, string, number];
    const before = prompt.charAt(at - 1);
    const after = prompt.charAt(at + text.length);
    const block = fenced(valueOf(readReference(match)));
    return `${isLineEdge(before) ? "" : "\n"}${block}${isLineEdge(after) ? "" : "\n"}`;
  });
}

/** Whether a line begins behind a character, or ends before it; it is empty at the edges of the text. */
function isLineEdge(character: string): boolean {
  return ["", "\n", "\r"].includes(character);
}

function readReference([text = "", root = "", inner = ""]: readonly string[]): Omit<Reference, "line"> {
  const dot = inner.lastIndexOf(".");
  return {
    text,
    root,
    step: (dot < 0 ? inner : inner.slice(0, dot)).trim(),
    field: dot < 0 ? "" : inner.slice(dot + 1).trim(),
  };
}
