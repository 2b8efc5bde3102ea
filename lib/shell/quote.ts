/**
 * Any text as one word of a shell command, in single quotes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellQuote("it's"), "'it'" + "\\" + "''s'");
 * ```
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words that need no quotes; an `=` would turn the first one into an assignment. */
const BARE = /^[\w@%+:,./-]+$/;

const RESERVED = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc)$/;

/**
 * A shell command of exactly these words, quoted only where necessary.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellJoin(["git", "commit", "-m", "a b"]), "git commit -m 'a b'");
 * ```
 */
export function shellJoin(words: readonly string[]): string {
  return words.map((word) => BARE.test(word) && !RESERVED.test(word) ? word : shellQuote(word)).join(" ");
}
