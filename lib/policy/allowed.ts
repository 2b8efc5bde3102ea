import type { ShellWord } from "../shell/mod.ts";
import type { PermissionContext } from "./matter.ts";
import type { PossibleFolders } from "./folders.ts";
import type { InspectedWrite, Inspection } from "./inspect/inspection.ts";
import { type KnownWord, matchPath, meansCommand } from "./pattern.ts";
import { gitCommandAt, PLAIN_GLOBAL, runsProject } from "./programs/mod.ts";
import { concernsKind, concernsWrites, type RuleLists } from "./rule_lists.ts";
import { knownWord, normalSpellings } from "./spellings.ts";

interface AllowContext extends Pick<PermissionContext, "policy" | "workdir" | "home"> {
  readonly lists: RuleLists;
}

/**
 * Whether an entry of `allow` names a command, with every word in it that asks for what is not harmless. `naming` is a
 * text that the entry must have in it.
 */
export type AllowMatch = (
  words: readonly (ShellWord | undefined)[],
  folders: PossibleFolders,
  naming?: string,
) => boolean;

export function allowMatch({ kind, reads, writes, ...found }: Inspection, context: AllowContext): AllowMatch {
  const { workdir, home, lists } = context;
  const named = new Map(found.named);
  for (const { word } of reads) if (word !== undefined) named.set(word, PATH_BEGINNING);
  for (const write of writes) {
    if (typeof write.by === "object" && !isWritable(write, context)) named.set(write.by, PATH_BEGINNING);
  }
  return (words, folders, naming = "") => {
    const known = words.map((word): KnownWord => {
      const literal = word === undefined ? undefined : named.get(word);
      const found = knownWord(word, { workdir, folders });
      return literal === undefined ? found : { ...found, literal };
    });
    return readingsOf(known, home).some((reading) =>
      lists.allow.commands(reading[0]?.value).some((listed) =>
        listed.rule.command?.includes(naming) && concernsKind(listed, kind) &&
        meansCommand(listed.pattern(), reading)
      )
    );
  };
}

/** How much of a path a rule must spell out that names it: `/e**` does, `/**` does not. */
const PATH_BEGINNING = 2;

/** A command as it is written; a program of the system without its folder; git without options that are harmless. */
function readingsOf(words: readonly KnownWord[], home: string | undefined): readonly (readonly KnownWord[])[] {
  const [first, ...rest] = words;
  const program = first?.value ?? "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  const folder = program.slice(0, Math.max(program.lastIndexOf("/"), 0));
  const own = home !== undefined && OWN_FOLDERS.some((below) => folder === `${home}/${below}`);
  const plain = own || SYSTEM_FOLDERS.includes(folder) ? [{ value: name }, ...rest] : words;
  const tool = projectTool(words[0]);
  if (tool !== undefined) return [words, [{ value: tool }, ...rest], [{ value: "npx" }, { value: tool }, ...rest]];
  const git = name === "git" && (plain[0]?.value ?? "") === "git" ? withoutGitOptions(plain) : plain;
  return [...new Set([words, plain, git])];
}

const SYSTEM_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const OWN_FOLDERS = [".cargo/bin", ".deno/bin", ".bun/bin", "go/bin", ".local/bin"];

/** `.venv/bin/pytest` is a `pytest`: what runs the project's code anyway, where the project has it installed. */
function projectTool(word: KnownWord | undefined): string | undefined {
  const { value = "", paths = [] } = word ?? {};
  const own = paths.filter((path) => !path.startsWith("/"));
  const [, tool] = [value, ...own].map((path) => PROJECT_TOOL.exec(path)).find((found) => found !== null) ?? [];
  return tool !== undefined && own.length > 0 && runsProject(tool) ? tool : undefined;
}

const PROJECT_TOOL = /^(?:\.\/)?(?:\.?venv\/bin|node_modules\/\.bin)\/([\w.-]+)$/;

/** Fewer than git has: the value of another one counts as the command, which an entry must then name. */
const GIT_VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace))$/;

/** git without its options before the command, as far as none of them must be named. */
function withoutGitOptions(words: readonly KnownWord[]): readonly KnownWord[] {
  const at = gitCommandAt(words, GIT_VALUED);
  const options = words.slice(1, at).filter((_, index, all) => !GIT_VALUED.test(all[index - 1]?.value ?? ""));
  if (words.slice(1, at).some(({ literal }) => literal !== undefined)) return words;
  if (!options.every(({ value }) => PLAIN_GLOBAL.test(value ?? ""))) return words;
  return [...words.slice(0, 1), ...words.slice(at)];
}

function isWritable({ paths, defines }: InspectedWrite, { policy, workdir, lists }: AllowContext): boolean {
  const rules = [...lists.allow.paths, ...lists.allow.whole].filter(concernsWrites)
    .filter(({ rule }) => !defines || (rule.path !== undefined && !/[*?]/.test(rule.path)));
  return paths.every((path) =>
    (!defines && (policy.writable ?? []).some((folder) => path.startsWith(`${folder}/`))) ||
    rules.some(({ rule, pattern }) =>
      rule.path === undefined || matchPath(pattern(), normalSpellings(path, { workdir, folders: [workdir] }))
    )
  );
}

/**
 * The first command that no rule of `allow` names. What only runs another command needs no rule of its own, nor does
 * what touches nothing but the shell; nor do variables, as those that matter are in doubt already.
 */
export function unnamedCommand(
  { commands, reads, writes }: Inspection,
  match: AllowMatch,
  context: AllowContext,
): string | undefined {
  for (const { command, layers, folders, harmless } of commands) {
    if (harmless) continue;
    const assignments = command.assignments.map(({ word }) => word);
    for (const { words, moreWords, transparent } of layers) {
      const all = moreWords ? [...words, undefined] : words;
      // An entry may name the variables, too.
      const isNamed = () =>
        match(all, folders) || (words === command.words && match([...assignments, ...all], folders));
      if (!transparent && !isNamed()) return all.map((word) => word?.source ?? "…").join(" ");
    }
  }
  const write = writes.find((one) => one.by === "redirection" && !isWritable(one, context));
  if (write !== undefined) return `that ${write.message}`;
  const read = reads.find(({ word }) => word === undefined);
  return read === undefined ? undefined : `that ${read.message}`;
}

/** The first file that no rule of `allow` names; an empty text where there is none at all. */
export function unnamedPath({ kind, files }: Inspection, { workdir, lists }: AllowContext): string | undefined {
  const rules = lists.allow.paths.filter((listed) => concernsKind(listed, kind));
  if (files.length === 0) return "";
  return files.find((path) =>
    !rules.some(({ pattern }) => matchPath(pattern(), normalSpellings(path, { workdir, folders: [workdir] })))
  );
}
