import type { AroundAgent } from "../agents/launch_plan.ts";
import { shellJoin } from "../shell/quote.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import type { ProcessMark } from "../base/ports/end_processes.ts";
import { startProcessGroup } from "../base/ports/process_group.ts";
import { keepTail } from "../base/ports/tail.ts";
import type { OnForcedExit } from "../base/ports/watchdog.ts";
import { plainText } from "../base/text/sanitize.ts";

export type TestCommand = string | readonly [string, ...string[]];

export interface TestCommandResult {
  readonly passed: boolean;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly seconds: number;
  /**
   * The end of what it wrote to standard output and standard error, in the order written, without control characters.
   */
  readonly output: string;
  /** Whether older output was dropped. */
  readonly truncated: boolean;
  /** Why what has passed does not hold. */
  readonly problem?: string;
}

interface RunTestCommandOptions {
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly mark: ProcessMark;
  readonly env?: Readonly<Record<string, string>>;
  /** @default {65536} how many bytes of the output's end are kept */
  readonly maxOutputBytes?: number;
  /** The sandbox that it runs in; missing where it runs outside of any. */
  readonly around?: AroundAgent | undefined;
  readonly signal?: AbortSignal;
  readonly onForcedExit?: OnForcedExit;
  /** @default {systemClock} */
  readonly clock?: Clock;
}

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024;

export async function runTestCommand(command: TestCommand, options: RunTestCommandOptions): Promise<TestCommandResult> {
  const { cwd, mark, env = {}, timeoutSeconds, signal, clock = systemClock } = options;
  signal?.throwIfAborted();
  const startedAt = clock.now();
  const output = keepTail(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES);
  const keep = (bytes: Uint8Array) => output.push(bytes);
  const plan = { argv: testCommandArgv(command), cwd, env };
  const started = await options.around?.confine({ ...plan, env: { ...env, [mark.name]: mark.value } }, signal) ?? plan;
  const group = startProcessGroup({ ...started, mark, clock, onStdout: keep, onStderr: keep });
  const takeBack = options.onForcedExit?.(() => group.killNow(), { mark });
  const over = new AbortController();
  const limits = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const limit = clock.sleep(timeoutSeconds * 1000, limits).then(() => "time limit" as const, () => "ended" as const);
    const end = await Promise.race([group.ended.then(() => "ended" as const), limit]);
    const seconds = (clock.now() - startedAt) / 1000;
    await group.stop();
    signal?.throwIfAborted();
    const timedOut = end === "time limit";
    const exitCode = timedOut ? 124 : await group.ended;
    return {
      passed: exitCode === 0,
      exitCode,
      timedOut,
      seconds,
      output: plainText(output.text()),
      truncated: output.truncated(),
    };
  } finally {
    over.abort();
    takeBack?.();
  }
}

/**
 * Whether a command, or one that it called, was not found (127) or could not be executed (126): it says nothing of what
 * it was to test.
 */
export function couldNotRun({ exitCode, timedOut }: Pick<TestCommandResult, "exitCode" | "timedOut">): boolean {
  return !timedOut && (exitCode === 126 || exitCode === 127);
}

/**
 * The argv that runs a test command with standard error joined to standard output.
 *
 * The shell's script is a constant: the command reaches it as an argument and is never made part of its text.
 */
export function testCommandArgv(command: TestCommand): [string, ...string[]] {
  const argv = typeof command === "string" ? ["sh", "-c", command] : command;
  return ["sh", "-c", 'exec "$@" 2>&1', "sh", ...argv];
}

export function formatTestCommand(command: TestCommand): string {
  if (typeof command === "string") return command;
  return shellJoin(command);
}
