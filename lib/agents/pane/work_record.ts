import type { AgentEvent, AgentFact } from "../agent.ts";

interface WorkRecord {
  add(event: AgentEvent): void;
  take(): readonly AgentFact[];
}

/** Where nobody asks, no more is kept. */
const MOST_KEPT = 1000;

/** Collects what an agent runs in its turn; the beginning of the next makes all before it past. */
export function openWorkRecord(): WorkRecord {
  let kept: AgentFact[] = [];
  return {
    add(event) {
      if (event.type === "turn_began") kept = [];
      if (event.type === "ran" || event.type === "saw") kept = [...kept, event].slice(-MOST_KEPT);
    },
    take: () => kept.splice(0),
  };
}
