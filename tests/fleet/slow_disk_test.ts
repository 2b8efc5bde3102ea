/** What comes of jobs when the disk of the fleet's server is slow. */
import { assert, assertEquals } from "@std/assert";
import { noSlowDiskReason } from "./fleet_server.ts";
import { eventsOf, fleetStage, PROGRAMMER_FIRST, recordsIn, worksOf } from "./fleet_stage.ts";

Deno.test("the disk of the fleet's server is slow: jobs take longer, and each ends once, with no record of a worker that has lost it", async (t) => {
  const reason = await noSlowDiskReason();
  if (reason !== undefined) return void await t.step({ name: reason, ignore: true, fn: () => {} });
  await using stage = await fleetStage({ diskDelayMs: 100, config: PROGRAMMER_FIRST });
  await stage.replay(worksOf({ thinkMs: 500 }));
  stage.worker("w1");
  stage.worker("w2");
  const jobs = ["one", "two"];
  for (const id of jobs) assertEquals((await stage.call("submit", "--run", "Go on", "--id", id)).code, 0);
  for (const id of jobs) {
    await stage.reaches(id, "pass");
    const events = await stage.log(id);
    // On a busy machine as well one may lose it.
    const epochs = events.map(({ epoch }) => epoch);
    assertEquals(epochs, epochs.toSorted((one, other) => one - other));
    assertEquals(eventsOf(events, "ended").length, 1);
    const records = recordsIn(events);
    assertEquals([records[0], records.at(-1)], ["journal_opened", "run_finished"]);
  }
  const slowed = await stage.server.slowWrites();
  assert(slowed > 100, `only ${slowed} writes were slow`);
  await stage.end();
});
