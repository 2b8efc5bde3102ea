import type { JobEvent } from "../../lib/fleet/mod.ts";
import { eventsOf } from "../fleet/fleet_stage.ts";

interface Entry {
  readonly type: string;
  readonly turnId?: string;
  readonly role?: string;
  readonly what?: string;
  readonly outcome?: string;
}

/** What is wrong with the log of a job that has ended, a sentence each: its result, its writers, its turns. */
export function findJobViolations(events: readonly JobEvent[]): readonly string[] {
  const violations: string[] = [];
  const ends = eventsOf(events, "ended");
  if (ends.length !== 1) violations.push(`it has ${ends.length} results`);
  for (const { outcome, reason } of ends) if (outcome !== "pass") violations.push(`its end is ${outcome}: ${reason}`);
  if (events.at(-1)?.type !== "ended") violations.push(`after its end there is ${events.at(-1)?.type}`);
  let epoch = 0;
  for (const event of events) {
    if (event.type === "claimed" && event.epoch !== epoch + 1) violations.push(`claim ${event.epoch} after ${epoch}`);
    if (event.type === "claimed") epoch = event.epoch;
    if (event.epoch !== epoch) violations.push(`a ${event.type} of ${event.epoch} while ${epoch} has the job`);
  }
  const entries = eventsOf(events, "record").map(({ epoch, line }): Entry & { readonly epoch: number } => ({
    ...JSON.parse(line),
    epoch,
  }));
  const count = (name: string, of: readonly unknown[], most: number) => {
    if (of.length > most) violations.push(`${name} ${of.length} times`);
  };
  count("run_started", entries.filter(({ type }) => type === "run_started"), 1);
  count("run_finished", entries.filter(({ type, outcome }) => type === "run_finished" && outcome === "pass"), 1);
  for (const type of ["turn_started", "response_received"]) {
    const byTurn = Map.groupBy(entries.filter((entry) => entry.type === type), ({ turnId }) => turnId);
    for (const [turn, all] of byTurn) count(`${type} of ${turn}`, all, 1);
  }
  // An agent is gone when another one of its role is started.
  const agents: Record<string, number> = {};
  const prompts = new Map<string, number>();
  for (const { type, role = "", turnId, what } of entries) {
    if (type === "agent_ready") agents[role] = (agents[role] ?? 0) + 1;
    if (type !== "message_sent" || what !== "prompt") continue;
    const key = `${turnId} to agent ${agents[role]} of ${role}`;
    prompts.set(key, (prompts.get(key) ?? 0) + 1);
  }
  for (const [prompt, times] of prompts) {
    if (times > 1) violations.push(`the prompt of ${prompt} was sent ${times} times`);
  }
  return violations;
}
