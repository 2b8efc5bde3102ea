import { checkOutput } from "./check_output.ts";

/** A program under test, started with nothing but the environment that it is given. */
export interface RunningProgram extends AsyncDisposable {
  readonly pid: number;
  /** What it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  kill(signal: Deno.Signal): void;
  /** Reads no more of what it writes: what it has started may still hold it open when the program itself has ended. */
  closeOutput(): Promise<void>;
  /** Resolves when it has ended and all its output was read. */
  readonly ended: Promise<ProgramResult>;
}

/** How a program under test ended. */
export interface ProgramResult {
  /** The exit code; 128 + n after a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program under test is started. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program under test; what is still running when it is disposed of is killed. */
export function startProgram(argv: readonly [string, ...string[]], options: ProgramOptions): RunningProgram {
  const [program, ...args] = argv;
  const child = new Deno.Command(program, {
    args,
    cwd: options.cwd,
    env: { ...options.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = { stdout: "", stderr: "" };
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  const collect = async (stream: ReadableStream<Uint8Array>, name: "stdout" | "stderr") => {
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    readers.push(reader);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      output[name] += decoder.decode(next.value, { stream: true });
    }
  };
  let running = true;
  const ended = (async () => {
    const [status] = await Promise.all([
      child.status,
      collect(child.stdout, "stdout"),
      collect(child.stderr, "stderr"),
    ]);
    running = false;
    const main = args.findIndex((arg) => /\/(?:main\.ts|panewright\.mjs)$/.test(arg));
    if (main >= 0) checkOutput(args.slice(main + 1), output.stdout);
    return { code: status.code, ...output };
  })();
  return {
    pid: child.pid,
    output,
    ended,
    kill: (signal) => child.kill(signal),
    async closeOutput() {
      for (const reader of readers) await reader.cancel();
    },
    async [Symbol.asyncDispose]() {
      try {
        if (running) child.kill("SIGKILL");
      } catch { /* It ended this moment: an error here would hide the test's own. */ }
      await ended;
    },
  };
}

/**
 * Runs a program under test to its end, or kills it.
 *
 * @throws {Error} Where it has ended itself, and what it has started still holds its output open after that time.
 */
export async function runProgram(
  argv: readonly [string, ...string[]],
  options: ProgramOptions & { readonly timeoutMs: number },
): Promise<ProgramResult> {
  await using program = startProgram(argv, options);
  let isLeft = false;
  const timer = setTimeout(() => {
    try {
      program.kill("SIGKILL");
    } catch {
      isLeft = true;
      void program.closeOutput();
    }
  }, options.timeoutMs);
  try {
    const result = await program.ended;
    if (isLeft) throw new Error(`What ${argv.join(" ")} started holds its output open: ${JSON.stringify(result)}`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}
