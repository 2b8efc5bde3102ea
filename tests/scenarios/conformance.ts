import { reasonAgainst, SCENARIOS } from "./scenarios.ts";
import type { PlayerName } from "./stage.ts";

/** Registers a test for each scenario that an agent can do; why it cannot do the others is in docs/agents.md. */
export function playAll(player: PlayerName): void {
  for (const scenario of SCENARIOS) {
    if (reasonAgainst(scenario, player) !== undefined) continue;
    Deno.test(`${player}: ${scenario.name}`, async () => await scenario.play(player));
  }
}
