import {
  type CommandContext,
  deeper,
  fail,
  looksAt,
  looksAtWord,
  matchAt,
  peek,
  type Reader,
  ShellSyntaxError,
  skipBlanks,
  skipWord,
} from "./reader.ts";
import { readConstruct } from "./compound.ts";
import { readHereDocuments, skipNewlines } from "./here_documents.ts";
import { readRedirection, type RedirectionDraft } from "./redirections.ts";
import type { ListOperator, ShellAssignment, ShellCommand, ShellScript, ShellWord } from "./syntax.ts";
import { readWord } from "./words.ts";

/**
 * Parses a shell text into its simple commands: those of lists, pipelines, subshells, groups, loops, conditions,
 * substitutions and here-documents alike.
 *
 * It reads POSIX shell, and of bash what agents write: `$'…'`, `<(…)`, `<<<`, `&>`, `|&`, `[[ … ]]`, `function`. What
 * is not understood ends the parse with a `problem`. It never throws, and it takes linear time.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const { commands, problem } = parseShellCommand('CI=1 npm test > "my log" && git add .');
 * assertEquals(commands.map(({ words }) => words.map(({ value }) => value)), [["npm", "test"], ["git", "add", "."]]);
 * assertEquals(commands[0]?.redirections[0]?.target.value, "my log");
 * assertEquals(problem, undefined);
 * assertEquals(parseShellCommand("echo 'open").problem?.message, "a ' that is not closed");
 * ```
 */
export function parseShellCommand(text: string): ShellScript {
  const collected = {
    commands: [],
    scopes: [undefined],
    undecidable: [],
    arithmetic: [],
    variables: [],
    notPosix: [],
  };
  const reader: Reader = { text, at: 0, end: text.length, collected, pending: [], offsetOf: (index) => index };
  let problem: ShellScript["problem"];
  try {
    if (text.includes("\0")) fail(reader, "a NUL character", text.indexOf("\0"));
    readCommands(reader, { scope: 0, readsPipe: false, inLoop: false, depth: 0 }, "end");
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    problem = error.note;
  }
  return { ...collected, problem };
}

/** Reads a list up to its end; a `)` is consumed. */
function readCommands(reader: Reader, context: CommandContext, until: ")" | "end"): void {
  const start = reader.at;
  const waiting = reader.pending.length;
  readList(reader, context, []);
  if (until === ")") {
    if (peek(reader) !== ")") fail(reader, "a ( that is not closed", start);
    if (reader.pending.length > waiting) fail(reader, "a here-document that begins in (…) and has its text outside");
    reader.at++;
  } else if (reader.at < reader.end) fail(reader, `${JSON.stringify(peek(reader))} where a command was expected`);
  else readHereDocuments(reader, { context, readCommands });
}

/**
 * Reads commands with their operators, up to the end, a `)`, a `;;`, or one of the reserved words where a command could
 * begin. The word is consumed.
 *
 * @returns the reserved word that ended it
 */
function readList(reader: Reader, context: CommandContext, enders: readonly string[]): string | undefined {
  let operator: ListOperator | undefined;
  for (let first = true;; first = false) {
    skipNewlines(reader, { context, readCommands });
    const needed = operator === "&&" || operator === "||" || operator === "|";
    if (reader.at >= reader.end || peek(reader) === ")" || looksAt(reader, ";;") || looksAt(reader, ";&")) {
      if (needed) fail(reader, `nothing after ${operator}`);
      return undefined;
    }
    const ender = needed ? undefined : enders.find((word) => skipWord(reader, word));
    if (ender !== undefined) return ender;
    const piped = operator === "|";
    readElement(reader, piped ? { ...context, readsPipe: true } : context, first ? undefined : operator);
    operator = readOperator(reader);
    if (operator === undefined) {
      if (reader.at < reader.end && peek(reader) !== ")" && !looksAt(reader, ";;") && !looksAt(reader, ";&")) {
        fail(reader, `${JSON.stringify(peek(reader))} where a command should end`);
      }
      return undefined;
    }
  }
}

function readOperator(reader: Reader): ListOperator | undefined {
  skipBlanks(reader);
  for (const operator of ["&&", "||", "|&", "|", "&"] as const) {
    if (!looksAt(reader, operator)) continue;
    reader.at += operator.length;
    return operator === "|&" ? "|" : operator;
  }
  if (looksAt(reader, ";;") || looksAt(reader, ";&")) return undefined;
  if (peek(reader) === ";") {
    reader.at++;
    return ";";
  }
  // The newline is not consumed: here-documents begin after it.
  return peek(reader) === "\n" ? ";" : undefined;
}

const NOT_FIRST = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "in"];

