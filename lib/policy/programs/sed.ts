import { type OperandRule, type Use, usesOf } from "./use.ts";

export const sed: OperandRule = (operands, { values, options }): readonly Use[] => {
  const given = [...values.get("-e") ?? [], ...values.get("--expression") ?? []];
  const first = given.length === 0 && !options.has("-f") && !options.has("--file") ? operands.slice(0, 1) : [];
  const harmful = [
    ...given.filter(({ word }) => !isHarmlessScript(expressionOf(word.value))),
    ...first.filter(({ word }) => !isHarmlessScript(word.value)),
  ];
  return [...usesOf("runs", harmful), ...usesOf("reads", operands.slice(first.length))];
};

/** The script in `-es/a/b/` and `--expression=s/a/b/`. */
function expressionOf(value: string | undefined): string | undefined {
  return value?.replace(/^(?:--e\w*=|-[nErsuz]*e)/, "");
}

/** A bracket of a regular expression, read as the longest that it may be: `\]` does not end it everywhere. */
const BRACKET = /^\[\^?\]?(?:\[:[a-z]+:\]|\\\]|[^\]\n[]|\[(?![:.=]))*\]/;
/** No bracket is longer. */
const MAX_BRACKET = 500;

/** Whether a script of sed only edits the text that goes through it. */
function isHarmlessScript(script: string | undefined): boolean {
  if (script === undefined) return false;
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = at;
    const found = sticky.exec(script);
    if (found !== null) at += found[0].length;
    return found !== null;
  };
  const skipTo = (delimiter: string, what: "expression" | "text"): boolean => {
    for (; at < script.length; at++) {
      const next = script[at];
      if (next === "\\") at++;
      else if (next === delimiter) {
        at++;
        return true;
      } else if (next === "[" && what === "expression") {
        // Where a bracket and a delimiter meet, versions differ.
        const bracket = BRACKET.exec(script.slice(at, at + MAX_BRACKET))?.[0] ?? delimiter;
        if (bracket.includes(delimiter)) return false;
        at += bracket.length - 1;
      }
    }
    return false;
  };
  const address = (): boolean => {
    if (skip(/\d+(?:~\d+)?|\$/)) return true;
    const start = /^(?:\/|\\([^\n\\]))/.exec(script.slice(at));
    if (start === null) return true;
    at += start[0].length;
    return skipTo(start[1] ?? "/", "expression") && skip(/[IM]*/);
  };
  while (at < script.length) {
    if (!skip(/[\s;]*/)) return false;
    if (at >= script.length) return true;
    if (!address()) return false;
    if (skip(/\s*,\s*/)) {
      if (!skip(/[+~]\d+/) && !address()) return false;
    }
    skip(/[\s!]*/);
    const command = script[at++];
    if (command === undefined) return false;
    if (command === "s" || command === "y") {
      const delimiter = script[at++];
      if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") return false;
      if (!skipTo(delimiter, command === "s" ? "expression" : "text") || !skipTo(delimiter, "text")) return false;
      if (command === "s") skip(/[gpiIM\d]*/);
    } else if (command === "a" || command === "i" || command === "c") {
      // The text goes on over lines that end in a backslash.
      if (!skip(/(?:[^\n\\]|\\[^])*/)) return false;
    } else if (command === "b" || command === "t" || command === "T" || command === ":") skip(/[ \t]*[\w.-]*/);
    else if (command === "q" || command === "Q" || command === "l") skip(/[ \t]*\d*/);
    else if (command === "#") skip(/[^\n]*/);
    else if (command === "{" || command === "}") continue;
    else if (!"pPdDgGhHxnN=z".includes(command)) return false;
    if (!skip(/[ \t]*(?=[;}\n#]|$)/)) return false;
  }
  return true;
}
