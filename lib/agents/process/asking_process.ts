import { type AskCommands, readQuestion } from "../../shell/asks/find_asks.ts";
import { questionOf } from "../../shell/asks/question.ts";

export interface AskWords {
  readonly question: string | undefined;
}

export interface SeenAsk extends AskWords {
  readonly pid: number;
}

const INTERPRETERS = new Set("sh bash dash ash zsh ksh node bun".split(" "));

/**
 * What a process asks, by its arguments: they are exact, for a shell has expanded them already. A shell that is yet to
 * read a command which asks, and a process that only has such words among its arguments, ask nothing.
 *
 * @param argv the arguments, its program first; a program that has replaced them by a title has that as the only one
 * @param self the argv that starts panewright for its launchers
 */
export function askOfProcess(
  argv: readonly string[],
  { asks, self }: { readonly asks: AskCommands; readonly self: readonly string[] },
): AskWords | undefined {
  if (self.every((word, index) => argv[index] === word) && argv[self.length] === "ask") {
    return seenAsk(questionOf(argv.slice(self.length + 1)));
  }
  const words = argv.length === 1 ? argv[0]!.split(" ") : isScript(argv) ? argv.slice(1) : argv;
  return seenAsk(readQuestion(words.map((value) => ({ value, parts: [{ text: value }] })), asks)?.question);
}

function seenAsk(question: string | undefined): AskWords | undefined {
  return question === undefined ? undefined : { question: question === "-" ? undefined : question };
}

function isScript([program = "", script = ""]: readonly string[]): boolean {
  return INTERPRETERS.has(program.replace(/^.*\//, "")) && script.includes("/") && !script.startsWith("-");
}
