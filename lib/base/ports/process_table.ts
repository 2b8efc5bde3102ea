import { RuntimeError } from "../errors.ts";
import { type ProcessRunner, systemProcessRunner } from "./process.ts";

export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** When it started, in the system's own notation; equal for the same process only. */
  readonly startTime: string;
  /** Whether it has ended and its parent has not collected its exit code yet. */
  readonly zombie: boolean;
}

/**
 * What a program prints that is started with a file of /proc of each process: Deno grants /proc to `--allow-all` only, and
 * minimal images have no `ps`. Of `cmdline`, which all may read, with those of this user's processes.
 */
export async function readProc(
  file: "stat" | "environ" | "cmdline",
  program: readonly string[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<string> {
  const own = ["-user", String(Deno.uid() ?? 0)];
  const { code, stdout } = await runner.run({
    argv: file === "cmdline"
      ? ["find", "/proc", "-maxdepth", "2", "-path", "/proc/[0-9]*/cmdline", ...own, "-exec", ...program, "{}", "+"]
      // `find` would look into the folders of all processes.
      : ["sh", "-c", `exec "$@" /proc/[0-9]*/${file}`, "sh", ...program],
    // This process's own working directory may have been removed.
    cwd: "/",
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (CANNOT_RUN.has(code)) {
    throw new RuntimeError(`Cannot read the processes of this machine: ${program[0]} cannot run`);
  }
  return stdout;
}

/** What a shell ends with where it cannot run a program: it is not there, or gets more than it can take. */
const CANNOT_RUN: ReadonlySet<number> = new Set([126, 127]);

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Lists the processes of this machine. */
export async function listProcesses(runner: ProcessRunner = systemProcessRunner): Promise<ProcessInfo[]> {
  if (Deno.build.os === "linux") {
    return (await readProc("stat", ["cat"], runner)).split("\n").flatMap((line) => parseProcStat(line) ?? []);
  }
  const { stdout } = await runner.run({
    argv: ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="],
    env: { LC_ALL: "C" },
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return stdout.split("\n").flatMap((line) => parsePsLine(line) ?? []);
}

/**
 * The distinct values of these variables in the environments of this user's processes, in one reading.
 *
 * Linux only: elsewhere the environments of other processes cannot be read, and the result is empty.
 *
 * @param names of variables: letters, digits and `_`
 */
export async function listMarkValues(names: readonly string[]): Promise<ReadonlySet<string>> {
  if (Deno.build.os !== "linux") return new Set();
  // An environment is a list of entries that end with a zero byte, which `-z` reads as lines.
  const found = await readProc("environ", ["grep", "-zashE", `^(${names.join("|")})=`]);
  return new Set(found.split("\0").flatMap((entry) => entry.replace(/^\w+=/, "") || []));
}

/**
 * The processes of this user with an entry in their environment that matches this pattern of `grep -E`, from its
 * beginning to its end.
 *
 * Linux only: elsewhere the environments of other processes cannot be read, and the result is empty.
 */
export async function findPidsByEntry(pattern: string): Promise<ReadonlySet<number>> {
  if (Deno.build.os !== "linux") return new Set();
  const found = await readProc("environ", ["grep", "-lszxE", "-e", pattern]);
  return new Set(found.split("\n").flatMap((path) => /^\/proc\/(\d+)\/environ$/.exec(path)?.[1] ?? []).map(Number));
}

/** A process with its start time; undefined if it is not running. */
export async function findProcess(
  pid: number,
  runner: ProcessRunner = systemProcessRunner,
): Promise<ProcessInfo | undefined> {
  if (Deno.build.os !== "linux") return (await listProcesses(runner)).find((one) => one.pid === pid && !one.zombie);
  const { stdout } = await runner.run({ argv: ["cat", `/proc/${pid}/stat`] });
  const found = parseProcStat(stdout.trim());
  return found?.zombie ? undefined : found;
}

/** The processes below one process, the process itself first. */
export function processTree(all: readonly ProcessInfo[], rootPid: number): ProcessInfo[] {
  const tree = all.filter((one) => one.pid === rootPid);
  const seen = new Set([rootPid]);
  for (let index = 0; index < tree.length; index++) {
    for (const one of all) {
      if (one.parentPid !== tree[index]!.pid || seen.has(one.pid)) continue;
      seen.add(one.pid);
      tree.push(one);
    }
  }
  return tree;
}

/**
 * The ids that processes know themselves by, of those that are in a namespace of process ids, such as that of a sandbox.
 *
 * Linux only: elsewhere the result is empty.
 */
export async function listInnerPids(
  pids: readonly number[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<ReadonlyMap<number, number>> {
  if (Deno.build.os !== "linux" || pids.length === 0) return new Map();
  const { stdout } = await runner.run({
    argv: ["grep", "-Hs", "^NSpid:", ...pids.map((pid) => `/proc/${pid}/status`)],
  });
  const lines = stdout.matchAll(/^\/proc\/(\d+)\/status:NSpid:(?:\s+\d+)+\s+(\d+)$/gm);
  return new Map([...lines].map(([, pid, inner]) => [Number(pid), Number(inner)]));
}

/** Reads one line of `/proc/PID/stat` (proc(5)): the name in parentheses may hold spaces and parentheses itself. */
function parseProcStat(line: string): ProcessInfo | undefined {
  const nameEnd = line.lastIndexOf(")");
  if (nameEnd < 0) return undefined;
  const fields = line.slice(nameEnd + 1).trim().split(/\s+/);
  const [state, parentPid, groupId] = fields;
  const startTime = fields[19];
  const pid = Number.parseInt(line, 10);
  if (startTime === undefined || Number.isNaN(pid)) return undefined;
  return { pid, parentPid: Number(parentPid), groupId: Number(groupId), startTime, zombie: state === "Z" };
}

/** Reads one line of `ps -A -o pid=,ppid=,pgid=,stat=,lstart=`. */
function parsePsLine(line: string): ProcessInfo | undefined {
  const [pid, parentPid, groupId, state, ...start] = line.trim().split(/\s+/);
  if (state === undefined || start.length === 0) return undefined;
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    startTime: start.join(" "),
    zombie: state.startsWith("Z"),
  };
}

/**
 * The files that processes have open, as absolute paths; a process that has ended has none.
 *
 * Linux only: elsewhere the result is empty. /proc is read through `find` and `readlink`, since Deno grants it to
 * `--allow-all` only.
 */
export async function listOpenFiles(
  pids: readonly number[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<string[]> {
  if (Deno.build.os !== "linux" || pids.length === 0) return [];
  const folders = pids.map((pid) => `/proc/${pid}/fd`);
  const { stdout } = await runner.run({
    argv: ["find", ...folders, "-maxdepth", "1", "-type", "l", "-exec", "readlink", "{}", "+"],
  });
  return [...new Set(stdout.split("\n").filter((path) => path.startsWith("/")))];
}

/**
 * Whether a process has a file open, by whatever name; false where it has ended, or is another user's.
 *
 * Linux only: elsewhere it is false.
 */
export async function hasFileOpen(
  pid: number,
  path: string,
  runner: ProcessRunner = systemProcessRunner,
): Promise<boolean> {
  return (await pidsWithFile(path, [pid], runner)).length > 0;
}

/** Those of these processes that have a file open, as {@linkcode hasFileOpen} has it. */
export async function pidsWithFile(
  path: string,
  pids: readonly number[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<readonly number[]> {
  if (Deno.build.os !== "linux" || pids.length === 0) return [];
  const folders = pids.map((pid) => `/proc/${pid}/fd`);
  const { stdout } = await runner.run({ argv: ["find", "-L", ...folders, "-maxdepth", "1", "-samefile", path] });
  return [...new Set([...stdout.matchAll(/^\/proc\/(\d+)\//gm)].map(([, pid]) => Number(pid)))];
}
