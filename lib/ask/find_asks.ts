import {
  commandLayers,
  MAX_SCRIPT_DEPTH,
  parseShellCommand,
  type ShellCommand,
  shellJoin,
  type ShellWord,
} from "../shell/mod.ts";
import { questionOf } from "./question.ts";

/** The leading words of each command that asks a person, such as `["panewright", "ask"]`. */
export type AskCommands = readonly (readonly [string, ...string[]])[];

/** A question that a shell text asks, if that part of it is run. */
export interface FoundAsk {
  /** As the command receives it; if something in it is expanded, as it was written. */
  readonly question: string;
  /** Whether nothing in it is expanded. */
  readonly isExact: boolean;
  /** Whether it is asked whatever the commands before it do; otherwise it depends on how they end. */
  readonly isCertain: boolean;
}

/**
 * The questions that a shell text asks, in order. Text that only mentions such a command, in a quoted
 * word, a comment or as an argument of another program, asks nothing.
 *
 * @param command shell text, or an argv array
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const asks = findAsks(`cd api && CI=1 panewright ask "Which \\"db\\"?"`, [["panewright", "ask"]]);
 * assertEquals(asks, [{ question: 'Which "db"?', isExact: true, isCertain: true }]);
 * assertEquals(findAsks(`grep "panewright ask" README.md`, [["panewright", "ask"]]), []);
 * ```
 */
export function findAsks(command: string | readonly string[], asks: AskCommands): readonly FoundAsk[] {
  const text = typeof command === "string" ? command : shellJoin(command);
  // Most commands mention no ask and need no parsing; a name may contain quotes.
  const letters = text.replaceAll(/["'\\\n]/g, "");
  if (!asks.some(([program]) => letters.includes(program))) return [];
  return findInScript(text, { asks, isCertain: true, depth: 0 });
}

interface Place {
  readonly asks: AskCommands;
  readonly isCertain: boolean;
  readonly depth: number;
}

function findInScript(text: string, place: Place): readonly FoundAsk[] {
  const { commands } = parseShellCommand(text);
  return commands.flatMap((command) => {
    const isCertain = place.isCertain && !mayBeSkipped(text, { start: command.start, commands });
    return commandLayers(command).flatMap((layer) => {
      if (layer.input?.from === "text") {
        if (place.depth >= MAX_SCRIPT_DEPTH) return [];
        return findInScript(layer.input.text, { ...place, isCertain, depth: place.depth + 1 });
      }
      const asked = readQuestion(layer.words, place.asks);
      if (asked === undefined) return [];
      const question = asked.question === "-" ? readInput(command, text) : asked;
      return [{ ...question, isExact: question.isExact && !layer.moreWords, isCertain: isCertain && !layer.moreWords }];
    });
  });
}

/** Compares the base name of the program and the words after it with each command that asks. */
function readQuestion(words: readonly ShellWord[], asks: AskCommands): Omit<FoundAsk, "isCertain"> | undefined {
  const program = words[0]?.value?.replace(/^.*\//, "");
  for (const [name, ...subcommands] of asks) {
    if (program !== name) continue;
    if (subcommands.some((word, index) => words[index + 1]?.value !== word)) continue;
    const rest = words.slice(1 + subcommands.length);
    const question = questionOf(rest.map(asWritten));
    if (question !== undefined) return { question, isExact: rest.every(({ value }) => value !== undefined) };
  }
  return undefined;
}

/** The question of `panewright ask -`: a here-document, or what only the shell knows. */
function readInput(command: ShellCommand, text: string): Omit<FoundAsk, "isCertain"> {
  const input = command.redirections.findLast(({ operator }) => operator.startsWith("<<"));
  const given = input?.hereDocument ?? (input?.operator === "<<<" ? input.target.value : undefined);
  const question = given?.trim() ?? "";
  if (question !== "") return { question, isExact: true };
  return { question: text.slice(command.start, command.end), isExact: false };
}

/** A word without its quotes, with its expansions as written. */
function asWritten(word: ShellWord): string {
  return word.value ?? word.parts.map(({ text }) => text).join("");
}

/** Commands that succeed at once, as far as it matters here. */
const HARMLESS = new Set([
  "cd",
  "pushd",
  "pwd",
  "echo",
  "printf",
  "export",
  "set",
  "unset",
  "true",
  ":",
  "umask",
  "date",
]);

const CONDITION = /\|\||(?:^|[\s;&|({])(?:if|while|until|for|case|select|function)\s|\(\s*\)/;

/** Whether a command may not be reached, judged by the text before it; it ignores quotes, and so errs towards yes. */
function mayBeSkipped(
  text: string,
  { start, commands }: { readonly start: number; readonly commands: readonly ShellCommand[] },
): boolean {
  const before = text.slice(0, start);
  return CONDITION.test(before) ||
    before.includes("&&") && commands.some((command) => command.start < start && !isHarmless(command));
}

function isHarmless(command: ShellCommand): boolean {
  return commandLayers(command).every(({ program, input }) => input === undefined && HARMLESS.has(program ?? ""));
}
