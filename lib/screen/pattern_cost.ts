import { errorText } from "../base/text/error_text.ts";

/** How long a text may be that a pattern meets: rows and titles are cut at this length. */
export const MAX_PATTERN_TEXT = 1000;

/** A pattern must leave a matcher fewer choices than this: those of two unbounded repetitions. */
const MAX_CHOICES = MAX_PATTERN_TEXT ** 2;

/** How long a pattern may be. */
const MAX_PATTERN_LENGTH = 500;

/**
 * How many choices a pattern leaves a backtracking matcher at most, from the pattern alone. All of them are multiplied:
 *
 * - alternatives are as many choices as there are of them, and as each of them leaves in itself;
 * - a repetition is a choice of its length: `?` of 2, `{2,5}` of 4, `*` and `+` of {@linkcode MAX_PATTERN_TEXT}; where
 *   its body leaves choices, each round leaves them again;
 * - a pattern that does not begin with `^` may begin at each of {@linkcode MAX_PATTERN_TEXT} characters.
 *
 * With fewer than `MAX_PATTERN_TEXT ** 2` of them, at most one thing in the pattern is unbounded, and the time for a
 * text grows with its length alone.
 *
 * @throws {SyntaxError} for a reference to a group, and for a group that sets flags
 * @example
 * ```ts
 * import { assert, assertEquals } from "@std/assert";
 * assertEquals(choicesOf("^• .* \\((?:\\d{1,2}m )?\\d{1,4}s"), 1000 * 4 * 4);
 * assertEquals(choicesOf("esc to (?:cancel|interrupt)"), 1000 * 2);
 * assert(choicesOf("^(?:a|b)*$") > 1e300);
 * ```
 */
export function choicesOf(source: string): number {
  let rest = source;
  const take = (token: RegExp) => {
    const [text = "", ...groups] = token.exec(rest) ?? [];
    rest = rest.slice(text.length);
    return text === "" ? undefined : groups;
  };

  const alternatives = (isWhole: boolean): number => {
    let choices = 0;
    do {
      const start = isWhole && !rest.startsWith("^") ? MAX_PATTERN_TEXT : 1;
      choices += start * sequence();
    } while (take(/^\|/));
    return choices;
  };

  const sequence = (): number => {
    let choices = 1;
    while (rest !== "" && !/^[|)]/.test(rest)) {
      const body = atom();
      const repeat = take(/^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/);
      if (repeat === undefined) choices *= body;
      else {
        const [sign, least, comma, most] = repeat;
        const isUnbounded = sign === "*" || sign === "+" || comma !== "" && most === "";
        const max = isUnbounded ? MAX_PATTERN_TEXT : Number(sign ? 1 : most || least);
        choices *= (isUnbounded ? max : max - Number(sign ? 0 : least) + 1) * body ** max;
      }
    }
    return choices;
  };

  const atom = (): number => {
    if (take(/^\\(?:[1-9]|k<)/)) throw new SyntaxError("it must not refer back to a group (\\1, \\k<name>)");
    if (take(/^\\(?:[pP]\{[^}]*\}|u\{[^}]*\})/) || take(/^\[(?:\\.|[^\]\\])*\]/u) || take(/^\\?[^(]/u)) return 1;
    if (take(/^\\\(/)) return 1;
    if (!take(/^\((?!\?)/) && !take(/^\(\?(?::|<?[=!]|<[^>]*>)/)) {
      throw new SyntaxError(`a group that begins with "${rest.slice(0, 3)}" is not supported`);
    }
    const choices = alternatives(false);
    take(/^\)/);
    return choices;
  };

  return alternatives(true);
}

/**
 * Says what is wrong with a pattern that a person wrote, as the end of a sentence that begins with its name: it is not
 * a regular expression, or hostile text could keep it busy. `undefined` for a pattern that may be used.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(patternProblem("^• Working"), undefined);
 * assertEquals(patternProblem("("), "is not a regular expression: Unterminated group");
 * assertEquals(patternProblem("(a+)+$")?.slice(0, 36), "could take very long on some texts: ");
 * ```
 */
export function patternProblem(source: string): string | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  try {
    new RegExp(source, "u");
  } catch (error) {
    return `is not a regular expression: ${errorText(error).split(": ").at(-1)}`;
  }
  try {
    if (choicesOf(source) < MAX_CHOICES) return undefined;
    return "could take very long on some texts: begin it with ^, use one * or + at most, give other repetitions a bound, " +
      "as in \\d{1,4}, and repeat no group in which there is a choice";
  } catch (error) {
    if (error instanceof SyntaxError) return `cannot be checked: ${error.message}`;
    throw error;
  }
}
