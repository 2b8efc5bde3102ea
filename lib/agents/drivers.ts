import { type Driver, DRIVERS } from "./driven_agent.ts";
import type { Provider } from "./provider.ts";

/** An agent as a plan has it, with what drives it where that is named. */
interface PlannedAgent {
  readonly provider: Provider;
  readonly driver?: Driver | undefined;
}

/** What can drive the agents of a provider. */
export function driversOf({ terminal, headless, acp }: Provider): readonly Driver[] {
  const parts = { pane: terminal, process: headless, acp };
  return DRIVERS.filter((driver) => parts[driver] !== undefined);
}

/** What drives a role's agent: its screen in a pane where that can be chosen, and nothing else is named. */
export function roleDriverOf({ provider, driver }: PlannedAgent): Driver {
  return driver ?? (provider.acp === undefined ? "pane" : "acp");
}

/** What drives a step's agent: its CLI without a terminal where that can be chosen, and nothing else is named. */
export function stepDriverOf({ provider, driver }: PlannedAgent): Driver {
  return driver ?? (provider.headless === undefined ? "acp" : "process");
}
