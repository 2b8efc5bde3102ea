import { systemClock } from "./clock.ts";
import { present } from "../schema.ts";
import { inOwnGroup } from "./own_group.ts";
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
