import { namesIn } from "./name_list.ts";
import DATA from "./programs.json" with { type: "json" };
import { type ShellInput, shellInput } from "./shells.ts";
import type { ShellCommand, ShellScript, ShellWord } from "./syntax.ts";
import { parseShellCommand } from "./parse.ts";
import { unwrap } from "./wrappers.ts";
import { present } from "../base/schema.ts";

/** One of the commands that a simple command runs: itself, and what `env`, `xargs`, `sh -c` and the like run for it. */
export interface CommandLayer {
  readonly words: readonly ShellWord[];
  /** The base name of the program; `undefined` if it is not known. */
  readonly program: string | undefined;
  /** Whether all it does is run the next layer: `env`, `timeout`, `sh -c`. */
  readonly transparent: boolean;
  /** Whether the program receives more words that are not known here, as from `xargs`. */
  readonly moreWords: boolean;
  /** `NAME=value` that `env` or `sudo` sets for the next layer. */
  readonly assignments?: readonly ShellWord[];
  /** For a shell or `eval`: where it gets its commands from. */
  readonly input?: ShellInput;
  readonly unclear?: string;
  /** Whether it runs commands from its words in a way that is not followed here: `ssh`, `script`, `strace`. */
  readonly opaque?: true;
}

const MAX_LAYERS = 12;

/**
 * The commands that a simple command runs, from the outside in. A command without words has no layers.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const [command] = parseShellCommand("CI=1 timeout 60 env -i /usr/bin/npm test").commands;
 * assertEquals(commandLayers(command!).map(({ program, transparent }) => [program, transparent]), [
 *   ["timeout", true],
 *   ["env", true],
 *   ["npm", false],
 * ]);
 * ```
 */
export function commandLayers(command: ShellCommand): readonly CommandLayer[] {
  const layers: CommandLayer[] = [];
  const waiting = command.words.length === 0 ? [] : [{ words: command.words, moreWords: false }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { words, moreWords } = next;
    const program = programName(words[0] as ShellWord);
    if (layers.length >= MAX_LAYERS) {
      layers.push({ words, program, transparent: false, moreWords, unclear: "too many commands that run commands" });
      break;
    }
    const unwrapped = program === undefined ? undefined : unwrap(program, words);
    if (unwrapped !== undefined) {
      const { inner, adds, acts, assignments, unclear } = unwrapped;
      const transparent = !acts && inner.length > 0;
      const unknown = unclear ?? (moreWords && inner.length === 0 ? `a program that ${program} is given` : undefined);
      layers.push({
        words,
        program,
        transparent,
        moreWords,
        ...present({ assignments: assignments.length === 0 ? undefined : assignments, unclear: unknown }),
      });
      waiting.push(...inner.map((innerWords) => ({ words: innerWords, moreWords: moreWords || adds })));
      continue;
    }
    const input = program === undefined ? undefined : shellInput({ program, words, moreWords }, command);
    layers.push({
      words,
      program,
      transparent: input?.from === "text",
      moreWords,
      ...present({ input, unclear: whyUnclear(program) }),
      ...(words.length > 1 && OPAQUE.has(program ?? "") ? { opaque: true } : {}),
    });
  }
  return layers;
}

function programName(word: ShellWord): string | undefined {
  return word.value?.slice(word.value.lastIndexOf("/") + 1);
}

/** Commands that change what later ones mean, or run text at a time that is not known. */
const UNCLEAR: ReadonlyMap<string, string> = new Map(Object.entries(DATA.unclear));

function whyUnclear(program: string | undefined): string | undefined {
  if (program === undefined) return "the program is an expansion";
  // zsh replaces it by the path of the program.
  return program.startsWith("=") ? `a name that some shells expand (${program})` : UNCLEAR.get(program);
}

const OPAQUE = new Set(namesIn(DATA.opaque));

export interface FoundCommand {
  readonly layer: CommandLayer;
  /** Where its simple command is in the outermost text. */
  readonly start: number;
  readonly end: number;
}

/** How deep texts within texts are followed. */
export const MAX_SCRIPT_DEPTH = 8;

/**
 * Every command that a shell text runs, as far as can be known: also those that `env`, `xargs` and `find` run, and
 * those in the texts of `sh -c '…'` and `eval`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const script = parseShellCommand(`bash -lc 'cd x && panewright ask "Which?"'; grep "panewright ask" README.md`);
 * const asks = findCommands(script).filter(({ layer }) => layer.program === "panewright");
 * assertEquals(asks.map(({ layer }) => layer.words.map(({ value }) => value)), [["panewright", "ask", "Which?"]]);
 * ```
 */
export function findCommands(script: ShellScript): readonly FoundCommand[] {
  const found: FoundCommand[] = [];
  const visit = (inner: ShellScript, depth: number, place: Pick<FoundCommand, "start" | "end"> | undefined) => {
    for (const command of inner.commands) {
      const { start, end } = place ?? command;
      for (const layer of commandLayers(command)) {
        found.push({ layer, start, end });
        if (layer.input?.from !== "text" || depth >= MAX_SCRIPT_DEPTH) continue;
        visit(parseShellCommand(layer.input.text), depth + 1, { start, end });
      }
    }
  };
  visit(script, 0, undefined);
  return found;
}
