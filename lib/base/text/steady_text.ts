/** What differs from one run of a program to the next although nothing has changed, and what takes its place. */
const PASSING: readonly (readonly [pattern: RegExp, mark: string])[] = [
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d)\b)?)?/g, "<time>"],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, "<time>"],
  [
    /\b(?:\d{1,20}(?:[.,]\d{1,9})?|[.,]\d{1,9}) ?(?:ns|[µμu]s|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h)\b/g,
    "<duration>",
  ],
  // What programs call a folder or file of their own that they throw away; what is in it has its name.
  [/(?<![\w.~-])(?:\/private)?\/(?:(?:var\/)?tmp|dev\/shm|var\/folders(?:\/\w{1,40}){3})\/[\w.@~-]{1,200}/g, "<temp>"],
  [/\b(pid|PID|process|port|localhost|127\.0\.0\.1)([ :=#[(]{1,3})\d{2,10}\b/g, "$1$2<number>"],
  [/\b0x[0-9a-fA-F]{4,16}\b/g, "<address>"],
  [/\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/g, "<uuid>"],
];

/**
 * The output of a program without what is another at each run: times, durations, process ids, ports, addresses, UUIDs,
 * names of temporary files, and the order of lines, which depends on what runs side by side and on which of its two
 * outputs a program writes to. Two outputs that are the same after that say the same.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const first = "2026-11-20 12:00:01 FAIL a_test (12ms)\n1 failed in 0.31s, see /tmp/x81/log";
 * const again = "2026-11-20 12:07:44 FAIL a_test (9ms)\n1 failed in 0.29s, see /tmp/q0z/log";
 * assertEquals(steadyText(first), steadyText(again));
 * assertEquals(steadyText("b ok\n1 failed (7 s)\na ok"), "1 failed (<duration>)\na ok\nb ok");
 * ```
 */
export function steadyText(output: string): string {
  const steady = PASSING.reduce((text, [pattern, mark]) => text.replaceAll(pattern, mark), output);
  // Columns of figures are padded to their width.
  return steady.replaceAll(/[ \t]+/g, " ").replaceAll(/ ?\n ?/g, "\n").trim().split("\n").sort().join("\n");
}
