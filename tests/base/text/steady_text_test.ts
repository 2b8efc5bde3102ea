import { assertEquals, assertNotEquals } from "@std/assert";
import { steadyText } from "../../../lib/base/text/steady_text.ts";

/** The ends of real test programs, twice each: only what does not matter differs. */
const PAIRS: readonly (readonly [program: string, first: string, again: string])[] = [
  [
    "deno",
    "adds ... FAILED (12ms)\n\nFAILED | 3 passed | 1 failed (1s)",
    "adds ... FAILED (7ms)\n\nFAILED | 3 passed | 1 failed (842ms)",
  ],
  ["pytest", "1 failed, 3 passed in 0.31s", "1 failed, 3 passed in 12.08s"],
  [
    "go",
    "--- FAIL: TestAdd (0.00s)\nFAIL\texample.com/a\t0.004s",
    "--- FAIL: TestAdd (0.01s)\nFAIL\texample.com/a\t0.1s",
  ],
  [
    "jest",
    "Tests: 1 failed\nTime:        1.2 s, estimated 2 s",
    "Tests: 1 failed\nTime:        0.871 s, estimated 1 s",
  ],
  [
    "a log",
    "[2026-11-20T12:00:01.123Z] pid=4711 died",
    "[2026-11-21T07:10:59.9+01:00] pid=9 died".replace("=9", "=90"),
  ],
  ["two outputs", "a failed\nerror: b", "error: b\na failed"],
  ["mktemp", "cannot open /tmp/tmp.Xa3/out.txt: no", "cannot open /tmp/tmp.Z9q/out.txt: no"],
  ["a server", "listening on localhost:49152\nat 0x7ffe1234", "listening on localhost:50001\nat 0x55aa9876"],
  ["ids", "job 0b0e1d1c-2f1e-4a51-9a59-0c1d2e3f4a5b failed", "job 7d444840-9dc0-11d1-b245-5ffdce74fad2 failed"],
];

for (const [program, first, again] of PAIRS) {
  Deno.test(`steady text: the same failure twice, as ${program} tells it`, () => {
    assertNotEquals(first, again);
    assertEquals(steadyText(first), steadyText(again));
  });
}

Deno.test("steady text: counts, names, lines and values stay apart", () => {
  for (
    const [one, other] of [
      ["1 failed, 3 passed", "2 failed, 2 passed"],
      ["expected 3, got 4", "expected 3, got 5"],
      ["a_test.ts:12 failed", "a_test.ts:13 failed"],
      ["FAIL src/tmp/a.ts", "FAIL src/tmp/b.ts"],
      ["FAIL /tmp/job/a.ts", "FAIL /tmp/job/b.ts"],
      ["error in 3 modules", "error in 4 modules"],
      ["exit code 1", "exit code 2"],
    ] as const
  ) assertNotEquals(steadyText(one), steadyText(other));
});
