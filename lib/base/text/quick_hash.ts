/**
 * A number of 53 bits that tells texts apart, for comparing only: it is not a digest, and whoever wants to can find two
 * texts with the same one.
 *
 * @example
 * ```ts
 * import { assertEquals, assertNotEquals } from "@std/assert";
 * assertEquals(quickHash("one"), quickHash("one"));
 * assertNotEquals(quickHash("one"), quickHash("eno"));
 * ```
 */
export function quickHash(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
