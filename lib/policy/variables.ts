import { namesIn } from "../shell/mod.ts";
import DATA from "./variables.json" with { type: "json" };

// Which variables change what programs run, where they read from, or how the shell reads text. From the manuals of
// bash 5.2, zsh 5.9, ld.so(8), git 2.47 and of each program; the shapes cover what no list can.

const NAMES = new Set(namesIn(DATA.names));
/** Names that matter only for what programs are handed: a script may well call something of its own so. */
const HANDED = new Set(namesIn(DATA.handed));
const FAMILIES = new RegExp(`^(?:${namesIn(DATA.beginnings).join("|")})`);
/** Shapes of names with which programs are told what to run or where to read: only for what programs are handed. */
const SHAPES = new RegExp(`(?:^|_)(?:${namesIn(DATA.endings).join("|")})$`);
const HARMLESS = DATA.harmless.map(({ names, values }) => [new RegExp(names), new RegExp(values)] as const);
const INTEGERS = new Set(namesIn(DATA.integers));
const CARRIERS = new RegExp(`^(?:${namesIn(DATA.carriers).join("|")})$`);

export function isShellInteger(name: string): boolean {
  return INTEGERS.has(name);
}

export function carriesText(name: string): boolean {
  return CARRIERS.test(name);
}

/**
 * Whether setting a variable may change what other commands do: what they run, where they read, how the shell reads.
 * With `handed`, the variable is given to a program, so that the shape of its name counts, too.
 */
export function changesCommands(
  { name, value, handed }: { readonly name: string; readonly value: string | undefined; readonly handed: boolean },
): boolean {
  if (value !== undefined && HARMLESS.some(([names, values]) => names.test(name) && values.test(value))) return false;
  return NAMES.has(name) || FAMILIES.test(name) || (handed && (HANDED.has(name) || SHAPES.test(name)));
}
