import { systemClock } from "./clock.ts";
import { present } from "../schema.ts";
import { keepTail, type Tail } from "./tail.ts";

/** Variables by which ssh and its tools fail where they would ask for a passphrase: nobody may be there. */
export const UNASKED = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" } as const;

/** A program to run, described before it runs: an argv array, never a shell string. */
export interface CommandSpec {
  /** Program and arguments; the program is looked up on PATH unless it is a path. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default {false} whether only `env` is passed, and nothing of our own environment */
  readonly clearEnv?: boolean;
  /** Text for standard input; without it standard input is empty. */
  readonly stdin?: string;
  /** Time limit in milliseconds, after which the whole process group is killed. No limit by default. */
  readonly timeoutMs?: number;
  /** @default {1048576} how many bytes of each output stream are kept, counted from its end */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  /** The exit code, 128 + n for a signal, 124 after a time limit. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Whether older output was dropped because of `maxOutputBytes`. */
  readonly truncated: boolean;
}

/** Runs programs to completion. Only the files of this folder start processes. */
export interface ProcessRunner {
  /**
   * Runs a program to completion. Resolves whatever the exit code is.
   *
   * @throws {Deno.errors.NotFound} when there is no such program
   */
  run(spec: CommandSpec): Promise<CommandResult>;
}

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

/** How long processes that a program left running may keep writing to its output. */
const LEFTOVER_GRACE_MS = 500;

/** Runs programs with `Deno.Command`, each in a process group of its own, so that a limit ends its children too. */
export const systemProcessRunner: ProcessRunner = { run: runCommand };

async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  spec.signal?.throwIfAborted();
  const { argv: [program, ...args], detached } = inOwnGroup(spec);
  const child = new Deno.Command(program, {
    args,
    ...present({ cwd: spec.cwd }),
    ...(spec.env === undefined ? {} : { env: { ...spec.env } }),
    clearEnv: spec.clearEnv ?? false,
    stdin: spec.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached,
  }).spawn();

  let timedOut = false;
  const killGroup = () => {
    trySignal(-child.pid, "SIGKILL");
    // It may not be in its own group yet.
    signalChild(child, "SIGKILL");
  };
  const ended = new AbortController();
  if (spec.timeoutMs !== undefined) {
    // Not a plain timer: one that expired while this process was stopped would be seen before the end of the program.
    systemClock.sleep(spec.timeoutMs, ended.signal).then(() => {
      timedOut = true;
      killGroup();
    }, () => {});
  }
  spec.signal?.addEventListener("abort", killGroup, { once: true });
  const limit = spec.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const stdout = readTail(child.stdout, limit);
  const stderr = readTail(child.stderr, limit);
  try {
    if (spec.stdin !== undefined) await writeInput(child.stdin, spec.stdin);
    const status = await child.status;
    await endLeftovers([stdout, stderr], killGroup);
    spec.signal?.throwIfAborted();
    return {
      code: timedOut ? 124 : status.code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timedOut,
      truncated: stdout.truncated() || stderr.truncated(),
    };
  } finally {
    ended.abort();
    spec.signal?.removeEventListener("abort", killGroup);
  }
}

/** Of util-linux and of busybox: runs a program in a session of its own, in its own place. */
const SETSID = "/usr/bin/setsid";

/**
 * What starts a program in a process group of its own. Where `detached` does that, this process is copied first, with all
 * its memory; a program that does it takes a fraction of that time. For a moment the program is in our own group then.
 */
function inOwnGroup(
  { argv, clearEnv = false, env }: CommandSpec,
): Pick<CommandSpec, "argv"> & { readonly detached: boolean } {
  const [program, ...args] = argv;
  const searchPath = env?.["PATH"] ?? (clearEnv ? undefined : Deno.env.get("PATH"));
  const file = Deno.build.os === "linux" && isProgram(SETSID) ? fileOf(program, searchPath ?? "") : undefined;
  return file === undefined ? { argv, detached: true } : { argv: [SETSID, file, ...args], detached: false };
}

/** The file of a program; `undefined` where it is no binary, or a relative path may lead to it. */
function fileOf(program: string, searchPath: string): string | undefined {
  const folders = searchPath.split(":");
  const files = program.includes("/") ? [program] : folders.map((folder) => `${folder || "."}/${program}`);
  const found = files.every((file) => file.startsWith("/")) ? files.find(isProgram) : undefined;
  return found !== undefined && isBinary(found) ? found : undefined;
}

function isProgram(file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(file);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Whether a program is run as it is: what a script is run by may be missing, which only its own start tells. */
function isBinary(file: string): boolean {
  try {
    using opened = Deno.openSync(file);
    const bytes = new Uint8Array(ELF.length);
    return opened.readSync(bytes) === bytes.length && ELF.every((byte, index) => bytes[index] === byte);
  } catch {
    return false;
  }
}

const ELF = [0x7f, 0x45, 0x4c, 0x46];

/**
 * A program may leave children behind that keep its output open. They get a moment to end; then they are killed, and
 * output of those in another process group is no longer read.
 */
async function endLeftovers(readers: readonly TailReader[], killGroup: () => void): Promise<void> {
  const timer = setTimeout(() => {
    killGroup();
    for (const reader of readers) reader.stop();
  }, LEFTOVER_GRACE_MS);
  await Promise.all(readers.map((reader) => reader.done));
  clearTimeout(timer);
}

/**
 * Runs a program to completion while everything else waits: only for a last act before this process exits.
 *
 * @returns the exit code; 127 where there is no such program
 */
export function runCommandSync(spec: Pick<CommandSpec, "argv" | "env" | "clearEnv">): number {
  const [program, ...args] = spec.argv;
  try {
    return new Deno.Command(program, {
      args,
      ...(spec.env === undefined ? {} : { env: { ...spec.env } }),
      clearEnv: spec.clearEnv ?? false,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).outputSync().code;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 127;
    throw error;
  }
}

/** Reads a stream to its end, and keeps its last bytes. */
interface TailReader extends Pick<Tail, "text" | "truncated"> {
  readonly done: Promise<void>;
  /** Stops reading before the end. */
  stop(): void;
}

function readTail(stream: ReadableStream<Uint8Array>, limit: number): TailReader {
  const reader = stream.getReader();
  const { push, text, truncated } = keepTail(limit);
  const readAll = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) push(next.value);
  };
  return { done: readAll(), stop: () => void reader.cancel().catch(() => {}), text, truncated };
}

interface ForegroundSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default {false} whether only `env` is passed, and nothing of our own environment */
  readonly clearEnv?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Runs a program to completion in the terminal of this process. It stays in our process group, so that it may use the
 * terminal.
 *
 * @returns the exit code, 128 + n for a signal
 * @throws {Deno.errors.NotFound} when there is no such program
 */
export async function runInForeground(spec: ForegroundSpec): Promise<number> {
  const { argv: [program, ...args], cwd, env, clearEnv = false, signal } = spec;
  signal?.throwIfAborted();
  const child = new Deno.Command(program, {
    args,
    ...present({ cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    clearEnv,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const end = () => signalChild(child, "SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  try {
    return (await child.status).code;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** Writes all that a program is given on its standard input, and closes that. Never rejects. */
export async function writeInput(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch { /* a program may end without reading what it was given */ }
}

/** Sends a signal to a process, or with a negative id to a process group, that may have ended meanwhile. */
export function trySignal(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch { /* it ended between the look and the signal */ }
}

/** Sends a signal to a child, unless it has ended: its process id may be another's by then. */
export function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch { /* it has ended meanwhile */ }
}
