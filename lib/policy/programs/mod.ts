import { type ShellWord, wordText } from "../../shell/mod.ts";
import { AWK } from "./awk.ts";
import { CARGO, GO, MAKE, OTHER_BUILDERS } from "./builders.ts";
import { FD } from "./fd.ts";
import { FIND } from "./find.ts";
import { GIT } from "./git.ts";
import { GREP } from "./grep.ts";
import { DENO, NODE, OTHER_INTERPRETERS, PERL, PYTHON } from "./interpreters.ts";
import { NPM, NPX } from "./npm.ts";
import { CHECKERS, FILE_CHECKERS, FORMATTERS, REPORTERS, UNITTEST } from "./checkers.ts";
import { EDITORS, FEW_OPTIONS, JQ, READERS, SECOND_WRITES, ZIP } from "./others.ts";
import { RIPGREP } from "./ripgrep.ts";
import { SED } from "./sed.ts";
import { SORT } from "./sort.ts";
import { type Operand, type ProgramTable, type Use, useOf, usesBy } from "./table.ts";
import { TAR } from "./tar.ts";
import { CURL, RSYNC, SSH, WGET } from "./transfer.ts";

export type { ProgramTable, Use } from "./table.ts";

/** What is known of programs, the first one that fits. */
const PROGRAM_TABLES: readonly ProgramTable[] = [
  ...[GIT, FIND, FD, RIPGREP, GREP, SORT, SED, AWK, TAR, PYTHON, NODE, PERL, OTHER_INTERPRETERS, NPX, NPM, DENO, GO],
  ...[CARGO, MAKE, OTHER_BUILDERS, CURL, WGET, RSYNC, SSH, EDITORS, ZIP, REPORTERS, UNITTEST, CHECKERS, FORMATTERS],
  ...[...FILE_CHECKERS, ...SECOND_WRITES, JQ],
  ...FEW_OPTIONS,
  ...READERS,
];

/** The table of a program, if there is one. */
export function programTable(program: string): ProgramTable | undefined {
  return PROGRAM_TABLES.find(({ programs }) => programs.test(program));
}

/** Options that run programs wherever they are found. */
const UNKNOWN_PROGRAM: ProgramTable = {
  programs: /^/,
  code: true,
  runs: ["--exec=", "--command=", "--eval=", "--shell=", "--pre=", "--pager=", "--editor=", "--rsh=", "-exec="],
  writes: ["--output=", "--output-file=", "--outfile=", "--out="],
  operands: (operands) => operands.flatMap(secretUse),
};

/** A word that may be a file's name, for a program of which nothing is known: `if=.env`, `@.env`. */
function secretUse(operand: Operand): readonly Use[] {
  const text = wordText(operand.word).replace(/^(?:[\w-]+=)?@?/, "");
  return text === "" || /\s/.test(text) ? [] : [{ ...useOf("finds", operand), path: text }];
}

/** What a program's words ask for that is not harmless, by the table of the program. */
export function programUses(program: string, words: readonly ShellWord[], moreWords = false): readonly Use[] {
  const table = programTable(program);
  const [first] = words;
  if (moreWords && first !== undefined && table !== undefined && !words.some(({ value }) => value === "--")) {
    return usesBy(table, [...words, { ...first, value: undefined, parts: [] }]);
  }
  const own = table === undefined
    ? usesBy(UNKNOWN_PROGRAM, words).filter(({ kind }) => kind !== "unknown")
    : usesBy(table, program === "find" || program === "gfind" ? withoutCommands(words) : words);
  const at = innerProgram(words);
  const inner = words[at]?.value;
  if (inner === undefined || inner === program) return own;
  return [...own, ...programUses(inner, words.slice(at)).map((use) => ({ ...use, at: use.at + at }))];
}

/** Where the program stands that another one runs with the rest of its words: `npx jest …`, `uv run pytest …`. */
function innerProgram(words: readonly ShellWord[]): number {
  const [first, second, third] = words.map(({ value }) => value ?? "");
  if (first === "npx" || first === "bunx") {
    return words.findIndex(({ value }, index) => index > 0 && !/^-/.test(value ?? ""));
  }
  if (/^(?:pnpm|yarn|npm|bundle)$/.test(first ?? "") && second === "exec") return 2;
  if (/^(?:uv|poetry|pipenv|hatch)$/.test(first ?? "") && second === "run") return 2;
  return /^python[\d.]*$/.test(first ?? "") && second === "-m" && third !== "" ? 2 : -1;
}

/** The words of find without those of the commands that it runs, which are looked at on their own. */
function withoutCommands(words: readonly ShellWord[]): readonly ShellWord[] {
  let inside = false;
  return words.map((word) => {
    if (inside) {
      inside = !/^[;+]$/.test(word.value ?? "");
      return { ...word, value: "", parts: [] };
    }
    inside = /^-(?:exec|ok)(?:dir)?$/.test(word.value ?? "");
    return word;
  });
}
