import type { CliIo, TerminalInput } from "../../lib/cli/console/command.ts";

/** A command line without a process around it: it keeps what is written. */
export interface FakeIo extends CliIo {
  readonly written: { stdout: string; stderr: string };
  /** Does what a second Ctrl-C would. */
  forceExit(): void;
}

/** What a {@linkcode fakeIo} may be told. */
export interface FakeIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether all three streams are a terminal. @default {false} */
  readonly terminal?: boolean;
  /** @default {80} */
  readonly columns?: number;
  /** @default {24} */
  readonly rows?: number;
  readonly signal?: AbortSignal;
  readonly stdin?: string | Uint8Array;
  /** The pieces of input that a terminal gives, one a read; after them it gives nothing. */
  readonly keys?: readonly string[];
}

/** Makes a command line for one test. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const { env = {}, terminal = false, stdin = "" } = options;
  const written = { stdout: "", stderr: "" };
  const acts = new Set<() => void>();
  return {
    written,
    stdout: (text) => void (written.stdout += text),
    stderr: (text) => void (written.stderr += text),
    env: (name) => env[name],
    cwd: options.cwd ?? "/nonexistent",
    isTerminal: { stdin: terminal, stdout: terminal, stderr: terminal },
    columns: () => options.columns ?? 80,
    rows: () => options.rows ?? 24,
    signal: options.signal ?? new AbortController().signal,
    readStdin: () => Promise.resolve(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin),
    openTerminalInput: () => fakeTerminalInput(options.keys ?? []),
    onForcedExit: (act) => {
      acts.add(act);
      return () => acts.delete(act);
    },
    forceExit: () => acts.forEach((act) => act()),
  };
}

function fakeTerminalInput(keys: readonly string[]): TerminalInput {
  const left = keys.map((text) => new TextEncoder().encode(text));
  return {
    startRaw: () => ({ [Symbol.dispose]: () => {} }),
    read(signal) {
      const next = left.shift();
      if (next !== undefined) return Promise.resolve(next);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    },
    [Symbol.dispose]: () => {},
  };
}
