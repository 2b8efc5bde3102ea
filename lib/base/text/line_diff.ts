/**
 * How a text became another one, line by line: lines that went begin with `-`, new ones with `+`, the others with a
 * blank. For short texts: it takes the product of their lengths.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(lineDiff("a\nb\nc\n", "a\nB\nc\n"), [" a", "-b", "+B", " c"]);
 * ```
 */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  /** The longest common rest of both from line i of the one and j of the other. */
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const rows: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      rows.push(` ${old[i++]}`);
      j++;
    } else if (j === now.length || i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!) {
      rows.push(`-${old[i++]}`);
    } else rows.push(`+${now[j++]}`);
  }
  return rows;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
