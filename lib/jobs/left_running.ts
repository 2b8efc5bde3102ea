import { type AgentProcesses, findLeftCommands, isNamed, type LeftCommand } from "../agents/left_commands.ts";
import { COMMAND_VARIABLES } from "../agents/mod.ts";
import { readProcessFacts } from "../agents/running_commands.ts";
import type { Clock } from "../base/ports/clock.ts";
import { endProcesses, stillAlive } from "../base/ports/end_processes.ts";
import { errorText } from "../base/text/error_text.ts";
import { trySignal } from "../base/ports/process.ts";
import { listProcesses, type ProcessInfo, processTree } from "../base/ports/process_table.ts";
import type { OnForcedExit } from "../base/ports/watchdog.ts";
import type { LeftFate, LeftRunning } from "../journal/left_running.ts";

const TERMINATE_GRACE_MS = 2000;

/** An agent whose turn is over. */
export interface LeavingAgent {
  processes(): Promise<AgentProcesses>;
  /** Leaves processes to us that would end with it; missing where none do. */
  keep?(processes: readonly ProcessInfo[]): void;
}

/** What agents of a run leave running: the one place that decides about it. */
export interface LeftCommands extends AsyncDisposable {
  /**
   * Looks for what an agent has left whose turn is over, tells it by name, and ends what may not stay. The agent may
   * begin a turn of its own when it hears of that.
   */
  afterTurn(
    agent: LeavingAgent,
    options: {
      /** Whether its program is over, too: all that it has left ends with that, unless it is kept. */
      readonly isOver: boolean;
      readonly tell: (left: readonly LeftRunning[]) => void;
    },
  ): Promise<"ended_some" | "ended_none">;
}

interface LeftCommandsOptions {
  /** Command patterns of what may stay until the run ends. @default {[]} */
  readonly patterns: readonly string[] | undefined;
  /** Told what stayed until the run ended, and is ended now. */
  readonly onEnded: (left: readonly LeftRunning[]) => void;
  readonly warn: (message: string) => void;
  readonly clock: Clock;
  readonly onForcedExit: OnForcedExit;
}

/** Its disposal ends what has stayed. */
export function openLeftCommands(
  { patterns = [], onEnded, warn, clock, onForcedExit }: LeftCommandsOptions,
): LeftCommands {
  const kept: LeftCommand[] = [];
  const told = new Set<string>();
  let takeBack: (() => void) | undefined;
  const end = (processes: readonly ProcessInfo[]) =>
    endProcesses(processes, { clock, hangupGraceMs: 0, terminateGraceMs: TERMINATE_GRACE_MS });
  const keptNow = async () => {
    if (kept.length === 0) return new Map<number, ProcessInfo>();
    const all = await listProcesses();
    const roots = stillAlive(kept.flatMap(({ processes }) => processes), all);
    return new Map(roots.flatMap(({ pid }) => processTree(all, pid)).map((one) => [one.pid, one]));
  };
  const lookAt = async (agent: LeavingAgent) => {
    const { root, own } = await agent.processes();
    // The CLI alone leaves nothing.
    if (own.every(({ pid }) => pid === root)) return undefined;
    const [facts, stays] = await Promise.all([readProcessFacts(COMMAND_VARIABLES), keptNow()]);
    return { root, own, ...facts, stays };
  };
  return {
    async afterTurn(agent, { isOver, tell }) {
      const look = await lookAt(agent).catch((error) => warn(`what is left running is not known: ${errorText(error)}`));
      if (!look) return "ended_none";
      const { root, own, ofCommands, argvOf, stays } = look;
      const ended: ProcessInfo[] = [];
      const left = findLeftCommands({ root, own: own.filter(({ pid }) => !stays.has(pid)) }, { ofCommands, argvOf })
        .flatMap((command): readonly LeftRunning[] => {
          const key = keyOf(command);
          if (told.has(key)) return [];
          const fate: LeftFate = isNamed(command, { patterns, argvOf })
            ? "stays"
            : command.isCertain || isOver
            ? "ended"
            : "unclear";
          if (fate === "ended") ended.push(...command.processes);
          else told.add(key);
          if (fate === "stays") {
            kept.push(command);
            agent.keep?.(command.processes);
          }
          return command.named.map((named) => ({ ...named, fate }));
        });
      if (left.length === 0) return "ended_none";
      takeBack ??= onForcedExit(() => {
        for (const { pid } of kept.flatMap(({ processes }) => processes)) trySignal(pid, "SIGKILL");
      });
      tell(left);
      // Where the program ends as well, it must hear of nothing that ends before: it could begin another turn.
      if (isOver || ended.length === 0) return "ended_none";
      await end(ended);
      return "ended_some";
    },
    async [Symbol.asyncDispose]() {
      takeBack?.();
      const stayed = [...(await keptNow()).values()];
      if (stayed.length === 0) return;
      await end(stayed);
      const ids = new Set(stayed.map(({ pid }) => pid));
      onEnded(
        kept.flatMap(({ named }) =>
          named.flatMap((one) => ids.has(one.pid) ? [{ ...one, fate: "ended" as const }] : [])
        ),
      );
    },
  };
}

function keyOf({ processes: [top] }: LeftCommand): string {
  return `${top?.pid} ${top?.startTime}`;
}
