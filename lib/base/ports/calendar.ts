import type { Clock } from "./clock.ts";

const LOOK_EVERY_MS = 30_000;

/**
 * Waits until a time of the calendar has come. Should the calendar be set back meanwhile, it waits no longer than it
 * would have.
 *
 * @throws the signal's reason when it is aborted
 */
export async function sleepUntilTime(
  time: Date,
  { clock, wallClock, signal }: {
    readonly clock: Clock;
    readonly wallClock: () => Date;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const leftMs = () => time.getTime() - wallClock().getTime();
  const latestMs = clock.now() + leftMs();
  for (let left = leftMs(); left > 0 && clock.now() < latestMs; left = leftMs()) {
    await clock.sleep(Math.min(left, LOOK_EVERY_MS), signal);
  }
}
