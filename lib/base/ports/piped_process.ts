import { present } from "../schema.ts";
import { signalChild } from "./process.ts";

/** A program that we exchange data with while it runs. */
interface PipedProcessSpec {
  /** Program and arguments; the program is looked up on PATH unless it is a path. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** @default that of this process */
  readonly cwd?: string;
}

export interface PipedProcess {
  readonly pid: number;
  /** Chunks of standard output, to be read once and to the end. A chunk is valid until the next one is requested. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Resolves once the program has taken the bytes; rejects when it has closed its input. */
  write(bytes: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  /** Resolves to the exit code, 128 + n for a signal. */
  readonly ended: Promise<number>;
  /** Tells the program to end (SIGTERM). */
  end(): void;
  /** Sends SIGKILL, for a program that does not end on its own. */
  kill(): void;
}

export type StartPipedProcess = (spec: PipedProcessSpec) => PipedProcess;

/**
 * Starts a program in a process group of its own, so that Ctrl-C in our terminal does not reach it.
 *
 * @throws {Deno.errors.NotFound} when there is no such program
 */
export function startPipedProcess(spec: PipedProcessSpec): PipedProcess {
  const [program, ...args] = spec.argv;
  const child = new Deno.Command(program, {
    args,
    ...present({ cwd: spec.cwd }),
    env: { ...spec.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const writer = child.stdin.getWriter();
  // Each write reports its own failure.
  writer.closed.catch(() => {});
  return {
    pid: child.pid,
    stdout: readPieces(child.stdout),
    write: (bytes) => writer.write(bytes),
    closeStdin: () => writer.close().catch(() => {}),
    ended: child.status.then(({ code }) => code),
    end: () => signalChild(child, "SIGTERM"),
    kill: () => signalChild(child, "SIGKILL"),
  };
}

const BUFFER_BYTES = 64 * 1024;

/** Reads into the same buffer again and again: a new one per chunk would be megabytes of garbage a second. */
async function* readPieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    const { done, value } = await reader.read(buffer);
    if (done) return;
    yield value;
    buffer = new Uint8Array(value.buffer);
  }
}
