import { conditionEffects, type ConditionToken } from "./conditions.ts";
import { skipNewlines } from "./here_documents.ts";
import {
  type CommandContext,
  deeper,
  fail,
  looksAt,
  looksAtWord,
  matchAt,
  noteFrom,
  openScope,
  peek,
  type Reader,
  skipBlanks,
  skipWord,
} from "./reader.ts";
import type { ShellWord, WordPart } from "./syntax.ts";
import { readWord, skipArithmetic, type WordOptions } from "./words.ts";

interface Grammar extends WordOptions {
  /** Reads a list up to its end or one of the reserved words, which is consumed and returned. */
  readonly readList: (reader: Reader, context: CommandContext, enders: readonly string[]) => string | undefined;
}

type ReadConstruct = (reader: Reader, grammar: Grammar, word: string) => void;

const CONSTRUCTS: readonly (readonly [word: string, read: ReadConstruct])[] = [
  ["{", (reader, { context, readList }) => expectEnd(reader, readList(reader, context, ["}"]), "{", "}")],
  ["if", readCondition],
  ["while", readLoop],
  ["until", readLoop],
  ["for", readFor],
  ["select", readFor],
  ["case", readCase],
  ["[[", readTest],
];

/** Reads a subshell, group, loop, condition or definition; false if none begins here. */
export function readConstruct(reader: Reader, grammar: Grammar): boolean {
  if (looksAt(reader, "((")) {
    readArithmeticCommand(reader, grammar);
    return true;
  }
  if (peek(reader) === "(") {
    reader.at++;
    grammar.readCommands(reader, openScope(reader, grammar.context), ")");
    return true;
  }
  const [word, read] = CONSTRUCTS.find(([word]) => skipWord(reader, word)) ?? [];
  if (word !== undefined) {
    read?.(reader, grammar, word);
    return true;
  }
  if (looksAtWord(reader, "coproc")) fail(reader, "a coprocess");
  return readFunction(reader, grammar);
}

function readLoop(reader: Reader, { context, readList }: Grammar, word: string): void {
  const loop = { ...context, inLoop: true };
  expectEnd(reader, readList(reader, loop, ["do"]), word, "do");
  expectEnd(reader, readList(reader, loop, ["done"]), word, "done");
}

function expectEnd(reader: Reader, found: string | undefined, word: string, wanted: string): void {
  if (found !== wanted) fail(reader, `"${word}" without "${wanted}"`);
}

function readCondition(reader: Reader, { context, readList }: Grammar): void {
  expectEnd(reader, readList(reader, context, ["then"]), "if", "then");
  for (;;) {
    const ender = readList(reader, context, ["elif", "else", "fi"]);
    if (ender === "fi") return;
    if (ender === "else") return expectEnd(reader, readList(reader, context, ["fi"]), "if", "fi");
    if (ender === undefined) fail(reader, '"if" without "fi"');
    expectEnd(reader, readList(reader, context, ["then"]), "elif", "then");
  }
}

function readFor(reader: Reader, grammar: Grammar, keyword: string): void {
  const { context, readList } = grammar;
  skipBlanks(reader);
  if (looksAt(reader, "((")) readArithmeticHead(reader, grammar);
  else readNamesAndValues(reader, grammar, keyword);
  skipBlanks(reader);
  if (peek(reader) === ";") reader.at++;
  skipNewlines(reader, grammar);
  if (!skipWord(reader, "do")) fail(reader, `"${keyword}" without "do"`);
  expectEnd(reader, readList(reader, { ...context, inLoop: true }, ["done"]), keyword, "done");
}

/** `((…))`, which a POSIX shell takes for a subshell in a subshell. */
function readArithmeticCommand(reader: Reader, grammar: Grammar): void {
  const from = reader.at;
  reader.at += 2;
  skipArithmetic(reader, grammar, from);
  reader.collected.notPosix.push(noteFrom(reader, from, "((…))"));
}

function readArithmeticHead(reader: Reader, grammar: Grammar): void {
  const { arithmetic } = reader.collected;
  readArithmeticCommand(reader, grammar);
  arithmetic.push(...(arithmetic.pop() ?? "").split(";"));
}

