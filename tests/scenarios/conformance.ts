import { SCENARIOS } from "./scenarios.ts";
import type { PlayerName } from "./stage.ts";

/** Registers a test for each scenario that an agent can do; why it cannot do the others is in docs/agents.md. */
export function playAll(player: PlayerName): void {
  for (const { name, play, cannot = {} } of SCENARIOS) {
    if (cannot[player] !== undefined) continue;
    Deno.test(`${player}: ${name}`, async () => await play(player));
  }
}
