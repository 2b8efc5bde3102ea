import { decodeAnsiC } from "./ansi_c.ts";
import { parameterEffects } from "./parameters.ts";
import {
  type CommandContext,
  deeper,
  fail,
  looksAt,
  matchAt,
  noteFrom,
  openScope,
  peek,
  type Reader,
} from "./reader.ts";
import type { ShellWord, WordPart } from "./syntax.ts";
import { add, type Draft, finish, newDraft } from "./word_draft.ts";

/** Reads a list of commands up to a `)` or the end; the parser, which this module is a part of, passes it in. */
type ReadCommands = (reader: Reader, context: CommandContext, until: ")" | "end") => void;

const METACHARACTERS = " \t\n|&;()<>";

export interface WordOptions {
  readonly context: CommandContext;
  readonly readCommands: ReadCommands;
}

export function readWord(reader: Reader, options: WordOptions): ShellWord | undefined {
  const start = reader.at;
  const draft = newDraft();
  while (reader.at < reader.end && readPiece(reader, draft, options));
  if (reader.at === start) return undefined;
  return finish(draft, { reader, start });
}

function readPiece(reader: Reader, draft: Draft, options: WordOptions): boolean {
  const next = peek(reader);
  if ((next === "<" || next === ">") && peek(reader, 1) === "(") {
    const from = reader.at;
    reader.at += 2;
    const context = openScope(reader, options.context);
    options.readCommands(reader, next === ">" ? { ...context, readsPipe: true } : context, ")");
    add(draft, { type: "process_substitution", text: reader.text.slice(from, reader.at), quoted: false });
    return true;
  }
  if (METACHARACTERS.includes(next)) return false;
  switch (next) {
    case "\\":
      return readEscape(reader, draft);
    case "'":
      readSingleQuoted(reader, draft);
      return true;
    case '"':
      reader.at++;
      readDoubleQuoted(reader, draft, options);
      return true;
  }
  if (readExpansion(reader, draft, { ...options, quoted: false })) return true;
  const from = reader.at;
  while (reader.at < reader.end && !SPECIAL.has(peek(reader))) reader.at++;
  add(draft, { type: "literal", text: reader.text.slice(from, reader.at), quoted: false });
  return true;
}

const SPECIAL = new Set([...METACHARACTERS, "\\", "'", '"', "$", "`"]);

/** Reads what `$` or a backquote begins; false where neither is next. */
function readExpansion(reader: Reader, draft: Draft, options: Quoting): boolean {
  const next = peek(reader);
  if (next === "$") readDollar(reader, draft, options);
  else if (next === "`") readBackquoted(reader, draft, options);
  return next === "$" || next === "`";
}

function readEscape(reader: Reader, draft: Draft): true {
  if (peek(reader, 1) === "\n") {
    reader.at += 2;
    return true;
  }
  // A surrogate pair stays together; a backslash at the very end is one.
  const escaped = reader.at + 1 < reader.end ? String.fromCodePoint(reader.text.codePointAt(reader.at + 1)!) : "\\";
  reader.at = Math.min(reader.at + 1 + escaped.length, reader.end);
  add(draft, { type: "literal", text: escaped, quoted: true });
  return true;
}

function readSingleQuoted(reader: Reader, draft: Draft): void {
  const close = reader.text.indexOf("'", reader.at + 1);
  if (close === -1 || close >= reader.end) fail(reader, "a ' that is not closed");
  add(draft, { type: "literal", text: reader.text.slice(reader.at + 1, close), quoted: true });
  reader.at = close + 1;
}

function readDoubleQuoted(reader: Reader, draft: Draft, options: WordOptions): void {
  const open = reader.at - 1;
  add(draft, { type: "literal", text: "", quoted: true });
  readExpandable(reader, draft, { ...options, until: '"' });
  if (peek(reader) !== '"') fail(reader, 'a " that is not closed', open);
  reader.at++;
}

