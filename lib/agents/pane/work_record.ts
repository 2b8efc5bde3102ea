import type { AgentEvent, AgentFact } from "../agent.ts";

/** What an agent has run in its turn, and not been asked for yet. Its record is read line by line. */
export interface WorkRecord {
  /** Adds what a line tells; one that begins a turn makes all before it past. */
  add(line: string): void;
  /** What was run since the last call. */
  take(): readonly AgentFact[];
}

/** Where nobody asks, no more is kept. */
const MOST_KEPT = 1000;

/** Begins to collect what an agent runs. */
export function openWorkRecord({ mayCount, beginsTurn, read }: {
  /** What most lines of it are not, and need no parsing for. */
  readonly mayCount: RegExp;
  /** Whether a line begins a turn of the agent's own. */
  readonly beginsTurn: (line: string) => boolean;
  readonly read: (line: string) => readonly AgentEvent[];
}): WorkRecord {
  let kept: readonly AgentFact[] = [];
  return {
    add(line) {
      if (!mayCount.test(line)) return;
      if (beginsTurn(line)) kept = [];
      const run = read(line).filter((one) => one.type === "ran" || one.type === "saw");
      if (run.length > 0) kept = [...kept, ...run].slice(-MOST_KEPT);
    },
    take() {
      const taken = kept;
      kept = [];
      return taken;
    },
  };
}
