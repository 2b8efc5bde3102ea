/** What comes of jobs when the disk of the fleet's server is full. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../support/until.ts";
import { noDiskReason } from "./fleet_server.ts";
import { eventsOf, fleetStage, PROGRAMMER_FIRST, recordsIn, worksOf } from "./fleet_stage.ts";

Deno.test("the disk of the fleet's server is full: no job is taken; one that is at work stops, and goes on when there is room", async (t) => {
  const reason = await noDiskReason();
  if (reason !== undefined) return void await t.step({ name: reason, ignore: true, fn: () => {} });
  await using stage = await fleetStage({ diskSize: "16m", config: PROGRAMMER_FIRST });
  await stage.replay(worksOf({ thinkMs: 2000 }));
  const worker = stage.worker("w1");
  await stage.server.fillDisk();
  const refused = await stage.call("submit", "--run", "Go on", "--id", "go-on");
  assertEquals(refused.code, 1, refused.stderr);
  assertStringIncludes(refused.stderr, ": its server keeps nothing now\n  Its disk, or a stream, may be full.");
  await stage.server.freeDisk();
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on")).includes("turn_started"));
  await stage.server.fillDisk();
  await until(() => worker.output.stderr, (text) => /me\.go-on: (?:waits for|the fleet has not been)/.test(text));
  await stage.server.freeDisk();
  // This server answers nobody any more, though there is room: whoever runs it starts it again.
  stage.server.process().kill("SIGUSR1");
  await until(() => stage.state("go-on").then((state) => state === "pass", () => false));
  const events = await stage.log("go-on");
  assertEquals(eventsOf(events, "ended").length, 1);
  assertEquals(eventsOf(events, "claimed").map(({ epoch }) => epoch), [1, 2]);
  await stage.end();
});
