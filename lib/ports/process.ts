/** A program to run, described before it runs: an argv array, never a shell string. */
export interface CommandSpec {
  /** Program and arguments; the program is looked up on PATH unless it is a path. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Variables that are set for the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default {false} whether only `env` is passed, and nothing of our own environment */
  readonly clearEnv?: boolean;
  /** Text for standard input; without it standard input is empty. */
  readonly stdin?: string;
  /** Milliseconds after which the whole process group is killed. No limit by default. */
  readonly timeoutMs?: number;
  /** @default {1048576} how many bytes are kept of each output stream; what is kept is the tail */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface CommandResult {
  /** The exit code, 128 + n for a signal, 124 after a time limit. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Whether older output was dropped because of `maxOutputBytes`. */
  readonly truncated: boolean;
}

/** Runs programs; the only place of the project that starts a process and waits for its end. */
export interface ProcessRunner {
  /**
   * Runs a program to its end. Whatever the code, it resolves.
   *
   * @throws {Deno.errors.NotFound} when there is no such program
   */
  run(spec: CommandSpec): Promise<CommandResult>;
}

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

/** The real thing, on `Deno.Command`. Each program gets a process group of its own, so that a limit ends its children too. */
export const systemProcessRunner: ProcessRunner = { run: runCommand };

async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  spec.signal?.throwIfAborted();
  const [program, ...args] = spec.argv;
  const child = new Deno.Command(program, {
    args,
    ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    ...(spec.env === undefined ? {} : { env: { ...spec.env } }),
    clearEnv: spec.clearEnv ?? false,
    stdin: spec.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();

  let timedOut = false;
  const killGroup = () => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch { /* the group is already gone */ }
  };
  const timer = spec.timeoutMs === undefined ? undefined : setTimeout(() => {
    timedOut = true;
    killGroup();
  }, spec.timeoutMs);
  spec.signal?.addEventListener("abort", killGroup, { once: true });
  const limit = spec.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  try {
    const [, stdout, stderr, status] = await Promise.all([
      spec.stdin === undefined ? undefined : writeAll(child.stdin, spec.stdin),
      readTail(child.stdout, limit),
      readTail(child.stderr, limit),
      child.status,
    ]);
    spec.signal?.throwIfAborted();
    return {
      code: timedOut ? 124 : status.code,
      stdout: stdout.text,
      stderr: stderr.text,
      timedOut,
      truncated: stdout.truncated || stderr.truncated,
    };
  } finally {
    clearTimeout(timer);
    spec.signal?.removeEventListener("abort", killGroup);
  }
}

async function writeAll(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch { /* a program may end without reading what it was given */ }
}

/** Reads a stream to its end and keeps at most its last `limit` bytes, cut at a character's border. */
async function readTail(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<{ text: string; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let truncated = false;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    while (chunks.length > 1 && size - chunks[0]!.length >= limit) {
      size -= chunks.shift()!.length;
      truncated = true;
    }
  }
  let bytes = concat(chunks, size);
  if (bytes.length > limit) {
    let start = bytes.length - limit;
    while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
    bytes = bytes.subarray(start);
    truncated = true;
  }
  return { text: new TextDecoder().decode(bytes), truncated };
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
