import { checkObject } from "./check_output.ts";
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
  /** Whether all three streams are a terminal, or which of them. @default {false} */
  readonly terminal?: boolean | readonly (keyof CliIo["isTerminal"])[];
  /** @default {80} */
  readonly columns?: number;
  /** @default {24} */
  readonly rows?: number;
  readonly signal?: AbortSignal;
  readonly stdin?: string | Uint8Array;
  /** The pieces of input that a terminal gives, one a read, undefined for its end; after them it gives nothing. */
  readonly keys?: readonly (string | undefined)[];
}

/** Makes a command line for one test. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const { env = {}, terminal = false, stdin = "" } = options;
  const isTerminal = (stream: keyof CliIo["isTerminal"]) =>
    typeof terminal === "boolean" ? terminal : terminal.includes(stream);
  const written = { stdout: "", stderr: "" };
  const acts = new Set<() => void>();
  return {
    written,
    stdout(text) {
      written.stdout += text;
      for (const line of text.split("\n").filter(isOutput)) checkObject(JSON.parse(line));
    },
    stderr: (text) => void (written.stderr += text),
    env: (name) => env[name],
    envNames: () => Object.keys(env),
    cwd: options.cwd ?? "/nonexistent",
    isTerminal: { stdin: isTerminal("stdin"), stdout: isTerminal("stdout"), stderr: isTerminal("stderr") },
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

/** Whether a line is an object of `--json`, by its beginning. */
function isOutput(line: string): boolean {
  return line.startsWith('{"type":"');
}

function fakeTerminalInput(keys: readonly (string | undefined)[]): TerminalInput {
  const left = keys.map((text) => text === undefined ? undefined : new TextEncoder().encode(text));
  return {
    startRaw: () => ({ [Symbol.dispose]: () => {} }),
    read(signal) {
      if (left.length > 0) return Promise.resolve(left.shift());
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    },
    [Symbol.dispose]: () => {},
  };
}
