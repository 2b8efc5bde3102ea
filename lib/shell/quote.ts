/**
 * Text as one word of a shell command, in single quotes, whatever is in it.
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

/** Words that need no quotes; an `=` would make an assignment of the first one. */
const BARE = /^[\w@%+:,./-]+$/;

const RESERVED = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc)$/;

/**
 * Words as a shell command that gives exactly these words, quoted only where it is needed.
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
