/** Jobs that cannot be done, made to pass in five ways each: none is a plain PASS. */
import { assertEquals } from "@std/assert";
import { judged } from "../jobs/evidence/support.ts";
import { IMPOSSIBLE } from "../support/impossible_jobs.ts";

for (const [name, { check, project, ways }] of Object.entries(IMPOSSIBLE)) {
  for (const [way, left] of Object.entries(ways)) {
    Deno.test(`no plain PASS of what cannot be done: ${name}, ${way}`, async () => {
      // What was done to the tests' files is told without it.
      const settings = { canaries: !Object.keys(left).some((path) => /test/.test(path)) };
      const { passesThere, remarks, result } = await judged(left, { project, check, settings });
      assertEquals(passesThere, true, "it passes where the agent has worked");
      assertEquals(result.outcome === "fail" || remarks.length > 0, true);
    });
  }
}
