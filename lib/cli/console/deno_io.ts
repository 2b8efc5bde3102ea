import { PanewrightError } from "../../base/errors.ts";
import type { Watchdog } from "../../base/ports/watchdog.ts";
import { errorText } from "../../base/text/error_text.ts";
import { type CliIo, Interruption, type TerminalInput } from "./command.ts";

interface DenoIoOptions {
  readonly signal: AbortSignal;
  /** Called once, when the reader of stdout is gone, or nothing can be written there: what is told then is lost. */
  onClosedStdout(reason: Interruption | PanewrightError): void;
  readonly forcedExitActs: Set<() => void>;
  readonly watchdog: Watchdog;
}

const STDIN = { maxBytes: 256 * 1024 ** 2, what: "standard input" };

export function denoIo(options: DenoIoOptions): CliIo {
  let stdoutClosed = false;
  return {
    stdout(text) {
      if (stdoutClosed) return;
      try {
        writeFully(Deno.stdout, text);
      } catch (error) {
        stdoutClosed = true;
        options.onClosedStdout(
          error instanceof Deno.errors.BrokenPipe
            ? new Interruption("SIGPIPE")
            : new PanewrightError(`Cannot write to standard output: ${errorText(error)}`, { cause: error }),
        );
      }
    },
    stderr(text) {
      try {
        writeFully(Deno.stderr, text);
      } catch { /* nobody is left to read it */ }
    },
    env: (name) => Deno.env.get(name),
    envNames: () => Object.keys(Deno.env.toObject()),
    get cwd() {
      return Deno.cwd();
    },
    isTerminal: {
      stdin: Deno.stdin.isTerminal(),
      stdout: Deno.stdout.isTerminal(),
      stderr: Deno.stderr.isTerminal(),
    },
    columns: () => consoleSize().columns || DEFAULT_SIZE.columns,
    rows: () => consoleSize().rows || DEFAULT_SIZE.rows,
    signal: options.signal,
    async readStdin() {
      const [{ joinBounded }, { abortable }] = await Promise.all([
        import("../../base/ports/bounded.ts"),
        import("../../base/ports/abortable.ts"),
      ]);
      return await abortable(() => joinBounded(Deno.stdin.readable, STDIN), options.signal);
    },
    openTerminalInput: () => terminalInput(options.forcedExitActs),
    onForcedExit(act, resort) {
      const release = resort === undefined ? undefined : options.watchdog.guard(resort);
      options.forcedExitActs.add(act);
      return () => {
        options.forcedExitActs.delete(act);
        release?.();
      };
    },
  };
}

/** A read from standard input cannot be cancelled: a pending one serves the next caller. */
function terminalInput(forcedExitActs: Set<() => void>): TerminalInput {
  let underWay: Promise<Uint8Array | undefined> | undefined;
  const readOnce = async () => {
    const buffer = new Uint8Array(64 * 1024);
    const count = await Deno.stdin.read(buffer);
    return count === null ? undefined : buffer.subarray(0, count);
  };
  const cooked = () => Deno.stdin.setRaw(false);
  let raw = false;
  const end = () => {
    if (raw) cooked();
    raw = false;
    forcedExitActs.delete(end);
  };
  return {
    startRaw() {
      Deno.stdin.setRaw(true, { cbreak: true });
      raw = true;
      forcedExitActs.add(end);
      return { [Symbol.dispose]: end };
    },
    async read(signal) {
      const { abortable } = await import("../../base/ports/abortable.ts");
      const bytes = await abortable(() => underWay ??= readOnce(), signal);
      underWay = undefined;
      return bytes;
    },
    [Symbol.dispose]: end,
  };
}

const DEFAULT_SIZE = { columns: 80, rows: 24 };

function consoleSize(): { readonly columns: number; readonly rows: number } {
  try {
    return Deno.consoleSize();
  } catch {
    return DEFAULT_SIZE;
  }
}

function writeFully(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}
