import { namesIn } from "./name_list.ts";
import DATA from "./programs.json" with { type: "json" };
import type { ShellCommand, ShellWord } from "./syntax.ts";

export type ShellInput =
  /** They are known: from `-c`, `eval`, a here-document or a here-string. */
  | { readonly from: "text"; readonly text: string; readonly sameShell: boolean }
  | { readonly from: "expansion"; readonly words: readonly ShellWord[] }
  | { readonly from: "file"; readonly word: ShellWord }
  | { readonly from: "stdin" };

const POSIX_SHELLS = new Set(namesIn(DATA.shells));

const OTHER_SHELLS = new Set(namesIn(DATA.otherShells));

export function isShell(program: string): boolean {
  return POSIX_SHELLS.has(program) || OTHER_SHELLS.has(program);
}

interface NamedCommand {
  readonly program: string;
  readonly words: readonly ShellWord[];
  readonly moreWords: boolean;
}

/** Where a shell, `eval`, `.` or `source` gets its commands from; `undefined` for any other program. */
export function shellInput(named: NamedCommand, command: ShellCommand): ShellInput | undefined {
  const { program, words, moreWords } = named;
  const [, second] = words;
  if (program === "eval") {
    const texts = words.slice(1);
    return moreWords ? { from: "expansion", words: texts } : given(texts, true);
  }
  if (program === "." || program === "source") return second === undefined ? undefined : { from: "file", word: second };
  if (!isShell(program)) return undefined;
  const { script, operand, startFile } = readShellOptions(words);
  if (startFile) return { from: "expansion", words: [] };
  // What xargs and find insert or append is not known; nor is the language of the other shells.
  if (script !== undefined && !moreWords && POSIX_SHELLS.has(program)) return given([script], false);
  if (script !== undefined) return { from: "expansion", words: [script] };
  if (operand !== undefined) return { from: "file", word: operand };
  if (moreWords) return { from: "expansion", words: [] };
  for (const { operator, hereDocument, target, descriptor } of command.redirections.toReversed()) {
    if (!operator.startsWith("<") || operator === "<&" || (descriptor ?? 0) !== 0) continue;
    if (operator === "<<<") return given([target], false);
    if (!operator.startsWith("<<")) return { from: "file", word: target };
    return hereDocument === undefined
      ? { from: "expansion", words: [] }
      : { from: "text", text: hereDocument, sameShell: false };
  }
  return { from: "stdin" };
}

function given(words: readonly ShellWord[], sameShell: boolean): ShellInput {
  const texts = words.map(({ value }) => value);
  return texts.every((text) => text !== undefined)
    ? { from: "text", text: texts.join(" "), sameShell }
    : { from: "expansion", words };
}

/** The text of `-c`, or the first operand. An expansion among the options counts as the operand. */
function readShellOptions(
  words: readonly ShellWord[],
): { readonly script?: ShellWord; readonly operand?: ShellWord; readonly startFile?: true } {
  let command = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const text = word.value;
    if (text === "--" || text === "-") {
      const next = words[index + 1];
      return next === undefined ? {} : command ? { script: next } : { operand: next };
    }
    if (text === undefined || !/^[-+]./.test(text)) return command ? { script: word } : { operand: word };
    if (text.startsWith("--")) {
      if (text === "--command") command = true;
      if (/^--(?:rc|init)/.test(text)) return { startFile: true };
      if (/^--(?:features|profile)$/.test(text)) index++;
      continue;
    }
    if (text.startsWith("-") && text.includes("c")) command = true;
    if (text.startsWith("-") && text.includes("s") && !text.includes("c")) return {};
    if (/[oO]$/.test(text)) index++;
  }
  return {};
}
