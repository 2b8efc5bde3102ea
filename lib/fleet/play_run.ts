import { TAKEN } from "../base/ports/mirror.ts";
import { startPipedProcess } from "../base/ports/piped_process.ts";
import type { Clock } from "../base/ports/clock.ts";
import { errorText } from "../base/text/error_text.ts";
import { isObject } from "../base/schema.ts";
import { prevOf } from "./record_line.ts";

/** How the process of a run ended. */
export interface PlayedRun {
  readonly code: number;
  /** What it said before its first record, where it did not begin. */
  readonly refusal?: Refusal;
  /** Why a record was not taken; the run could do nothing more then. */
  readonly untaken?: unknown;
}

interface Refusal {
  readonly message: string;
  /** What is left of the run here keeps it from being begun: a later try may not meet it. */
  readonly isBusy: boolean;
}

interface Playing {
  /** Keeps a record; the run goes on once it resolves. */
  readonly onRecord: (line: string) => Promise<void>;
  /** Tells the run to stop, in its own time. */
  readonly stop: AbortSignal;
  /** The run must be over at once. */
  readonly lost: AbortSignal;
  readonly clock: Clock;
}

/** How long a run that is lost has to end its agents by itself. */
const LOST_GRACE_MS = 5000;

/**
 * Plays a run in a process of its own, which writes no record and does nothing further before `onRecord` has kept the one
 * before.
 *
 * @param spec.args the command and its arguments, as `panewright detached` takes them
 */
export async function playRun(
  { panewright, args, cwd, env }: {
    readonly panewright: readonly [string, ...string[]];
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
  { onRecord, stop, lost, clock }: Playing,
): Promise<PlayedRun> {
  const [program, ...rest] = [...panewright, "detached", "--by", "fleet", "--mirrored", "--", ...args];
  const child = startPipedProcess({ argv: [program ?? "", ...rest], cwd, env });
  const say = (text: string) => child.write(new TextEncoder().encode(text)).catch(() => {});
  const ended = new AbortController();
  const onLost = () => {
    child.end();
    clock.sleep(LOST_GRACE_MS, ended.signal).then(() => child.kill(), () => {});
  };
  stop.addEventListener("abort", child.end, { once: true });
  lost.addEventListener("abort", onLost, { once: true });
  if (stop.aborted) child.end();
  if (lost.aborted) onLost();
  let refusal: Refusal | undefined;
  let failure: { readonly untaken: unknown } | undefined;
  try {
    for await (const line of readLines(child.stdout)) {
      if (prevOf(line) === undefined) {
        refusal ??= refusalIn(line);
        continue;
      }
      try {
        if (failure !== undefined) throw failure.untaken;
        await onRecord(line);
        await say(TAKEN);
      } catch (untaken) {
        failure ??= { untaken };
        await say(`${errorText(untaken).replaceAll(/\s+/g, " ").slice(0, 200)}\n`);
      }
    }
    return { code: await child.ended, ...(refusal === undefined ? {} : { refusal }), ...failure };
  } finally {
    ended.abort();
    stop.removeEventListener("abort", child.end);
    lost.removeEventListener("abort", onLost);
    await child.closeStdin();
  }
}

/** What a process that begins no run says in place of its first record. */
function refusalIn(line: string): Refusal | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || value["type"] !== "error") return undefined;
    const { message, hint, code } = value;
    return { message: [message, hint].filter((part) => typeof part === "string").join(" "), isBusy: code === "busy" };
  } catch {
    return undefined;
  }
}

/** The lines of a program's output, without their ends; what follows the last end is no line. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
