import type { ShellWord } from "../../shell/mod.ts";
import { usesBy } from "./scan.ts";
import { leavingTasks } from "./tasks.ts";
import { programTable, tableOf } from "./tables.ts";
import type { Use } from "./use.ts";

export { gitCommandAt, PLAIN_GLOBAL } from "./git.ts";
export { type ProgramTable, programTable } from "./tables.ts";
export type { Use } from "./use.ts";

/** Whether a program is a test runner, a linter or an interpreter, whose purpose is to run what the project has. */
export function runsProject(program: string): boolean {
  return programTable(program)?.like === "checkers" || /^python[\d.]*$/.test(program);
}

/** Options that run programs wherever they are found. */
const UNKNOWN_PROGRAM = tableOf({
  code: true,
  runs: "--exec= --command= --eval= --shell= --pre= --pager= --editor= --rsh= -exec=",
  writes: "--output= --output-file= --outfile= --out=",
  operands: "secrets",
});

/** What a program's words ask for that is not harmless, by the table of the program. */
export function programUses(program: string, words: readonly ShellWord[], moreWords = false): readonly Use[] {
  const table = programTable(program);
  const [first] = words;
  if (moreWords && first !== undefined && table !== undefined && !words.some(({ value }) => value === "--")) {
    return usesBy(table, [...words, { ...first, value: undefined, parts: [] }]);
  }
  const own: Use[] = table === undefined
    ? usesBy(UNKNOWN_PROGRAM, words).filter(({ kind }) => kind !== "unknown")
    : [...usesBy(table, program === "find" || program === "gfind" ? withoutCommands(words) : words)];
  // A script of the project: ./scripts/deploy.sh
  if (table === undefined && first !== undefined && /^(?!\/).*\//.test(first.value ?? "")) {
    own.push(...leavingTasks([{ word: first, at: 0 }]));
  }
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
