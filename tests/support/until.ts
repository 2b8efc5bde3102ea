/** The shortest pause between two looks, and the longest. */
const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** A look may start programs: looking shall not be what a busy machine is busy with. */
const PAUSE_PER_LOOK = 4;

/**
 * So many looks, at least a minute, and something is not going to come. They are counted, so a slow machine gets
 * longer.
 */
const MAX_LOOKS = 3000;

/**
 * Looks again and again until what is seen is as it should be.
 *
 * @param accept whether it is; by default, whether there is anything
 * @param describe what was seen last, for the error
 * @throws {Error} after 3000 looks
 */
export async function until<T>(
  look: () => T | Promise<T>,
  accept: (seen: T) => boolean = Boolean,
  describe: (seen: T) => string = (seen) => JSON.stringify(seen) ?? "nothing",
): Promise<T> {
  for (let looks = 1;; looks++) {
    const beganMs = performance.now();
    const seen = await look();
    if (accept(seen)) return seen;
    if (looks === MAX_LOOKS) throw new Error(`waited in vain; last look: ${describe(seen)}`);
    await pauseAfterLook(beganMs);
  }
}

/** Pauses after a look that began at this time of `performance.now()`: the longer, the longer that has taken. */
export async function pauseAfterLook(beganMs: number): Promise<void> {
  const lookMs = performance.now() - beganMs;
  const pauseMs = Math.min(Math.max(PAUSE_MS, PAUSE_PER_LOOK * lookMs), LONGEST_PAUSE_MS);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}
