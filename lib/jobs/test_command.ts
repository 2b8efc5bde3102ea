import { shellJoin } from "../shell/quote.ts";
import type { ProcessRunner } from "../ports/process.ts";
import { systemProcessRunner } from "../ports/process.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { plainText } from "../text/sanitize.ts";

/** A test command: an argv array, or a string that `sh -c` runs. */
export type TestCommand = string | readonly [string, ...string[]];

/** How a test command ended. Plain data. */
export interface TestCommandResult {
  /** Whether it ended by itself with code 0. */
  readonly passed: boolean;
  /** The exit code, 128 + n for a signal, 124 after the time limit, 127 where there is no such program. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly seconds: number;
  /**
   * The end of what it wrote to standard output and standard error, in the order written, without control characters.
   */
  readonly output: string;
  /** Whether older output was dropped. */
  readonly truncated: boolean;
}

/** Where and how long a test command runs. */
export interface RunTestCommandOptions {
  readonly cwd: string;
  /** Seconds after which the command and all that it started are killed. */
  readonly timeoutSeconds: number;
  /** Variables that are set for the command, besides panewright's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default {65536} how many bytes of the output's end are kept */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
  /** @default {systemClock} */
  readonly clock?: Clock;
}

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Runs the project's test command in its own process group and keeps the end of its output.
 *
 * @throws the signal's reason when it is aborted
 */
export async function runTestCommand(command: TestCommand, options: RunTestCommandOptions): Promise<TestCommandResult> {
  const clock = options.clock ?? systemClock;
  const startedAt = clock.now();
  const result = await (options.processRunner ?? systemProcessRunner).run({
    argv: testCommandArgv(command),
    cwd: options.cwd,
    timeoutMs: options.timeoutSeconds * 1000,
    maxOutputBytes: options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return {
    passed: result.code === 0 && !result.timedOut,
    exitCode: result.code,
    timedOut: result.timedOut,
    seconds: (clock.now() - startedAt) / 1000,
    output: plainText(result.stdout + result.stderr),
    truncated: result.truncated,
  };
}

/**
 * The argv that runs a test command with standard error joined to standard output.
 *
 * The shell's script is a constant: the command reaches it as an argument and is never made part of its text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(testCommandArgv(["npm", "test"]), ["sh", "-c", 'exec "$@" 2>&1', "sh", "npm", "test"]);
 * assertEquals(testCommandArgv("npm test | tee log"), [
 *   "sh", "-c", 'exec "$@" 2>&1', "sh", "sh", "-c", "npm test | tee log",
 * ]);
 * ```
 */
export function testCommandArgv(command: TestCommand): [string, ...string[]] {
  const argv = typeof command === "string" ? ["sh", "-c", command] : command;
  return ["sh", "-c", 'exec "$@" 2>&1', "sh", ...argv];
}

/**
 * A test command as a person would type it, for prompts and progress.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(formatTestCommand(["deno", "test", "a b"]), "deno test 'a b'");
 * assertEquals(formatTestCommand("make test"), "make test");
 * ```
 */
export function formatTestCommand(command: TestCommand): string {
  if (typeof command === "string") return command;
  return shellJoin(command);
}