/** Reads text in which only `$`, backquotes and some backslashes are special: in double quotes, or a here-document. */
function readExpandable(reader: Reader, draft: Draft, options: WordOptions & { readonly until: '"' | "end" }): void {
  const { until } = options;
  while (reader.at < reader.end) {
    const next = peek(reader);
    if (next === '"' && until === '"') return;
    if (readExpansion(reader, draft, { ...options, quoted: true })) continue;
    if (next === "\\") {
      const after = peek(reader, 1);
      if (after === "\n") reader.at += 2;
      else {
        const escapes = after !== "" && ("$`\\".includes(after) || (after === '"' && until === '"'));
        add(draft, { type: "literal", text: escapes ? after : "\\", quoted: true });
        reader.at += escapes ? 2 : 1;
      }
    } else {
      const from = reader.at;
      while (reader.at < reader.end && !'"$`\\'.includes(peek(reader))) reader.at++;
      if (reader.at === from) reader.at++;
      add(draft, { type: "literal", text: reader.text.slice(from, reader.at), quoted: true });
    }
  }
}

interface Quoting extends WordOptions {
  readonly quoted: boolean;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

function readDollar(reader: Reader, draft: Draft, options: Quoting): void {
  const { quoted } = options;
  const from = reader.at;
  const take = (type: WordPart["type"]) => add(draft, { type, text: reader.text.slice(from, reader.at), quoted });
  if (looksAt(reader, "$((")) {
    reader.at += 3;
    skipArithmetic(reader, options, from);
    return take("arithmetic");
  }
  switch (peek(reader, 1)) {
    case "(":
      reader.at += 2;
      options.readCommands(reader, openScope(reader, options.context), ")");
      return take("command_substitution");
    case "{":
      reader.at += 2;
      skipParameter(reader, { ...options, context: deeper(reader, options.context) }, from);
      return take("variable");
    case "[":
      return fail(reader, "the old form $[…] of an arithmetic expansion");
    case "\\":
      if (peek(reader, 2) === "\n") fail(reader, "a line that is continued right after $");
      break;
    case "'":
      if (!quoted) {
        const decoded = decodeAnsiC(reader.text, { from: reader.at + 2, end: reader.end });
        if (decoded === undefined) fail(reader, "a $' that is not closed");
        reader.at = decoded.end;
        const { notPosix } = reader.collected;
        if (reader.text.slice(from, reader.at).includes("\\")) notPosix.push(noteFrom(reader, from, "$'…'"));
        return add(draft, { type: "literal", text: decoded.text, quoted: true });
      }
      break;
    case '"':
      if (!quoted) {
        // bash expands what a file of translations makes of it.
        reader.collected.undecidable.push(noteFrom(reader, from, 'a text that is translated, $"…"'));
        reader.at += 2;
        return readDoubleQuoted(reader, draft, options);
      }
  }
  // In zsh, ~ has the value taken for a pattern, in which there may be commands.
  if (/[~=^]/.test(peek(reader, 1)) && /[\w{(]/.test(peek(reader, 2))) {
    reader.collected.undecidable.push(noteFrom(reader, from, `$${peek(reader, 1)}`));
  }
  const name = matchAt(reader, NAME, reader.at + 1)?.[0];
  if (name === undefined) {
    reader.at++;
    return add(draft, { type: "literal", text: "$", quoted });
  }
  reader.at += 1 + name.length;
  // In zsh, this is a subscript.
  if (peek(reader) === "[") reader.collected.undecidable.push(noteFrom(reader, from, `a [ after $${name}`));
  take("variable");
}

/** Skips `…))`, and notes the expression. What is in it belongs to no word; only the commands matter. */
export function skipArithmetic(reader: Reader, options: WordOptions, from: number): void {
  const context = deeper(reader, options.context);
  const start = reader.at;
  let open = 0;
  for (; reader.at < reader.end;) {
    const next = peek(reader);
    if (readExpansion(reader, newDraft(), { ...options, context, quoted: true })) continue;
    if (next === ")" && open === 0) {
      // Otherwise it is a command substitution that begins with a subshell: not worth distinguishing.
      if (peek(reader, 1) !== ")") fail(reader, "a (( that is not closed by ))", from);
      reader.collected.arithmetic.push(reader.text.slice(start, reader.at));
      reader.at += 2;
      return;
    } else {
      if (next === "(") open++;
      else if (next === ")") open--;
      else if (next === "\\") reader.at++;
      reader.at++;
    }
  }
  fail(reader, "a (( that is not closed by ))", from);
}

/** Skips `…}`, which belongs to no word: `${name:-…}` may contain commands. */
function skipParameter(reader: Reader, options: Quoting, from: number): void {
  if (" \t\n|".includes(peek(reader) || " ")) fail(reader, "a command substitution of the form ${ …}", from);
  while (reader.at < reader.end) {
    const next = peek(reader);
    if (next === "}") {
      reader.at++;
      return noteParameter(reader, from);
    }
    if (readExpansion(reader, newDraft(), options)) continue;
    if (options.quoted && (next === "'" || next === '"')) {
      // Whether these quotes are special depends on the operator before them, and on the shell.
      fail(reader, "quotes in a ${…} that is quoted itself");
    } else if (next === '"') {
      reader.at++;
      readDoubleQuoted(reader, newDraft(), options);
    } else if (next === "'") readSingleQuoted(reader, newDraft());
    else if (next === "\\") reader.at += 2;
    else if ((next === "<" || next === ">") && peek(reader, 1) === "(") {
      fail(reader, "a process substitution in ${…}");
    } else if (next === "(" && !options.quoted) {
      // In zsh, "*(e:…:)" and "=(…)" run commands there as they do in a word.
      fail(reader, "parentheses in a ${…} that is not quoted");
    } else reader.at++;
  }
  fail(reader, "a ${ that is not closed", from);
}

function noteParameter(reader: Reader, from: number): void {
  const { arithmetic, variables, undecidable } = reader.collected;
  const effects = parameterEffects(reader.text.slice(from, reader.at));
  arithmetic.push(...effects.arithmetic);
  if (effects.sets !== undefined) variables.push({ name: effects.sets, values: undefined });
  if (effects.unclear !== undefined) undecidable.push(noteFrom(reader, from, effects.unclear));
}

/** Backquotes contain a text of their own, in which a backslash escapes `$`, a backquote and itself once more. */
function readBackquoted(reader: Reader, draft: Draft, options: Quoting): void {
  const open = reader.at;
  const offsets: number[] = [];
  let inner = "";
  let index = open + 1;
  for (; index < reader.end && reader.text[index] !== "`"; index++) {
    const next = reader.text[index + 1] ?? "";
    if (reader.text[index] === "\\" && index + 1 < reader.end) {
      if ("$`\\".includes(next) || (options.quoted && next === '"')) index++;
    }
    inner += reader.text[index];
    offsets.push(reader.offsetOf(index));
  }
  if (index >= reader.end) fail(reader, "a ` that is not closed");
  offsets.push(reader.offsetOf(index));
  const { collected } = reader;
  const offsetOf = (place: number) => offsets[Math.min(place, offsets.length - 1)]!;
  options.readCommands(
    { text: inner, at: 0, end: inner.length, collected, pending: [], offsetOf },
    openScope(reader, options.context),
    "end",
  );
  reader.at = index + 1;
  add(draft, { type: "command_substitution", text: reader.text.slice(open, reader.at), quoted: options.quoted });
}

export function readHereText(reader: Reader, options: WordOptions): readonly WordPart[] {
  const draft = newDraft();
  readExpandable(reader, draft, { ...options, until: "end" });
  return draft.parts;
}
