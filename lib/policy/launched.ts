import { builtinEffects, type CommandLayer, findCommands, parseShellCommand, type ShellWord } from "../shell/mod.ts";
import { programTable } from "./programs/mod.ts";
import { changesFiles } from "./targets/file_targets.ts";
import { present } from "../base/schema.ts";

/** Programs that run what their words name; those of which nothing is known may do so as well. */
const LAUNCHERS = /^(?:npx|pnpx|bunx)$/;
const LAUNCHERS_BY_VERB = /^(?:npm|pnpm|yarn)$/;
const VERBS = /^(?:run|exec|x|dlx|start|spawn|with|shell|--)$/;
/** Programs that only tell something about the names that they are given, or install them. */
const TELLERS = /^(?:which|whereis|whatis|apropos|pgrep|pkill|killall|pidof|kill|apt|apt-get|brew|gem|pip3?)$/;

const TEXT_OPTION = /^(?:-c|--(?:command|run|exec|call|cmd|script|shell))(?:=|$)/;

const MAX_WORDS = 64;

/**
 * The commands that a program may run which is not known, by its words: `uv run X`, `npx X`, `valgrind --a X`,
 * `npx -c 'X y'`. They are guesses, for what is to be refused.
 */
export function launchedCommands({ program, words, transparent }: CommandLayer): readonly (readonly ShellWord[])[] {
  if (program === undefined || transparent || !mayLaunch(program, words)) return [];
  const found: (readonly ShellWord[])[] = [];
  // After the program, and after a verb, options and their values may come first.
  let open = true;
  let afterOption = false;
  for (const [index, { value }] of words.slice(0, MAX_WORDS).entries()) {
    if (index === 0 || value === undefined) continue;
    const before = words[index - 1]?.value ?? "";
    const given = value.startsWith("-") ? value.replace(/^--[\w-]+=/, "") : value;
    if (/\s/.test(given) && (TEXT_OPTION.test(value) || TEXT_OPTION.test(before) || (open && index === 1))) {
      found.push(...findCommands(parseShellCommand(given)).map(({ layer }) => layer.words));
    } else if (VERBS.test(value)) {
      if (open && index === 1) found.push(words.slice(index));
      [open, afterOption] = [true, false];
    } else if (value.startsWith("-")) afterOption = true;
    else if (/^[A-Za-z_]\w*=/.test(value)) continue;
    else if (open) {
      found.push(words.slice(index));
      open = afterOption;
      afterOption = false;
    }
  }
  return found;
}

function mayLaunch(program: string, words: readonly ShellWord[]): boolean {
  if (LAUNCHERS.test(program)) return true;
  if (LAUNCHERS_BY_VERB.test(program)) return VERBS.test(words[1]?.value ?? "") && words[1]?.value !== "run";
  return programTable(program) === undefined && builtinEffects(words) === undefined && !changesFiles(program) &&
    !TELLERS.test(program);
}

/**
 * A command without the options before its first operand, as `npm --silent publish` is an `npm publish`; and without
 * the words after these, which may be their values.
 */
export function withoutOptions(
  words: readonly (ShellWord | undefined)[],
): {
  readonly plain?: readonly (ShellWord | undefined)[];
  readonly guesses: readonly (readonly (ShellWord | undefined)[])[];
} {
  const starts: number[] = [];
  let afterOption = false;
  let index = 1;
  for (; index < Math.min(words.length, MAX_WORDS); index++) {
    const text = words[index]?.value;
    if (text === undefined) break;
    if (text.startsWith("-")) {
      afterOption = !text.includes("=");
      continue;
    }
    if (index === 1) break;
    starts.push(index);
    if (!afterOption) break;
    afterOption = false;
  }
  const [plain, ...guesses] = starts.map((start) => [...words.slice(0, 1), ...words.slice(start)]);
  return { ...present({ plain }), guesses };
}
