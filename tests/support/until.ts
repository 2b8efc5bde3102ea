/** A pause between two looks; a busy machine makes it longer. */
const PAUSE_MS = 20;

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
    const seen = await look();
    if (accept(seen)) return seen;
    if (looks === MAX_LOOKS) throw new Error(`waited in vain; last look: ${describe(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
