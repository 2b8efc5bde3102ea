import { assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../support/until.ts";
import { eventsOf, fleetStage, PASSES, PROGRAMMER_FIRST, worksOf } from "./fleet_stage.ts";

Deno.test("a job that needs another one begins once that has passed, with what has come of it", async () => {
  await using stage = await fleetStage({ config: PROGRAMMER_FIRST });
  const script = worksOf({ thinkMs: 300 });
  await stage.replay(script);
  assertEquals((await stage.call("submit", "--run", "Write it", "--id", "first")).code, 0);
  const second = await stage.call("submit", "--run", "Look at it", "--id", "second", "--needs", "first");
  assertEquals(second.code, 0, second.stderr);
  const wrong = await stage.call("submit", "--run", "Look at it", "--id", "third", "--needs", "frist");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, 'Cannot find job "frist"; did you mean "first"?');
  stage.worker("w1", "--slots", "2");
  await stage.reaches("first", "pass");
  assertEquals(eventsOf(await stage.log("second"), "claimed"), []);
  // It changes nothing by itself.
  await stage.replay({ roles: { ...script.roles, programmer: { turns: [[{ respond: "Nothing is to do." }]] } } });
  await stage.reaches("second", "pass");

  const works = eventsOf(await stage.log("second"), "claimed").map(({ works }) => works?.map(({ job }) => job));
  assertEquals(works, [["me.first"]]);
  const ended = eventsOf(await stage.log("first"), "ended")[0]?.at ?? "";
  assertEquals((eventsOf(await stage.log("second"), "claimed")[0]?.at ?? "") > ended, true);
  const status = await stage.call("fleet", "status", "second");
  assertStringIncludes(status.stdout, "Needs   me.first\n");
  assertEquals((await stage.call("fleet", "collect", "second")).code, 0);
  assertStringIncludes((await stage.call("diff", "second")).stdout, "+done");
  await stage.end();
});

Deno.test("what needs a job that has failed fails without a start; both can be tried again, and one that waits be stopped", async () => {
  await using stage = await fleetStage({ config: { limits: { max_rounds: 1 } } });
  await stage.replay({ roles: { tester: { turns: [[{ respond: "RESULT: FAIL" }]] } } });
  assertEquals((await stage.call("submit", "--run", "Write it", "--id", "first")).code, 0);
  for (const id of ["second", "stopped"]) {
    assertEquals((await stage.call("submit", "--run", "Look at it", "--id", id, "--needs", "first")).code, 0);
  }
  assertEquals((await stage.call("fleet", "stop", "stopped")).code, 0);
  stage.worker("w1");
  await stage.reaches("stopped", "stopped");
  await stage.reaches("second", "fail");
  const status = await stage.call("fleet", "status", "second");
  assertStringIncludes(status.stdout, "it needs me.first, which has ended with fail");
  assertEquals(eventsOf(await stage.log("second"), "record"), []);

  await stage.replay(PASSES);
  for (const id of ["first", "second"]) assertEquals((await stage.call("fleet", "retry", id)).code, 0);
  await stage.reaches("first", "pass");
  await until(() => stage.state("second"), (state) => state === "pass");
  await stage.end();
});
