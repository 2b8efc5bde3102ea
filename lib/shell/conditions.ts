import type { ShellWord } from "./syntax.ts";
import { wordText } from "./word_text.ts";

/** A word of a condition, or an operator that is no word: `&&`, `(`, `<`. */
export type ConditionToken = ShellWord | string;

interface ConditionEffects {
  /** Expressions that a shell evaluates in it: the operands of `-eq`. */
  readonly arithmetic: readonly string[];
  readonly unclear?: string;
}

// Not `-v` and `-R`, which evaluate a subscript, and not `-t`, whose operand zsh evaluates.
const UNARY = /^-[abcdefghkprsuwxzGLNOSn]$/;
const BINARY = /^(?:=|==|!=|=~|<|>|-nt|-ot|-ef)$/;
const NUMERIC = /^-(?:eq|ne|lt|le|gt|ge)$/;

/**
 * What a condition of `[`, `test` or `[[` does besides being true or false, with `double` for `[[`. A condition that is
 * not surely read as the shell reads it is `unclear`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const effects = (text: string) =>
 *   conditionEffects(parseShellCommand(text).commands[0]!.words.slice(1), { double: false });
 * assertEquals(effects("test -f x"), { arithmetic: [] });
 * assertEquals(effects("test $? -eq 0"), { arithmetic: ["$?", "0"] });
 * assertEquals(effects("test -v 'a[$(evil)]'").unclear, "the condition -v");
 * ```
 */
export function conditionEffects(
  tokens: readonly ConditionToken[],
  { double }: { readonly double: boolean },
): ConditionEffects {
  const arithmetic: string[] = [];
  const textAt = (index: number) => {
    const token = tokens[index];
    return typeof token === "string" ? token : token?.value;
  };
  const single = (index: number): boolean => {
    const token = tokens[index];
    if (token === undefined || typeof token === "string") return false;
    if (token.value !== undefined || double) return true;
    if (token.expansions.includes("brace")) return false;
    // A name pattern that begins with a folder or a name gives no operator.
    if (token.expansions.includes("pathname")) return /^[\w./][^\s]*$/.test(token.source) && !/[$`]/.test(token.source);
    const many = token.parts.some((part) => part.type !== "literal" && (!part.quoted || /[@*]/.test(part.text)));
    if (many) arithmetic.push(wordText(token));
    return true;
  };
  const unclear = (index: number) => {
    const token = tokens[index];
    const text = typeof token === "string" ? token : token?.source;
    return { arithmetic, unclear: `the condition ${text ?? "that is not complete"}` };
  };
  const connector = double ? /^(?:&&|\|\|)$/ : /^-[ao]$/;
  for (let index = 0, open = 0; index < tokens.length;) {
    while (textAt(index) === "!" && index + 1 < tokens.length) index++;
    if (textAt(index) === "(" && tokens.length > 1) {
      open++;
      index++;
      continue;
    }
    const operator = textAt(index + 1) ?? "";
    if (index + 2 < tokens.length && (BINARY.test(operator) || NUMERIC.test(operator))) {
      if (!single(index) || !single(index + 2)) return unclear(index + 1);
      if (NUMERIC.test(operator)) {
        arithmetic.push(...[index, index + 2].map((at) => wordText(tokens[at] as ShellWord)));
      }
      index += 3;
    } else if (index + 1 < tokens.length && UNARY.test(textAt(index) ?? "")) {
      if (!single(index + 1)) return unclear(index);
      index += 2;
    } else {
      if (!single(index) || /^-./.test(textAt(index) ?? "")) return unclear(index);
      index++;
    }
    while (textAt(index) === ")" && open > 0) {
      open--;
      index++;
    }
    if (index >= tokens.length) break;
    if (!connector.test(textAt(index) ?? "") || index + 1 >= tokens.length) return unclear(index);
    index++;
  }
  return { arithmetic: [...new Set(arithmetic)] };
}
