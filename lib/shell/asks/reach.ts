import { commandLayers, type ShellCommand, type ShellRedirection, type ShellScript } from "../mod.ts";
import NAMES from "./names.json" with { type: "json" };

/** How a command is reached within its text, and what shows of it. */
export interface Reach {
  /** Whether it may never be reached, by how the commands before it end. */
  readonly mayBeSkipped: boolean;
  /** Whether something of consequence runs before it. */
  readonly comesLater: boolean;
  /** Whether the end of the whole text says nothing of its end. */
  readonly inBackground: boolean;
  /** Whether neither a message nor an exit code would tell that its program cannot be started. */
  readonly failsSilently: boolean;
}

/**
 * How the commands of a text are reached. What is not understood errs towards being skipped, later, and silent.
 *
 * @param script the text, parsed
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "../mod.ts";
 * const text = 'echo "a || b"; npm test && ls &';
 * const script = parseShellCommand(text);
 * const [first, , last] = script.commands.map(reachIn(text, script));
 * assertEquals(first?.mayBeSkipped, false);
 * assertEquals([last?.mayBeSkipped, last?.comesLater, last?.inBackground], [true, true, true]);
 * ```
 */
export function reachIn(text: string, { commands }: ShellScript): (command: ShellCommand) => Reach {
  let known: Known | undefined;
  return (command) => {
    const { kinds, hereDocuments } = known ??= look(text, commands);
    const around = commands.filter((one) => one !== command && one.start <= command.start && one.end >= command.end);
    const isInWord = around.some(({ words, assignments }) => words.length + assignments.length > 0);
    const before = commands.filter((one) => one.start < command.start && !around.includes(one));
    const outline = outlineOf(text, { command, kinds, hereDocuments });
    const isLast = !isInWord && /^[\s;)}]*$/.test(outline.after);
    const kindsBefore = before.map((one) => kinds.get(one) ?? "other");
    return {
      mayBeSkipped: isInWord
        ? mayBeSkippedInWord(text.slice(0, command.start), kindsBefore)
        : mayBeSkipped(outline.before),
      comesLater: kindsBefore.some((kind) => kind !== "harmless"),
      inBackground: !isInWord && endsInBackground(outline.after),
      failsSilently: !isLast && [command, ...around, ...before.filter(isExec)].some(hidesErrors),
    };
  };
}

