/**
 * The candidate that a mistyped word most likely means; `undefined` where none is close enough.
 *
 * Near enough is a distance of at most a third of the longer word's length, but always of one; case, `-` and `_` do
 * not count. A candidate that begins with the whole word, before a `-` or `_`, is nearer than one more than one away.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(nearest("pol_secnods", ["poll_seconds", "max_rounds"]), "poll_seconds");
 * assertEquals(nearest("banana", ["poll_seconds", "max_rounds"]), undefined);
 * assertEquals(nearest("claude", ["codex", "claude_code", "claude_acp"]), "claude_code");
 * ```
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = fold(word);
  if (wanted.length === 0 || wanted.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const folded = fold(candidate);
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, folded.length) / 3));
    const distance = editDistance(wanted, folded);
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (bestDistance <= 1) return best;
  return candidates.find((candidate) => /[-_]/.test(candidate) && fold(candidate.split(/[-_]/)[0] ?? "") === wanted) ??
    best;
}

/**
 * ` (did you mean "x"?)`, or nothing where no candidate is near.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(didYouMean("rnu", ["run", "init"]), ' (did you mean "run"?)');
 * assertEquals(didYouMean("xyz", ["run", "init"]), "");
 * ```
 */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? "" : ` (did you mean "${suggestion}"?)`;
}

/**
 * How many insertions, deletions, replacements and swaps of neighbours turn one word into the other
 * (Damerau-Levenshtein, optimal string alignment).
 */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = last[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      let distance = Math.min(last[column]! + 1, current[column - 1]! + 1, replaced);
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (swapped) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length]!;
}

/** Nobody mistypes a word into one that is longer than this, and the distance costs the product of both lengths. */
const MAX_WORD_LENGTH = 60;

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}