function readElement(reader: Reader, outer: CommandContext, precededBy: ListOperator | undefined): void {
  const context = deeper(reader, outer);
  const start = reader.at;
  const misplaced = NOT_FIRST.find((word) => looksAtWord(reader, word));
  if (misplaced !== undefined) fail(reader, `"${misplaced}" where a command was expected`);
  if (skipWord(reader, "!")) {
    skipBlanks(reader);
    return readElement(reader, context, precededBy);
  }
  const timed = matchAt(reader, TIMED);
  if (timed !== undefined) {
    reader.at += timed[0].length;
    return readElement(reader, context, precededBy);
  }
  if (!readConstruct(reader, { context, readCommands, readList })) return readSimple(reader, context, precededBy);
  const redirections: RedirectionDraft[] = [];
  for (;;) {
    skipBlanks(reader);
    const redirection = readRedirection(reader, { context, readCommands });
    if (redirection === undefined) break;
    redirections.push(redirection);
  }
  if (redirections.length > 0) emit(reader, context, { start, precededBy: ";", redirections });
}

/** bash's `time` before a compound command. */
const TIMED = /time[ \t]+(?:(?:-p|--)[ \t]+)*(?=[!({]|\[\[|(?:time|if|while|until|for|case|select|coproc)[ \t\n])/y;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]'"\\]*)\])?\+?=/;
/** Programs to which `NAME=(…)` may be given as a word. */
const DECLARES = /^(?:declare|typeset|local|export|readonly)$/;

function readSimple(reader: Reader, context: CommandContext, precededBy: ListOperator | undefined): void {
  const start = reader.at;
  const assignments: ShellAssignment[] = [];
  const words: ShellWord[] = [];
  const redirections: RedirectionDraft[] = [];
  const options = { context, readCommands };
  for (;;) {
    skipBlanks(reader);
    const redirection = readRedirection(reader, options);
    if (redirection !== undefined) {
      redirections.push(redirection);
      continue;
    }
    const word = readWord(reader, options);
    if (word === undefined) break;
    noteUnusual(reader, word, words.length === 0);
    const assignment = ASSIGNMENT.exec(word.source);
    const [, name, subscript] = assignment ?? [];
    const begins = peek(reader) === "(" && word.source.endsWith("=") && name !== undefined;
    const { variables, arithmetic } = reader.collected;
    if (words.length > 0 || name === undefined) {
      words.push(word);
      if (!begins || !DECLARES.test(words[0]?.value ?? "")) continue;
      variables.push({ name, values: readArray(reader, options).map(({ parts }) => parts) });
    } else {
      if (subscript !== undefined) arithmetic.push(subscript);
      assignments.push({ name, word, ...(begins ? { elements: readArray(reader, options) } : {}) });
    }
  }
  if (words.length + assignments.length + redirections.length === 0) {
    fail(reader, `${JSON.stringify(peek(reader))} where a command was expected`);
  }
  emit(reader, context, { start, precededBy, assignments, words, redirections });
}

function noteUnusual(reader: Reader, { source, start, end }: ShellWord, first: boolean): void {
  const { undecidable, variables } = reader.collected;
  const note = (message: string) => undecidable.push({ message, start, end });
  // zsh ends a group there.
  if (source === "}" || source === "{") note(`a ${source} among the words of a command`);
  if (first && /^[A-Za-z_]\w*\[/.test(source) && !ASSIGNMENT.test(source)) note(`the subscript in ${source}`);
  const descriptor = /^\{([A-Za-z_]\w*)\}$/.exec(source)?.[1];
  if (descriptor !== undefined && /[<>]/.test(peek(reader))) variables.push({ name: descriptor, values: [] });
}

/** Reads the words of `NAME=(…)`. */
function readArray(reader: Reader, options: { readonly context: CommandContext }): readonly ShellWord[] {
  const start = reader.at++;
  const elements: ShellWord[] = [];
  for (;;) {
    skipNewlines(reader, { ...options, readCommands });
    if (peek(reader) === ")") {
      reader.at++;
      return elements;
    }
    const element = readWord(reader, { ...options, readCommands });
    if (element === undefined) fail(reader, "an array that is not closed", start);
    if (element.source.startsWith("[")) {
      const subscript = /^\[([\w.-]*)\]\+?=/.exec(element.source)?.[1];
      reader.collected.arithmetic.push(subscript ?? element.source);
    }
    elements.push(element);
  }
}

interface Emitted
  extends Pick<ShellCommand, "precededBy" | "redirections">, Partial<Pick<ShellCommand, "assignments" | "words">> {
  readonly start: number;
}

function emit(reader: Reader, { scope, readsPipe, inLoop }: CommandContext, { start, ...found }: Emitted): void {
  const place = { start: reader.offsetOf(start), end: reader.offsetOf(reader.at) };
  reader.collected.commands.push({ assignments: [], words: [], ...found, readsPipe, inLoop, scope, ...place });
}
