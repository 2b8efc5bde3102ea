import NAMES from "./names.json" with { type: "json" };

interface ScriptedCommand {
  readonly command: string;
  /** Whether it is outside every block, and so always reached. */
  readonly isCertain: boolean;
}

/** Calls of the shell tool in Codex's code mode (0.155.0 to 0.169.0). */
const TOOLS = new Set(NAMES.scripted.tools.split(" "));

const COMMAND_KEYS = new Set(NAMES.scripted.keys.split(" "));

const TYPING = new Set([NAMES.scripted.typing]);

const TYPED_KEYS = new Set([NAMES.scripted.typed]);

/**
 * The shell commands in a program of Codex's code mode: those of calls such as `tools.exec_command({cmd: "ls"})` whose
 * command is a literal. Commands that the program builds while it runs are not among them.
 *
 * The program is only cut into tokens: text in strings, comments and regular expressions does not count.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const program = `// tools.exec_command({cmd: "no"})
 * const r = await tools.exec_command({ login: false, cmd: 'panewright ask "Which?"' });
 * if (r.exit_code) await tools.exec_command({ cmd: "ls" });`;
 * assertEquals(findScriptedCommands(program), [
 *   { command: 'panewright ask "Which?"', isCertain: true },
 *   { command: "ls", isCertain: false },
 * ]);
 * ```
 */
export function findScriptedCommands(program: string): readonly ScriptedCommand[] {
  const tokens = tokenize(program);
  const firstCondition = tokens.findIndex(({ type, text }) => type !== "string" && CONDITIONS.has(text));
  return callsOf(TOOLS, tokens).flatMap((index): readonly ScriptedCommand[] => {
    const command = readArgument(COMMAND_KEYS, { tokens, from: index + 3 });
    return command === undefined ? [] : [{ command, isCertain: firstCondition === -1 || index < firstCondition }];
  });
}

/**
 * What a program of Codex's code mode may type into commands that run: a text for each call of `write_stdin`, or
 * `undefined` where the program builds it while it runs.
 */
export function findTypedTexts(program: string): readonly (string | undefined)[] {
  if (!program.includes(NAMES.scripted.typing)) return [];
  const tokens = tokenize(program);
  return callsOf(TYPING, tokens).map((index) => readArgument(TYPED_KEYS, { tokens, from: index + 3 }));
}

/** Where tools of these names are called with an object. */
function callsOf(tools: ReadonlySet<string>, tokens: readonly Token[]): readonly number[] {
  return tokens.flatMap(({ type, text }, index) =>
    type === "name" && tools.has(text) && tokens[index + 1]?.text === "(" && tokens[index + 2]?.text === "{"
      ? [index]
      : []
  );
}

/** Words and signs after which a part of a program may not run, or run later. */
const CONDITIONS = new Set(NAMES.scripted.conditions.split(" "));

/** How many tokens of a call's argument are read; the limit keeps the time linear. */
const MAX_ARGUMENT_TOKENS = 500;

function readArgument(
  keys: ReadonlySet<string>,
  { tokens, from }: { readonly tokens: readonly Token[]; readonly from: number },
): string | undefined {
  const end = Math.min(tokens.length, from + MAX_ARGUMENT_TOKENS);
  for (let index = from, depth = 0; index < end; index++) {
    const token = tokens[index]!;
    if (token.type === "sign" && "{[(".includes(token.text)) depth++;
    if (token.type === "sign" && "}])".includes(token.text) && --depth < 0) return undefined;
    const isKey = depth === 0 && token.type !== "sign" && keys.has(token.text) &&
      tokens[index + 1]?.text === ":" && tokens[index + 1]?.type === "sign";
    if (isKey) return readText(tokens, index + 2);
  }
  return undefined;
}

/** Strings with `+` between them, up to the end of the property. */
function readText(tokens: readonly Token[], from: number): string | undefined {
  let text = "";
  for (let index = from;; index += 2) {
    const [token, next] = [tokens[index], tokens[index + 1]];
    if (token?.type !== "string") return undefined;
    text += token.text;
    if (next?.type !== "sign") return undefined;
    if (next.text === "," || next.text === "}") return text;
    if (next.text !== "+") return undefined;
  }
}

interface Token {
  /** A template with substitutions is a `sign`: its text is not known. */
  readonly type: "name" | "string" | "sign";
  readonly text: string;
}

const BLANK = /(?:\s+|\/\/[^\n]*)+/y;
const NAME = /[\p{L}\p{N}_$]+/uy;
const SIGN = /=>|&&|\|\||\?\?|\?\.|[^]/uy;

const BEFORE_EXPRESSION = /^(?:[=(,:;!&|?{}+\[]|=>|&&|\|\||\?\?|return)$/;

/** Its length is limited so that a program full of slashes takes linear time. */
const REGULAR_EXPRESSION = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,500}\]){1,500}\/\w*/y;

function tokenize(program: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < program.length;) {
    const take = (pattern: RegExp) => {
      pattern.lastIndex = at;
      const text = pattern.exec(program)?.[0];
      at += text?.length ?? 0;
      return text;
    };
    if (take(BLANK) !== undefined) continue;
    if (program.startsWith("/*", at)) {
      const end = program.indexOf("*/", at + 2);
      if (end === -1) break;
      at = end + 2;
      continue;
    }
    const quote = program[at]!;
    if (quote === '"' || quote === "'" || quote === "`") {
      const { text, end } = readString(program, at);
      tokens.push(text === undefined ? { type: "sign", text: "" } : { type: "string", text });
      at = end;
      continue;
    }
    const last = tokens.at(-1);
    const mayBeExpression = last === undefined || last.type !== "string" && BEFORE_EXPRESSION.test(last.text);
    if (quote === "/" && mayBeExpression && take(REGULAR_EXPRESSION) !== undefined) {
      tokens.push({ type: "sign", text: "" });
      continue;
    }
    const name = take(NAME);
    if (name !== undefined) tokens.push({ type: "name", text: name });
    else tokens.push({ type: "sign", text: take(SIGN) ?? "" });
  }
  return tokens;
}

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries(NAMES.scripted.escapes));

const CODE = /x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}/y;

/** The value of a string or template; `undefined` for a template with substitutions. */
function readString(program: string, from: number): { readonly text: string | undefined; readonly end: number } {
  const quote = program[from]!;
  let text = "";
  let isLiteral = true;
  let at = from + 1;
  while (at < program.length && program[at] !== quote) {
    const next = program[at]!;
    if (quote === "`" && next === "$" && program[at + 1] === "{") {
      // A substitution may contain templates; it is skipped by counting braces.
      isLiteral = false;
      at = skipFilled(program, at + 2);
      continue;
    }
    if (next !== "\\") {
      text += next;
      at++;
      continue;
    }
    CODE.lastIndex = at + 1;
    const code = CODE.exec(program);
    const escaped = program[at + 1] ?? "";
    if (code) {
      const value = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
      text += value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
    } else text += ESCAPES.get(escaped) ?? escaped;
    at += 1 + (code?.[0].length ?? 1);
  }
  return { text: isLiteral ? text : undefined, end: at + 1 };
}

function skipFilled(program: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < program.length && depth > 0; at++) {
    if (program[at] === "{") depth++;
    else if (program[at] === "}") depth--;
  }
  return at;
}
