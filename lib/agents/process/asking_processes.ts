import { askOfProcess, type SeenAsk } from "./asking_process.ts";
import type { AskCommands } from "../../shell/asks/find_asks.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { listCommandLines } from "../../base/ports/command_lines.ts";
import { findMarkedPids, type ProcessMark } from "../../base/ports/end_processes.ts";

export interface AskingProcesses {
  readonly commands: AskCommands;
  readonly self: readonly string[];
  readonly listPids: () => Promise<readonly number[]>;
  readonly mark: ProcessMark;
}

/** The pause before the first look, and the longest between two. */
const PAUSE_MS = { first: 200, last: 1000 } as const;

/** How many times as long as a look the pause after it is: there may be thousands of processes. */
const PAUSE_PER_LOOK = 20;

export async function findAskingProcesses(
  { commands, self, listPids, mark }: AskingProcesses,
): Promise<readonly SeenAsk[]> {
  const asking = [...await listCommandLines()].flatMap(([pid, argv]) => {
    const ask = askOfProcess(argv, { asks: commands, self });
    return ask === undefined ? [] : [{ pid, ask }];
  });
  if (asking.length === 0) return [];
  const [own, marked, ofAny] = await Promise.all([
    listPids(),
    findMarkedPids(mark),
    findMarkedPids({ ...mark, value: "" }),
  ]);
  // An agent may run panewright itself, whose steps ask there.
  const isOurs = (pid: number) => own.includes(pid) && (marked.includes(pid) || !ofAny.includes(pid));
  return asking.flatMap(({ pid, ask }) => isOurs(pid) ? [{ ...ask, pid }] : []);
}

/** The same over and over, while something runs that may ask, until `signal` is aborted. */
export async function* followAskingProcesses(
  processes: AskingProcesses,
  { mayAsk, onTrouble, clock, signal }: {
    readonly mayAsk: () => boolean;
    readonly onTrouble: (error: unknown) => void;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<SeenAsk> {
  for (let pauseMs: number = PAUSE_MS.first;;) {
    await clock.sleep(pauseMs, signal).catch(() => {});
    if (signal.aborted) return;
    if (!mayAsk()) {
      pauseMs = PAUSE_MS.first;
      continue;
    }
    const startMs = clock.now();
    try {
      yield* await findAskingProcesses(processes);
    } catch (error) {
      onTrouble(error);
    }
    pauseMs = Math.max(Math.min(pauseMs * 1.5, PAUSE_MS.last), PAUSE_PER_LOOK * (clock.now() - startMs));
  }
}
