import { fenced } from "../../../base/text/markdown.ts";

export const REFERENCE_FIELDS = ["final", "files"] as const;

export interface Reference {
  readonly text: string;
  readonly line: number;
  readonly root: string;
  readonly step: string;
  /** What should be one of {@linkcode REFERENCE_FIELDS}; empty where there is none. */
  readonly field: string;
}

/** `${{ steps.… }}` is an expression of GitHub Actions, and every other `{{ … }}` a template of somebody else. */
const REFERENCE = /(?<!\$)\{\{[ \t]{0,20}(steps?)\.([^{}\n]{0,200})\}\}/gi;

export function findReferences(prompt: string): readonly Reference[] {
  return prompt.split("\n").flatMap((row, index) =>
    [...row.matchAll(REFERENCE)].map((match) => ({ ...readReference(match), line: index + 1 }))
  );
}

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
