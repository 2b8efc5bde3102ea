import NAMES from "./names.json" with { type: "json" };

/** Flags of every command of panewright that take no value: they may stand before a question, or after it. */
const SWITCHES = new Set(NAMES.switches.split(" "));

const FLAG = /^--?[A-Za-z][\w-]*(?:=\S*)?$/;

/**
 * The question in the words after `panewright ask`, joined by blanks, without the flags that every command
 * takes.
 *
 * @returns `undefined` if it asks nothing: no words, an unknown flag, `--help`
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(questionOf(["--quiet", "Which", "database?"]), "Which database?");
 * assertEquals(questionOf(["--", "--force or not?"]), "--force or not?");
 * assertEquals(questionOf(["--help"]), undefined);
 * ```
 */
export function questionOf(words: readonly string[]): string | undefined {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  const flags = before.filter((word) => FLAG.test(word));
  if (flags.some((flag) => !SWITCHES.has(flag))) return undefined;
  const texts = [...before.filter((word) => !FLAG.test(word)), ...(end === -1 ? [] : words.slice(end + 1))];
  const question = texts.join(" ").trim();
  return question === "" ? undefined : question;
}
