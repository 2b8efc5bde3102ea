import { type ProcessInfo, processTree } from "../base/ports/process_table.ts";
import { type CommandPattern, matchCommand, parseCommandPattern } from "../policy/mod.ts";
import { parseShellCommand, shellJoin } from "../shell/mod.ts";

// What an agent leaves running when its turn ends: its commands, told apart from the helpers of its CLI.

/** The processes of an agent, at one look. */
export interface AgentProcesses {
  /** The process of its CLI, whether that still runs or not. */
  readonly root: number;
  /** All that has come out of it and still runs. */
  readonly own: readonly ProcessInfo[];
}

/** What is known of processes, besides what the process table tells. */
export interface ProcessFacts {
  /** Those that have a variable which CLIs give to commands alone. */
  readonly ofCommands: ReadonlySet<number>;
  readonly argvOf: ReadonlyMap<number, readonly string[]>;
}

/** A command that is left running, with all that it has started. */
export interface LeftCommand {
  /** Whether it is certain that this is a command of the agent, and no helper of its CLI. */
  readonly isCertain: boolean;
  readonly processes: readonly ProcessInfo[];
  /** What people would call it: the command lines below the shells that have run it. */
  readonly named: readonly { readonly pid: number; readonly command: string }[];
}

/**
 * The commands among an agent's processes. A command is certain where it has a variable that CLIs give to commands
 * alone, is not in the CLI's own group, and the CLI itself has no such variable. What has lost its parents without such
 * a variable, or runs in a shell of its own below a CLI that has one itself, may be a command as well as a helper.
 */
export function findLeftCommands(
  { root, own }: AgentProcesses,
  { ofCommands, argvOf }: ProcessFacts,
): readonly LeftCommand[] {
  const running = own.filter(({ pid, zombie }) => !zombie && pid !== root);
  const byPid = new Map(own.map((one) => [one.pid, one]));
  const isAlive = byPid.get(root)?.zombie === false;
  const group = byPid.get(root)?.groupId ?? root;
  const canTell = !ofCommands.has(root);
  const isCertain = ({ pid, groupId }: ProcessInfo) => canTell && ofCommands.has(pid) && groupId !== group;
  const isBelow = ({ parentPid }: ProcessInfo) => byPid.has(parentPid);
  const isPossible = (one: ProcessInfo) =>
    isAlive && one.groupId !== group && (!isBelow(one) || !canTell && isShell(argvOf.get(one.pid)));
  const taken = new Set<number>();
  const found: LeftCommand[] = [];
  for (const [certain, isMeant] of [[true, isCertain], [false, isPossible]] as const) {
    for (const one of running.filter(isMeant)) {
      const above = byPid.get(one.parentPid);
      if (taken.has(one.pid) || above !== undefined && above.pid !== root && isMeant(above)) continue;
      const processes = processTree(own, one.pid).filter(({ pid, zombie }) => !zombie && !taken.has(pid));
      for (const { pid } of processes) taken.add(pid);
      found.push({ isCertain: certain, processes, named: nameCommands(one, { processes, argvOf }) });
    }
  }
  return found;
}

const SHELLS = ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish"];

function isShell(argv: readonly string[] | undefined): boolean {
  const [program = "", option = ""] = argv ?? [];
  return SHELLS.includes(nameOf(program)) && /^-[a-z]*c$/.test(option);
}

function nameCommands(
  top: ProcessInfo,
  { processes, argvOf }: Pick<LeftCommand, "processes"> & Pick<ProcessFacts, "argvOf">,
): LeftCommand["named"] {
  const argv = argvOf.get(top.pid);
  const children = processes.filter(({ parentPid }) => parentPid === top.pid);
  if (isShell(argv) && children.length > 0) {
    return children.flatMap((child) => nameCommands(child, { processes, argvOf }));
  }
  return [{ pid: top.pid, command: commandText(argv) }];
}

const MAX_COMMAND_CHARS = 500;

function commandText(argv: readonly string[] = []): string {
  const [program = "", ...args] = argv;
  // A program that has given itself a title has that as its only argument.
  const text = args.length === 0 ? program : shellJoin([nameOf(program), ...args]);
  return text === "" ? "a command whose words are not known" : text.slice(0, MAX_COMMAND_CHARS);
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Whether a person has named a command by one of these patterns, whichever of its processes has the words. */
export function isNamed(
  { processes }: Pick<LeftCommand, "processes">,
  { patterns, argvOf }: Pick<ProcessFacts, "argvOf"> & { readonly patterns: readonly string[] },
): boolean {
  const parsed: readonly CommandPattern[] = patterns.map(parseCommandPattern);
  return processes.some(({ pid }) =>
    readingsOf(argvOf.get(pid) ?? []).some((words) =>
      parsed.some((pattern) => matchCommand(pattern, words.map((value) => ({ value })), { loose: true }) === "yes")
    )
  );
}

const INTERPRETERS = /^(?:node|deno|bun|perl|ruby|php|python[\d.]*|(?:ba|da|z|a|k|fi)?sh)$/;

/** A command's words; those of a title; and of a script, without what interprets it. */
function readingsOf(argv: readonly string[]): readonly (readonly string[])[] {
  const [program = "", first = "", ...rest] = argv;
  if (argv.length === 1) {
    const { commands: [command] } = parseShellCommand(program);
    const words = command?.words.map(({ parts }) => parts.map(({ text }) => text).join("")) ?? [];
    return words.length > 1 ? [words, argv] : [argv];
  }
  const isScript = INTERPRETERS.test(nameOf(program)) && first !== "" && !first.startsWith("-");
  return isScript ? [argv, [first, ...rest]] : [argv];
}
