import type { AgentEvent, AgentFact } from "../agent.ts";

/** Where nobody asks, no more is kept. */
const MOST_KEPT = 1000;

/** Collects what an agent runs in its turn; the beginning of the next makes all before it past. */
export function openWorkRecord() {
  let kept: AgentFact[] = [];
  return {
    add(event: AgentEvent): void {
      if (event.type === "turn_began") kept = [];
      if (event.type === "ran" || event.type === "saw") kept = [...kept, event].slice(-MOST_KEPT);
    },
    take: (): readonly AgentFact[] => kept.splice(0),
  };
}
