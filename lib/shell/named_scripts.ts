import { relative, resolve } from "@std/path/posix";
import { type CommandLayer, findCommands } from "./layers.ts";
import { parseShellCommand } from "./parse.ts";
import type { ShellWord } from "./syntax.ts";

/** A script that a command names: `sh check.sh`, `./check.sh`, `node tools/x.mjs`. */
export interface NamedScript {
  /** As it is written there. */
  readonly name: string;
  /** From where the command starts, also after a `cd`. */
  readonly path: string;
}

/**
 * The scripts that a shell command runs, one level deep: what they call in turn is not looked at, nor are modules
 * (`python3 -m`), suites of tests (`node --test`) and names that an expansion makes.
 *
 * @param isFile whether there is such a file, by its path from where the command starts
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const files = ["scripts/check.sh", "web/t.mjs"];
 * const found = namedScripts("timeout 60 sh -e scripts/check.sh && cd web && node t.mjs x.js", (path) => files.includes(path));
 * assertEquals(found.map(({ path }) => path), files);
 * ```
 */
export function namedScripts(command: string, isFile: (path: string) => boolean): readonly NamedScript[] {
  const folders = ["."];
  const found = new Map<string, NamedScript>();
  for (const { layer } of findCommands(parseShellCommand(command))) {
    const [, second] = layer.words;
    if (layer.program === "cd" && second?.value !== undefined) folders.push(join(folders.at(-1) ?? ".", second.value));
    const place = (word: ShellWord | undefined): NamedScript | undefined => {
      const name = plainText(word);
      const paths = name === undefined ? [] : folders.map((folder) => join(folder, name));
      const path = paths.findLast(isFile);
      return name === undefined || path === undefined ? undefined : { name, path };
    };
    for (const script of scriptsOf(layer, place)) found.set(`${script.name} ${script.path}`, script);
  }
  return [...found.values()];
}

function scriptsOf(
  { words, program = "", input }: CommandLayer,
  place: (word: ShellWord | undefined) => NamedScript | undefined,
): readonly NamedScript[] {
  const [first] = words;
  const own = plainText(first)?.includes("/") === true ? place(first) : undefined;
  const read = input?.from === "file" ? place(input.word) : undefined;
  const operands = INTERPRETER.test(program) ? operandsOf(words.slice(1), place) : [];
  return [own, read, ...operands].filter((script) => script !== undefined);
}

/** A path in a folder that is itself a path from where the command starts. */
function join(folder: string, name: string): string {
  return name.startsWith("/") ? name : relative(HERE, resolve(HERE, folder, name));
}

/** Any folder that is deep enough. */
const HERE = "/1/2/3/4/5/6/7/8";

/** The first operand that is a file, and what is loaded before it. */
function operandsOf(
  words: readonly ShellWord[],
  place: (word: ShellWord | undefined) => NamedScript | undefined,
): readonly NamedScript[] {
  const found: NamedScript[] = [];
  for (const [index, word] of words.entries()) {
    const text = plainText(word) ?? "";
    if (NO_SCRIPT.test(text)) return found;
    const script = text.startsWith("-") ? undefined : place(word);
    if (script === undefined) continue;
    found.push(script);
    if (!PRELOAD.test(words[index - 1]?.value ?? "")) return found;
  }
  return found;
}

/** Programs that run the first file which they are given, or a program that does. */
const INTERPRETER =
  /^(?:node(?:js)?|deno|bunx?|tsx|ts-node|npx|pnpx|python[\d.]*|pypy[\d.]*|uvx?|poetry|pipenv|ruby|bundle|perl|php|lua[\d.]*|Rscript|pwsh|fish|elixir|groovy)$/;

/** After it comes no script: a text, a module, tests, or another work of the same program. */
const NO_SCRIPT = /^(?:-[cmp]|-[A-Za-z]*e|--(?:eval|print|test)|test|check|fmt|lint|task|install|add|pip|sync)$/;

const PRELOAD = /^(?:-r|--(?:require|import|preload|loader))$/;

/** What the word comes to where the command is run from its own folder; `undefined` where that is not known. */
function plainText(word: ShellWord | undefined): string | undefined {
  if (word?.value !== undefined) return word.value;
  const [first, ...rest] = word?.parts ?? [];
  const isOwnFolder = first?.type === "variable" && /^\$(?:PWD|\{PWD\})$/.test(first.text);
  if (!isOwnFolder || rest.some(({ type }) => type !== "literal")) return undefined;
  return `.${rest.map(({ text }) => text).join("")}`;
}

/** The files of the project's own in which a command's program looks up what to run: `package.json` for `npm`. */
export function projectFiles(command: string): readonly string[] {
  const programs = findCommands(parseShellCommand(command)).map(({ layer }) => layer.program ?? "");
  return [...new Set(programs.flatMap((program) => PROJECT_FILES.get(program) ?? []))];
}

const PROJECT_FILES = new Map<string, readonly string[]>([
  ...["npm", "npx", "pnpm", "yarn", "bun"].map((program) => [program, ["package.json"]] as const),
  ["deno", ["deno.json", "deno.jsonc"]],
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["just", ["justfile"]],
]);
