import type { ShellWord, WordPart } from "./syntax.ts";

/**
 * A word without its quotes, with its expansions as they are written.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./mod.ts";
 * const [word] = parseShellCommand(`"a b"/$name'*'`).commands[0]!.words;
 * assertEquals([wordText(word!), wordStart(word!)], ["a b/$name*", "a b"]);
 * ```
 */
export function wordText({ parts }: { readonly parts: readonly Pick<WordPart, "text">[] }): string {
  return parts.map(({ text }) => text).join("");
}

/** The text that a word begins with for certain: all of it where nothing is expanded. */
export function wordStart({ value, parts: [first] }: ShellWord): string {
  return value ?? (first?.type === "literal" ? first.text : "");
}
