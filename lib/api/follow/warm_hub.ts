import type { RunFolder } from "../../run/run_folder.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { RunHub, RunHubs } from "./run_hub.ts";

/** How long a run is followed after a question about it: who asks again and again does not have it read each time. */
const WARM_MS = 30_000;

export async function withHub<Found>(
  { hubs, clock, signal }: { readonly hubs: RunHubs; readonly clock: Clock; readonly signal: AbortSignal },
  folder: RunFolder,
  ask: (hub: RunHub) => Found | Promise<Found>,
): Promise<Found> {
  const lease = hubs.open(folder);
  const leave = () => lease[Symbol.dispose]();
  try {
    await lease.hub.ready;
    return await ask(lease.hub);
  } finally {
    clock.sleep(WARM_MS, signal).then(leave, leave);
  }
}
