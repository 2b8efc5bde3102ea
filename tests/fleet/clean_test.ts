import { assertEquals, assertStringIncludes } from "@std/assert";
import { cleanFleet, connectFleet, readCredentials, readJob } from "../../lib/fleet/mod.ts";
import { fleetStage, PROGRAMMER_FIRST, worksOf } from "./fleet_stage.ts";

const DAY_MS = 24 * 3600_000;

Deno.test("jobs that ended long ago are removed with what only they have; others keep all of theirs", async () => {
  await using stage = await fleetStage({ config: PROGRAMMER_FIRST });
  await stage.replay(worksOf({ thinkMs: 100 }));
  for (const id of ["old", "new"]) {
    assertEquals((await stage.call("submit", "--run", `Write the ${id} one`, "--id", id)).code, 0);
  }
  const waits = ["submit", "--run", "Look at it", "--id", "waits", "--label", "gpu=yes", "--needs", "new"];
  assertEquals((await stage.call(...waits)).code, 0);
  stage.worker("w1");
  for (const id of ["old", "new"]) await stage.reaches(id, "pass");

  const admin = stage.credentials["admin"] ?? "";
  const nothing = await stage.callAs("admin", "fleet", "clean");
  assertEquals(nothing.code, 2);
  assertStringIncludes(nothing.stderr, "nothing is named");
  const other = await stage.call("fleet", "clean", "old");
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, "me is no admin");
  const needed = await stage.callAs("admin", "fleet", "clean", "new");
  assertEquals(needed.code, 2);
  assertStringIncludes(needed.stderr, "job me.waits needs it");
  const queued = await stage.callAs("admin", "fleet", "clean", "waits");
  assertStringIncludes(queued.stderr, "it is queued");
  const none = await stage.callAs("admin", "fleet", "clean", "--older-than", "1", "--json");
  assertEquals(JSON.parse(none.stdout).jobs, []);

  await using fleet = await connectFleet(readCredentials(admin));
  const { name } = await readJob(fleet, "old");
  const before = await fleet.objects.list();
  const cleaned = await cleanFleet(fleet, { isOld: () => true, named: [], now: new Date(Date.now() + 2 * DAY_MS) });
  // What another job waits for stays.
  assertEquals(cleaned.jobs, ["me.old"]);
  assertEquals(cleaned.objects > 0, true);
  assertEquals((await fleet.objects.list()).length, before.length - cleaned.objects);
  assertEquals(
    (await fleet.manager.streams.info("pw_log", { subjects_filter: `pw.log.me.${name.id}` })).state.subjects,
    undefined,
  );
  const collected = await stage.call("fleet", "collect", "new");
  assertEquals(collected.code, 0, collected.stderr);
  assertStringIncludes((await stage.call("diff", "new")).stdout, "+done");
  assertStringIncludes((await stage.call("fleet", "status", "old")).stderr, 'Cannot find job "old"');
  // Its id is free again.
  assertEquals(
    JSON.parse((await stage.call("submit", "--run", "Another one", "--id", "old", "--json")).stdout).isNew,
    true,
  );
});
