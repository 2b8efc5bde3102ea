import type { WordPart } from "./syntax.ts";

// A command whose output is an integer, whatever the machine holds.
const COUNT = String
  .raw`\$\((?:date \+%(?:s|N|s%N)|nproc|seq(?: \d+){1,3}|(?:[^;&\n"'\`$(){}#\\<>]*\|)?\s*wc -[lcw](?: *< *[\w./-]+| +[\w./-]+)?)\s*\)`;
const NAME = String.raw`[A-Za-z_]\w*`;

/** Operands: numbers, variables with a name, lengths, counts, and outputs that are integers. */
const OPERAND = new RegExp(
  String.raw`\d[\w.#@]*|\$[?#$!]|\$\{#(?:${NAME})?(?:\[[@*]\])?\}|${COUNT}|\$?(${NAME})|\$\{(${NAME})(?::-\d*)?\}`,
  "y",
);
const OPERATOR = /[-+*/%<>=!&|^~?:,]/y;

/**
 * The variables whose values an arithmetic expression evaluates; `undefined` where it is not proven that it holds
 * nothing but numbers, operators and names. A subscript is never proven: shells run commands in it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(arithmeticNames("i++ < (count * 2)"), ["i", "count"]);
 * assertEquals(arithmeticNames("a[$(evil)]"), undefined);
 * assertEquals(arithmeticNames("$1 + 2"), undefined);
 * ```
 */
export function arithmeticNames(source: string): readonly string[] | undefined {
  const names: string[] = [];
  let afterOperand = false;
  for (let at = 0; at < source.length;) {
    const next = source[at] as string;
    if (" \t\n".includes(next)) {
      at++;
      continue;
    }
    if (next === ")" || next === "(" || source.startsWith("$((", at)) {
      if (next !== ")" && afterOperand) return undefined;
      afterOperand = next === ")";
      at += next === "$" ? 3 : 1;
      continue;
    }
    OPERATOR.lastIndex = at;
    if (OPERATOR.test(source)) {
      const twice = (next === "+" || next === "-") && source[at + 1] === next;
      // `i++` is an operand still.
      afterOperand = twice && afterOperand;
      at += twice ? 2 : 1;
      continue;
    }
    OPERAND.lastIndex = at;
    const operand = OPERAND.exec(source);
    if (operand === null || afterOperand) return undefined;
    const name = operand[1] ?? operand[2];
    if (name !== undefined) names.push(name);
    at += operand[0].length;
    afterOperand = true;
  }
  return names;
}

const INTEGER = new RegExp(String.raw`^(?:${COUNT}|\$[?#$!]|\$\{#.*\})$`, "s");
const PLAIN_VARIABLE = new RegExp(String.raw`^\$(?:(${NAME})|\{(${NAME})\})$`);

/**
 * The variables that a value may bring into an expression that evaluates it; `undefined` where it may bring in a
 * subscript.
 */
export function valueNames(parts: readonly WordPart[]): readonly string[] | undefined {
  const names: string[] = [];
  for (const { type, text } of parts) {
    if (type === "arithmetic" || INTEGER.test(text)) continue;
    if (type === "literal") {
      if (text.includes("[")) return undefined;
      names.push(...(text.match(/[A-Za-z_]\w*/g) ?? []));
      continue;
    }
    const variable = PLAIN_VARIABLE.exec(text);
    const name = variable?.[1] ?? variable?.[2];
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names;
}
