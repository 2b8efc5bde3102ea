// Only a line end of git's begins a line: a carriage return is a part of one, whoever wrote it.
const FILES = /(?<![^\n])(?=diff --git )/;
const HUNKS = /(?<![^\n])(?=@@ )/;

/** A part of a patch that can be taken without the others: a hunk, or a file whose change is no text. */
export interface PatchPart {
  /** Which file of the patch, from 0. */
  readonly file: number;
  /** The lines before the first hunk of its file. */
  readonly head: string;
  /** Empty for a file as a whole. */
  readonly hunk: string;
}

/**
 * The parts of a patch of `git diff`, in its order.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const head = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n";
 * const parts = partsOf(`${head}@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n`);
 * assertEquals(parts.map(({ hunk }) => hunk), ["@@ -1 +1 @@\n-a\n+b\n", "@@ -9 +9 @@\n-c\n+d\n"]);
 * assertEquals(patchWith(parts.slice(1)), `${head}@@ -9 +9 @@\n-c\n+d\n`);
 * ```
 */
export function partsOf(patch: string): readonly PatchPart[] {
  return patch.split(FILES).filter((text) => text !== "").flatMap((text, file) => {
    const [head = "", ...hunks] = text.split(HUNKS);
    return (hunks.length === 0 ? [""] : hunks).map((hunk) => ({ file, head, hunk }));
  });
}

/** The patch of some parts, in the order of the whole one. */
export function patchWith(parts: readonly PatchPart[]): string {
  return parts.map(({ file, head, hunk }, at) => parts[at - 1]?.file === file ? hunk : `${head}${hunk}`).join("");
}

/**
 * The hunks of a patch of `git diff --unified=0`: each line of a file begins with a sign of its own in it, so that no text
 * can look like a file's head.
 */
export function hunksIn(patch: string) {
  return patch.split(FILES).flatMap((file) => {
    const [head = "", ...parts] = file.split(HUNKS);
    // As git writes it where it quotes a name.
    const [, path] = /^\+\+\+ "?b\/(.*?)"?\t?$/m.exec(head) ?? /^--- "?a\/(.*?)"?\t?$/m.exec(head) ?? [];
    return path === undefined ? [] : parts.map((part) => {
      const { removed, first } = /^@@ -\d+(?:,(?<removed>\d+))? \+(?<first>\d+)/.exec(part)?.groups ?? {};
      const added = part.split("\n").flatMap((line) => line.startsWith("+") ? [line.slice(1)] : []);
      return { path, first: Number(first), added, removed: Number(removed ?? 1), patch: `${head}${part}` };
    });
  });
}
