import { signalChild, writeInput } from "./process.ts";
import { keepTail } from "./tail.ts";

interface DetachedSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Variables besides those of this process. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  /** Text for standard input; without it standard input is empty. */
  readonly stdin?: string;
  /** Told what it writes to standard error before its word. */
  readonly onStderr?: (text: string) => void;
  /** Whether it lives on after its word; where it does not, its end is waited for. @default {it always does} */
  readonly livesOn?: (line: string) => boolean;
  /** Is given what waits until the program has ended: this process does not, where nobody asks. */
  readonly onStarted?: (ended: () => Promise<void>) => void;
  /** Tells the program to end (SIGTERM), if it has not said its word. */
  readonly signal?: AbortSignal;
}

interface DetachedWord {
  /** Its first line of standard output; undefined where it has ended without one. */
  readonly line: string | undefined;
  /** The exit code, where it has ended without a line. */
  readonly exitCode: number | undefined;
}

/** More than a first line has. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Starts a program in a session of its own, without a terminal, and waits for its first line of standard output. It does
 * not end with this process; what it writes later goes nowhere.
 *
 * @throws {Deno.errors.NotFound} when there is no such program
 * @throws the signal's reason when it is aborted
 */
export async function startDetachedProcess(spec: DetachedSpec): Promise<DetachedWord> {
  const { argv: [program, ...args], cwd, env = {}, stdin, onStderr, livesOn = () => true, onStarted, signal } = spec;
  signal?.throwIfAborted();
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { ...env },
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  onStarted?.(async () => {
    child.ref();
    await child.status;
  });
  const end = () => signalChild(child, "SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  const stdout = child.stdout.getReader();
  const stderr = child.stderr.getReader();
  const told = tellAll(stderr, onStderr ?? (() => {}));
  try {
    if (stdin !== undefined) await writeInput(child.stdin, stdin);
    const line = await readLine(stdout);
    const exitCode = line === undefined ? (await child.status).code : undefined;
    if (line === undefined) await told;
    else if (!livesOn(line)) await child.status;
    signal?.throwIfAborted();
    return { line, exitCode };
  } finally {
    signal?.removeEventListener("abort", end);
    await Promise.all([stdout.cancel().catch(() => {}), stderr.cancel().catch(() => {})]);
    child.unref();
  }
}

async function tellAll(reader: ReadableStreamDefaultReader<Uint8Array>, tell: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      tell(decoder.decode(next.value, { stream: true }));
    }
  } catch { /* what it says is not worth more than what it does */ }
}

/** Undefined at the end of the output. */
async function readLine(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { push, text } = keepTail(MAX_LINE_BYTES);
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    push(next.value);
    if (next.value.includes(NEWLINE)) return text().split("\n", 1)[0];
  }
  return undefined;
}

const NEWLINE = 0x0a;

/**
 * Says the first line to whoever has started this process, in one piece. Nobody need be there any more: that is no
 * reason to end.
 */
export function sayFirstLine(line: string): void {
  let bytes = new TextEncoder().encode(line);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  } catch { /* see above */ }
}
