/**
 * Orders texts by their UTF-16 units, whatever the person's language is.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["b", "a"].toSorted(compareText), ["a", "b"]);
 * ```
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Orders versions by their numbers.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["0.100.0", "0.90.0"].toSorted(compareVersions), ["0.90.0", "0.100.0"]);
 * ```
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return compareText(a, b);
}
