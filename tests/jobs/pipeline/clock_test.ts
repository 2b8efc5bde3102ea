import { assertEquals, assertLess } from "@std/assert";
import { createFakeClock } from "../../support/fake_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { cast, fails, runIn, says, step } from "./support.ts";

const HOUR_MS = 3_600_000;

/** The wait for a usage limit that a CLI reports, on a wall clock that is changed by so much after some minutes. */
async function waitWithClockSet(byMs: number, { resetsInMs }: { readonly resetsInMs: number }) {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  using clock = createFakeClock();
  let setByMs = 0;
  clock.at(240, () => void (setByMs = byMs));
  const wallClock = () => new Date(Date.now() + setByMs);
  const resetsAt = new Date(Date.now() + resetsInMs);
  const limit = fails("You've hit your usage limit", { usageLimit: { message: "usage limit", resetsAt } });
  const { report } = await clock.runUntilSettled(
    runIn(dir, [step("a")], {
      ...cast(limit, says()),
      clock,
      wallClock,
      settings: { waitForUsageLimitReset: true },
    }),
  );
  return { outcome: report.outcome, seconds: Math.round(clock.elapsedSeconds()) };
}

Deno.test("clock set back by an hour: no wait for a usage limit lasts longer", async () => {
  assertEquals(await waitWithClockSet(-HOUR_MS, { resetsInMs: 600_000 }), { outcome: "pass", seconds: 630 });
});

Deno.test("clock set forward by an hour: the wait for a usage limit ends when its time has come", async () => {
  const { outcome, seconds } = await waitWithClockSet(HOUR_MS, { resetsInMs: 600_000 });
  assertEquals(outcome, "pass");
  assertLess(seconds, 300);
});
