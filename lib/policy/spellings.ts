import * as posix from "@std/path/posix";
import type { ShellWord } from "../shell/mod.ts";
import type { PossibleFolders } from "./folders.ts";
import type { InspectedCommand } from "./inspect/inspection.ts";
import { launchedCommands, withoutOptions } from "./launched.ts";
import type { KnownWord } from "./pattern.ts";
import { gitCommandAt } from "./programs/mod.ts";

interface Where {
  readonly workdir: string;
  readonly folders: PossibleFolders;
}

export interface Spelling {
  readonly words: readonly KnownWord[];
  /** Whether it is only a guess: what may be the value of an option, or run by a program that is not known. */
  readonly guess: boolean;
}

type Words = readonly (ShellWord | undefined)[];

export function spellingsOf({ command, layers, folders }: InspectedCommand, workdir: string): readonly Spelling[] {
  const assignments = command.assignments.map(({ word }) => word);
  const sure: Words[] = [];
  const guessed: Words[] = [];
  for (const layer of layers) {
    const rest = layer.moreWords ? [...layer.words, undefined] : layer.words;
    const { plain, guesses } = withoutOptions(rest);
    sure.push(rest);
    if (layer.program === "git") sure.push([...rest.slice(0, 1), ...rest.slice(gitCommandAt(rest))]);
    else if (plain !== undefined) sure.push(plain);
    guessed.push(...guesses, ...launchedCommands(layer));
    const [, subcommand] = /^git-(.+)$/.exec(layer.program ?? "") ?? [];
    const [first] = layer.words;
    if (subcommand === undefined || first === undefined) continue;
    guessed.push([{ ...first, value: "git" }, { ...first, value: subcommand }, ...rest.slice(1)]);
  }
  if (assignments.length > 0) sure.push([...assignments, ...command.words]);
  const spelling = (guess: boolean) => (words: Words): Spelling => ({
    words: words.map((word) => knownWord(word, { workdir, folders })),
    guess,
  });
  return [...sure.map(spelling(false)), ...guessed.map(spelling(true))];
}

/** A word for matching; none stands for words that another command adds. */
export function knownWord(word: ShellWord | undefined, where: Where): KnownWord {
  if (word === undefined) return { many: true };
  if (word.value !== undefined) {
    return { value: word.value, ...(word.value.includes("/") ? { paths: normalSpellings(word.value, where) } : {}) };
  }
  const many = word.parts.some((part) => part.type !== "literal" && (!part.quoted || part.text.includes("@"))) ||
    word.expansions.some((kind) => kind === "pathname" || kind === "brace" || kind === "tilde");
  return { many };
}

export function pathSpellings(path: string, where: Where): readonly string[] {
  return [path, ...normalSpellings(path, where)];
}

/** A path as it comes down to: absolute, and from the working directory where it is below. */
export function normalSpellings(path: string, { workdir, folders }: Where): readonly string[] {
  if (!path.startsWith("/") && folders?.length !== 1) return [];
  const absolute = posix.resolve(folders?.[0] ?? "/", path);
  const relative = posix.relative(workdir, absolute);
  return relative.startsWith("..") || relative === "" ? [absolute] : [absolute, relative];
}
