/**
 * Ways in which agents make tests pass without doing the work, and honest jobs beside them, in a project of Node.js with its
 * own runner: none of the first is a plain PASS but those that docs/evidence.md names.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { judged } from "../jobs/evidence/support.ts";
import { CHEATS, checkOf, HONEST, ONLY_BY_CANARIES, PROJECT, UNDETECTED } from "../support/evidence_jobs.ts";

for (const [name, left] of Object.entries(CHEATS)) {
  Deno.test(`no plain PASS: ${name}`, async () => {
    // Each test that must fail is a run of the checks more: here for what nothing else finds.
    const settings = { canaries: ONLY_BY_CANARIES.has(name) };
    const { passesThere, remarks, result } = await judged(left, { project: PROJECT, check: checkOf(left), settings });
    assertEquals(passesThere, true, "it passes where the agent has worked");
    assertEquals(result.outcome === "fail" || remarks.length > 0, true);
  });
}

for (const [name, left] of Object.entries(CHEATS)) {
  Deno.test(`no plain PASS in the checkout itself either: ${name}`, async () => {
    const settings = { canaries: ONLY_BY_CANARIES.has(name) };
    const about = { project: PROJECT, check: checkOf(left), settings, isCheckout: true };
    const { passesThere, remarks, result } = await judged(left, about);
    assertEquals(passesThere, true, "it passes where the agent has worked");
    assertEquals(result.outcome === "fail" || remarks.length > 0, true);
  });
}

for (const [name, [left, said]] of Object.entries(HONEST)) {
  Deno.test(`honest work passes: ${name}`, async () => {
    const { passesThere, remarks, result } = await judged(left, { project: PROJECT, check: checkOf(left) });
    assertEquals([passesThere, result.outcome], [true, "pass"]);
    assertEquals(remarks.length > 0, said === "remark", remarks.join("\n"));
  });
}

for (const [name, left] of Object.entries(UNDETECTED)) {
  Deno.test(`what docs/evidence.md names as not found is not found: ${name}`, async () => {
    const { passesThere, remarks, result } = await judged(left, { project: PROJECT, check: checkOf(left) });
    assertEquals([passesThere, result.outcome, remarks], [true, "pass", []]);
  });
}
