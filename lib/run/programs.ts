import { resolve } from "@std/path/posix";
import type { Argv } from "../base/settings.ts";
import { systemHost } from "../base/ports/host.ts";
import { parseShellCommand } from "../shell/mod.ts";

export interface ProgramPlace {
  readonly folder: string;
  readonly searchPath: string;
}

/** The file of a program, links resolved: by its path, or found on a search path; `undefined` where there is none. */
export function findProgram(program: string, place: ProgramPlace): string | undefined {
  const files = filesNamed(program, place);
  return files.find(isExecutable) ?? files[0];
}

/**
 * Why a program cannot be run, as the rest of "it cannot be run: …"; `undefined` where it can, as far as that shows
 * without running it.
 */
export function programProblem(program: string, place: ProgramPlace): string | undefined {
  const file = findProgram(program, place);
  if (file === undefined) return `there is no program "${program}"${program.includes("/") ? "" : " on PATH"}`;
  return isExecutable(file) ? undefined : `${file} is not executable`;
}

function filesNamed(program: string, place: ProgramPlace): readonly string[] {
  return candidatesOf(program, place).flatMap((file) => systemHost().realFile(file) ?? []);
}

function candidatesOf(program: string, { folder, searchPath }: ProgramPlace): readonly string[] {
  if (program.includes("/")) return [resolve(folder, program)];
  // What of PATH is relative starts from the folder, as when the program is started there.
  return searchPath === "" ? [] : searchPath.split(":").map((each) => `${resolve(folder, each)}/${program}`);
}

function isExecutable(file: string): boolean {
  const { mode } = Deno.statSync(file);
  return mode === null || (mode & 0o111) !== 0;
}

interface CommandProblem {
  /** The rest of "it cannot be run: …". */
  readonly message: string;
  readonly mayCome: boolean;
}

/**
 * Why a test command cannot be run, as far as that shows without running it. Of a text for `sh -c` only what begins it
 * is looked at, up to the first program, and only where nothing before that can change which one it is.
 */
export function commandProblem(command: string | Argv, place: ProgramPlace): CommandProblem | undefined {
  const program = programOf(command);
  const problem = program === undefined ? undefined : programProblem(program, place);
  if (program === undefined || problem === undefined) return undefined;
  const words = program.split(/\s+/);
  const [first = ""] = words;
  const isText = typeof command !== "string" && words.length > 1 && programProblem(first, place) === undefined;
  return {
    message: isText ? `${problem}; as a list, it is ${JSON.stringify([...words, ...command.slice(1)])}` : problem,
    mayCome: program.includes("/") && findProgram(program, place) === undefined &&
      resolve(place.folder, program).startsWith(`${place.folder}/`),
  };
}

/**
 * Whether a test command's own program is missing, and no change of the project has taken it away: it was never to be
 * found below the project's folder.
 */
export function isOutsideProgramGone(command: string | Argv, place: ProgramPlace): boolean {
  const program = programOf(command);
  if (program === undefined || programProblem(program, place) === undefined) return false;
  return candidatesOf(program, place).every((file) => !file.startsWith(`${place.folder}/`));
}

function programOf(command: string | Argv): string | undefined {
  return typeof command === "string" ? programOfText(command) : command[0];
}

const NEUTRAL = new Set([":", "cd", "echo", "set", "true", "ulimit", "umask"]);

/** The other builtins of a POSIX shell, and those of the bash that `sh` may be: no program need be there for them. */
const BUILTINS = new Set(
  ("[ . alias bg break command continue eval exec exit export false fg getopts hash jobs kill local printf pwd read " +
    "readonly return shift test times trap type unalias unset wait bind builtin caller compgen complete declare dirs " +
    "disown enable fc help history let logout mapfile popd pushd readarray shopt source suspend time typeset").split(
      " ",
    ),
);

/** The program that a shell text runs first; `undefined` where that is not certain. */
export function programOfText(text: string): string | undefined {
  const { commands, undecidable, problem } = parseShellCommand(text);
  if (problem !== undefined || undecidable.length > 0) return undefined;
  // What stands before the first command, as `if` or `!`, decides what its end means.
  if (text.slice(0, commands[0]?.start ?? 0).trim() !== "") return undefined;
  if (commands.some(({ precededBy, scope }, index) => scope !== 0 || (index > 0 && precededBy !== "&&"))) {
    return undefined;
  }
  let isElsewhere = false;
  for (const { words: [word], assignments } of commands) {
    const name = word?.expansions.length === 0 ? word.value : undefined;
    if (name === undefined || assignments.some((each) => each.name === "PATH")) return undefined;
    if (!NEUTRAL.has(name)) {
      return BUILTINS.has(name) || (isElsewhere && name.includes("/")) ? undefined : name;
    }
    isElsewhere ||= name === "cd";
  }
  return undefined;
}
