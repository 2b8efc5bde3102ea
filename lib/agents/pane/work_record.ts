import type { AgentEvent, AgentFact } from "../agent.ts";

export interface WorkRecord {
  add(line: string): void;
  take(): readonly AgentFact[];
}

/** Where nobody asks, no more is kept. */
const MOST_KEPT = 1000;

export function openWorkRecord({ mayCount, beginsTurn, read }: {
  readonly mayCount: RegExp;
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
