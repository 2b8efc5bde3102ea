import {
  type CommandLayer,
  commandLayers,
  MAX_SCRIPT_DEPTH,
  parseShellCommand,
  type ShellCommand,
  shellJoin,
  type ShellRedirection,
  type ShellWord,
  wordText,
} from "../mod.ts";
import { questionOf } from "./question.ts";
import { type Reach, reachIn } from "./reach.ts";
import { afterRunner } from "./runners.ts";

/** The leading words of each command that asks a person, such as `["panewright", "ask"]`. */
export type AskCommands = readonly (readonly [string, ...string[]])[];

export interface FoundAsk {
  /** As the command receives it; if something in it is expanded, as it was written. */
  readonly question: string;
  readonly isExact: boolean;
  /** Whether it is asked whatever the commands before it do; otherwise it depends on how they end. */
  readonly isCertain: boolean;
  /** Whether something of consequence runs before it, which may end first. */
  readonly comesLater?: true;
  /** Whether the end of the whole command says nothing of it. */
  readonly inBackground?: true;
  /** Whether nothing would show that its program could not be started: neither a message nor an exit code. */
  readonly failsSilently?: true;
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
  return findInScript(text, { asks, whole: text.trim(), depth: 0 }).slice(0, MAX_ASKS);
}

const MAX_ASKS = 20;

interface Place {
  readonly asks: AskCommands;
  readonly whole: string;
  readonly depth: number;
}

function findInScript(text: string, place: Place): readonly FoundAsk[] {
  const script = parseShellCommand(text);
  const reach = reachIn(text, script);
  // Of a text that a shell refuses as well, nothing is run; what is defined anew may do anything.
  const isRead = script.problem === undefined && script.undecidable.length === 0;
  const found: FoundAsk[] = [];
  for (const command of script.commands) {
    const inIt = commandLayers(command).flatMap((layer) => findInLayer(layer, { command, place }));
    if (inIt.length === 0) continue;
    const how = reach(command);
    found.push(...inIt.map((ask) => reachedBy(isRead ? how : { ...how, mayBeSkipped: true }, ask)));
    if (found.length >= MAX_ASKS) break;
  }
  return found;
}

function findInLayer(
  { input, moreWords, words }: CommandLayer,
  { command, place }: { readonly command: ShellCommand; readonly place: Place },
): readonly FoundAsk[] {
  if (input?.from === "text") {
    if (place.depth >= MAX_SCRIPT_DEPTH) return [];
    const inText = findInScript(input.text, { ...place, depth: place.depth + 1 });
    return onlyReads(words) ? inText.map((ask) => ({ ...ask, isCertain: false })) : inText;
  }
  const asked = readQuestion(words, place.asks);
  if (asked === undefined) return [];
  const { question, ...written } = asked.question === "-" ? readInput(command, place.whole) : asked;
  const isExact = written.isExact && !moreWords;
  return [{
    // What a function is called with is not known here.
    question: isExact || !ONLY_VARIABLES.test(question) ? question : place.whole,
    isExact,
    // A file that is not there is the end of it.
    isCertain: !moreWords && !command.redirections.some(readsFile),
    ...(asked.viaRunner ? { failsSilently: true } : {}),
  }];
}

function readsFile({ operator, target }: ShellRedirection): boolean {
  return (operator === "<" || operator === "<>") && target.value !== "/dev/null";
}

/** Whether a shell only checks what it reads: `bash -n`. */
function onlyReads(words: readonly ShellWord[]): boolean {
  return words.some(({ value }, index) =>
    /^-[a-zA-Z]*n/.test(value ?? "") || (value === "noexec" && words[index - 1]?.value === "-o")
  );
}

const ONLY_VARIABLES = /^(?:\s*\$(?:\w+|[@*#]|\{\w+\}))+\s*$/;

function reachedBy(reach: Reach, ask: FoundAsk): FoundAsk {
  return {
    ...ask,
    isCertain: ask.isCertain && !reach.mayBeSkipped,
    ...(reach.comesLater ? { comesLater: true } : {}),
    ...(reach.inBackground ? { inBackground: true } : {}),
    ...(reach.failsSilently ? { failsSilently: true } : {}),
  };
}

type AskWord = Pick<ShellWord, "value"> & { readonly parts: readonly { readonly text: string }[] };

/** Compares the base name of the program and the words after it with each command that asks. */
export function readQuestion(
  words: readonly AskWord[],
  asks: AskCommands,
): WrittenQuestion & { readonly viaRunner: boolean } | undefined {
  const run = afterRunner(words);
  const program = (run ?? words)[0]?.value?.replace(/^.*\//, "").replace(run === undefined ? /$^/ : /@[\w.^~-]*$/, "");
  for (const [name, ...subcommands] of asks) {
    if (program !== name) continue;
    if (subcommands.some((word, index) => (run ?? words)[index + 1]?.value !== word)) continue;
    const rest = (run ?? words).slice(1 + subcommands.length);
    const question = questionOf(rest.map(wordText));
    if (question === undefined) continue;
    return { question, isExact: rest.every(({ value }) => value !== undefined), viaRunner: run !== undefined };
  }
  return undefined;
}

type WrittenQuestion = Pick<FoundAsk, "question" | "isExact">;

/** The question of `panewright ask -`: a here-document, or what only the shell knows. */
function readInput(command: ShellCommand, whole: string): WrittenQuestion {
  const input = command.redirections.findLast(({ operator }) => operator.startsWith("<<"));
  const given = input?.hereDocument ?? (input?.operator === "<<<" ? input.target.value : undefined);
  const question = given?.trim() ?? "";
  if (question !== "") return { question, isExact: true };
  return { question: whole, isExact: false };
}