function readNamesAndValues(reader: Reader, grammar: Grammar, keyword: string): void {
  const name = readWord(reader, grammar);
  if (name?.value === undefined) fail(reader, `"${keyword}" without a name`);
  skipNewlines(reader, grammar);
  let values: WordPart[][] | undefined;
  const patterns: (readonly WordPart[])[] = [];
  if (skipWord(reader, "in")) {
    values = [];
    for (;;) {
      skipBlanks(reader);
      const word = readWord(reader, grammar);
      if (word === undefined) break;
      // The names of files are not known.
      if (word.expansions.includes("pathname")) {
        values = undefined;
        patterns.push(word.parts);
      } else values?.push([...word.parts]);
    }
  }
  const { variables } = reader.collected;
  variables.push({ name: name.value, values, ...(patterns.length === 0 ? {} : { patterns }) });
  if (keyword === "select") variables.push({ name: "REPLY", values: undefined });
}

function readCase(reader: Reader, grammar: Grammar): void {
  const { context, readList } = grammar;
  skipBlanks(reader);
  if (readWord(reader, grammar) === undefined) fail(reader, '"case" without a word');
  skipNewlines(reader, grammar);
  if (!skipWord(reader, "in")) fail(reader, '"case" without "in"');
  for (;;) {
    skipNewlines(reader, grammar);
    if (skipWord(reader, "esac")) return;
    if (peek(reader) === "(") reader.at++;
    for (;;) {
      skipBlanks(reader);
      if (readWord(reader, grammar) === undefined) fail(reader, "a pattern was expected");
      skipBlanks(reader);
      if (peek(reader) !== "|") break;
      reader.at++;
    }
    if (peek(reader) !== ")") fail(reader, 'a pattern without ")"');
    reader.at++;
    if (readList(reader, context, ["esac"]) === "esac") return;
    const end = [";;&", ";;", ";&"].find((mark) => looksAt(reader, mark));
    if (end === undefined) fail(reader, '"case" without "esac"');
    reader.at += end.length;
  }
}

/** `[[ … ]]`: its operators are words, and its expansions may contain commands. */
function readTest(reader: Reader, grammar: Grammar): void {
  const from = reader.at - 2;
  const tokens: ConditionToken[] = [];
  for (;;) {
    skipNewlines(reader, grammar);
    if (skipWord(reader, "]]")) break;
    if (reader.at >= reader.end) fail(reader, '"[[" without "]]"');
    const word = readWord(reader, grammar);
    if (word !== undefined) {
      if (word.source === "=~") tokens.push("=~", readRegularExpression(reader, grammar));
      else tokens.push(word);
      continue;
    }
    const operator = ["&&", "||"].find((candidate) => looksAt(reader, candidate)) ?? peek(reader);
    tokens.push(operator);
    reader.at += operator.length;
  }
  const { arithmetic, undecidable, notPosix } = reader.collected;
  const effects = conditionEffects(tokens, { double: true });
  arithmetic.push(...effects.arithmetic);
  if (effects.unclear !== undefined) undecidable.push(noteFrom(reader, from, effects.unclear));
  notPosix.push(noteFrom(reader, from, "[[ … ]]"));
}

/** The word after `=~`, in which parentheses group. */
function readRegularExpression(reader: Reader, grammar: Grammar): ShellWord {
  skipBlanks(reader);
  const start = reader.at;
  const parts: WordPart[] = [];
  for (let open = 0;;) {
    const word = readWord(reader, grammar);
    parts.push(...word?.parts ?? []);
    const next = peek(reader);
    if (next === "(") open++;
    else if (next === ")" && open > 0) open--;
    else if (next !== "|" || open === 0) break;
    reader.at++;
  }
  const [from, end] = [start, reader.at].map((index) => reader.offsetOf(index)) as [number, number];
  return { value: undefined, parts, expansions: [], source: reader.text.slice(start, reader.at), start: from, end };
}

const FUNCTION = /(?:function[ \t]+([^\s()<>|&;$`"'\\]+)[ \t]*(?:\([ \t]*\))?|([A-Za-z_][\w.:-]*)[ \t]*\([ \t]*\))\s*/y;

function readFunction(reader: Reader, grammar: Grammar): boolean {
  const from = reader.at;
  const match = matchAt(reader, FUNCTION);
  if (match === undefined) return false;
  reader.at += match[0].length;
  reader.collected.undecidable.push(noteFrom(reader, from, `the definition of a function, ${match[1] ?? match[2]}`));
  // When and how often it is called is not known here.
  if (!readConstruct(reader, { ...grammar, context: deeper(reader, grammar.context, { inLoop: true }) })) {
    fail(reader, "a function without a body");
  }
  return true;
}