interface Known {
  readonly kinds: ReadonlyMap<ShellCommand, Kind>;
  readonly hereDocuments: readonly Span[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function look(text: string, commands: readonly ShellCommand[]): Known {
  const kinds = new Map<ShellCommand, Kind>();
  commands.forEach((one, index) => {
    const inner = innerOf(commands, index).map((each) => kinds.get(each) ?? "other");
    kinds.set(one, kindOf(one, inner));
  });
  return { kinds, hereDocuments: commands.flatMap((one) => hereDocumentsOf(one, text)) };
}

function innerOf(commands: readonly ShellCommand[], index: number): readonly ShellCommand[] {
  const { start } = commands[index]!;
  let from = index;
  while (from > 0 && commands[from - 1]!.start >= start) from--;
  return commands.slice(from, index);
}

/** Commands that succeed at once, as far as it matters here. */
const HARMLESS = new Set(NAMES.harmless.split(" "));

/** Commands after which the rest of a text may not run. */
const LEAVING = new Set(NAMES.leaving.split(" "));

type Kind = "harmless" | "other" | "strict" | "leaving";

const MARKS: Readonly<Record<Kind, string>> = { harmless: "h", other: "o", strict: "s", leaving: "l" };

function kindOf(command: ShellCommand, inner: readonly Kind[]): Kind {
  const layers = commandLayers(command);
  const programs = layers.map(({ program }) => program ?? "");
  if (programs.some((program) => LEAVING.has(program)) || mayEndShell(command)) return "leaving";
  if (layers.some(({ program, input }) => input !== undefined || !HARMLESS.has(program ?? ""))) return "other";
  if (command.redirections.some(writesFile)) return "other";
  if (programs[0] === "set") {
    const words = command.words.slice(1).map(({ value }) => value ?? "-e");
    return words.some((word) => /^-[a-z]*e|^errexit$/.test(word)) ? "strict" : "harmless";
  }
  // `x=$(npm test)` ends as the command in it does, and so does a group.
  return command.words.length === 0 && inner.some((kind) => kind !== "harmless") ? "other" : "harmless";
}

function mayEndShell({ words, assignments }: ShellCommand): boolean {
  const parts = [...words, ...assignments.map(({ word }) => word)].flatMap((word) => word.parts);
  if (parts.some(({ type, text }) => type === "variable" && /^\$\{\w+:?\?/.test(text))) return true;
  return words[0]?.value === "set" && words.some(({ value }) => /^-[a-zA-Z]*n|^noexec$/.test(value ?? ""));
}

function outlineOf(text: string, { command, kinds, hereDocuments }: Known & { readonly command: ShellCommand }) {
  const units = text.split("");
  const blank = (start: number, end: number) => units.fill(" ", start, end);
  for (const { start, end } of hereDocuments) blank(start, end);
  for (const [one, kind] of kinds) {
    if (one.start <= command.start && one.end >= command.end) {
      for (const { start, end } of one.redirections) blank(start, end);
    } else {
      blank(one.start, one.end);
      units[one.start] = MARKS[kind];
    }
  }
  const withoutComments = (part: string) => part.replaceAll(/(?<=^|[\s;&|(){}])#[^\n]*/g, "");
  return {
    before: withoutComments(units.slice(0, command.start).join("")),
    after: withoutComments(units.slice(command.end).join("")),
  };
}

function hereDocumentsOf({ redirections }: ShellCommand, text: string): readonly Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const { operator, target, end } of redirections) {
    if (operator !== "<<" && operator !== "<<-") continue;
    const start = text.indexOf("\n", Math.max(from, end));
    const delimiter = target.value ?? target.source;
    for (let at = start; at !== -1; at = text.indexOf("\n", at + 1)) {
      const next = text.indexOf("\n", at + 1);
      const line = text.slice(at + 1, next === -1 ? text.length : next);
      if ((operator === "<<-" ? line.replace(/^\t+/, "") : line) !== delimiter) continue;
      from = next === -1 ? text.length : next;
      found.push({ start: start + 1, end: from });
      break;
    }
  }
  return found;
}

/** What an outline has besides blanks where it is only lists and groups: marks, operators and brackets. */
const PLAIN = /^[hosl\s;&|(){}]*$/;

const TOKEN = /&&\s*|\|\|\s*|\|&?\s*|[;&\n(){}hosl]/g;

function mayBeSkipped(before: string): boolean {
  if (!PLAIN.test(before) || /\(\s*\)/.test(before)) return true;
  const newList = () => ({ isSkipped: false, mayFail: false, hasFailed: false });
  const lists = [newList()];
  let isStrict = false;
  for (const [token] of before.matchAll(TOKEN)) {
    const list = lists.at(-1);
    if (list === undefined || token === "l") return true;
    const sign = token.trimEnd() || "\n";
    if (sign === "o") list.mayFail = list.hasFailed = true;
    if (sign === "s") isStrict = true;
    if (sign === "||") list.isSkipped = true;
    if (sign === "&&") list.isSkipped ||= list.mayFail;
    if (isStrict && list.mayFail && (sign === ";" || sign === "\n")) return true;
    if (sign === ";" || sign === "\n" || sign === "&") list.isSkipped = list.mayFail = false;
    if (sign === "(" || sign === "{") lists.push(newList());
    if (sign === ")" || sign === "}") {
      lists.pop();
      const outer = lists.at(-1);
      if (outer !== undefined && list.hasFailed) outer.mayFail = outer.hasFailed = true;
    }
  }
  return lists.some(({ isSkipped }) => isSkipped);
}

const CONDITION = /\|\||(?:^|[\s;&|({])(?:if|while|until|for|case|select|function)\s|\(\s*\)/;

function mayBeSkippedInWord(before: string, kinds: readonly Kind[]): boolean {
  return CONDITION.test(before) || kinds.includes("leaving") || kinds.includes("strict") ||
    before.includes("&&") && kinds.includes("other");
}

/** Whether the list that a command is in ends with `&`, or that of a group around it, by the outline after it. */
function endsInBackground(after: string): boolean {
  let depth = 0;
  let isOver = false;
  for (const [token] of after.matchAll(TOKEN)) {
    const sign = token.trimEnd() || "\n";
    if (sign === "(" || sign === "{") depth++;
    if (sign === ")" || sign === "}") {
      // Behind its own group the list of that group goes on.
      if (depth === 0) isOver = false;
      else depth--;
    }
    if (depth > 0 || isOver) continue;
    if (sign === "&") return true;
    isOver = sign === ";" || sign === "\n";
  }
  return false;
}

function writesFile({ operator, target }: ShellRedirection): boolean {
  const writes = operator.startsWith("&>") || operator.startsWith(">") && !/^(?:\d+|-)$/.test(target.value ?? "");
  return writes && target.value !== "/dev/null";
}

function isExec({ words }: ShellCommand): boolean {
  return words[0]?.value === "exec";
}

function hidesErrors({ redirections }: ShellCommand): boolean {
  return redirections.some(({ operator, descriptor }) =>
    operator === "&>" || operator === "&>>" || operator === ">&" && descriptor === undefined ||
    operator.startsWith(">") && descriptor === 2
  );
}
