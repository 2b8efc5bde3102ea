import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { AT_WORK, type FleetStage, fleetStage, PASSES, PROGRAMMER_FIRST, worksOf } from "./fleet_stage.ts";
import { until } from "../support/until.ts";

/** Waits until the run of the job `go-on` is here, and in that state; its id. */
async function reachesHere(stage: FleetStage, state: string): Promise<string> {
  const shown = await until(
    () => stage.call("show", "go-on", "--json"),
    ({ code, stdout }) => code === 0 && JSON.parse(stdout).state === state,
  );
  return JSON.parse(shown.stdout).run;
}

Deno.test("a job that is followed is here as it goes on: lists, its card and its journal say what it does", async () => {
  await using stage = await fleetStage({ config: PROGRAMMER_FIRST });
  await stage.replay(worksOf({ thinkMs: 2000 }));
  const followed = stage.start("fleet", "follow");
  await until(() => followed.output.stdout, (text) => text.includes("as they go on"));
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  stage.worker("w1");
  const run = await reachesHere(stage, "running");
  assertStringIncludes((await stage.call("runs")).stdout, run);
  assertStringIncludes((await stage.call("status", run)).stdout, "running, executed by job me.go-on of a fleet");
  const refused = await stage.call("resume", run);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, `run ${run} is that of job me.go-on, which other machines execute`);
  assertStringIncludes(refused.stderr, "panewright fleet retry me.go-on");
  for (const words of [["send", run, "programmer", "Hurry up"], ["takeover", run]]) {
    const unheard = await stage.call(...words);
    assertEquals(unheard.code, 2);
    assertStringIncludes(unheard.stderr, "What can be done with it tells: panewright fleet status me.go-on");
  }

  await reachesHere(stage, "passed");
  const lines = (await stage.log("go-on")).flatMap((event) => event.type === "record" ? [event.line] : []);
  const shown = await stage.call("logs", run, "--json");
  assertEquals(shown.stdout.trimEnd().split("\n").length >= lines.length, true, shown.stdout);
  const card = await stage.call("show", run);
  assertMatch(card.stdout, /^✓ PASS/m, card.stderr);
  assertStringIncludes(card.stdout, "work.txt");
  const applied = await stage.call("apply", "go-on");
  assertEquals(applied.code, 0, applied.stderr);
  assertEquals(await Deno.readTextFile(`${stage.project}/work.txt`), "done\n");
  assertMatch(followed.output.stdout, /^me\.go-on: worker w1 takes it \(1\)\n(?:.*\n)*me\.go-on: pass: /m);
  followed.kill("SIGINT");
  assertEquals((await followed.ended).code, 130);
  await stage.end();
});

Deno.test("a job that is followed is stopped by its run, tried again, and followed to its end; the server goes away meanwhile", async () => {
  await using stage = await fleetStage();
  await stage.replay(AT_WORK);
  stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  const followed = stage.start("fleet", "follow");
  const run = await reachesHere(stage, "running");
  // Without anybody who follows it, what is said here would reach nobody.
  followed.kill("SIGKILL");
  await followed.ended;
  const unheard = await stage.call("stop", run);
  assertEquals(unheard.code, 2, unheard.stdout);
  assertStringIncludes(unheard.stderr, "panewright fleet stop me.go-on");
  assertStringIncludes((await stage.call("show", "go-on")).stdout, "Job me.go-on is not followed here");
  const again = stage.start("fleet", "follow");
  await reachesHere(stage, "running");
  // One process writes what is here.
  for (const act of ["follow", "collect"]) {
    const second = await stage.call("fleet", act, "go-on");
    assertEquals(second.code === 0, false, second.stdout);
    assertMatch(second.stderr, /Cannot work with go-on: process \d+ has it/);
  }
  const stopped = await stage.call("stop", run);
  assertEquals(stopped.code, 0, stopped.stderr);
  assertStringIncludes(stopped.stdout, `Run ${run} was stopped where it was: job me.go-on.`);
  assertStringIncludes(stopped.stdout, "panewright fleet retry me.go-on");
  await stage.reaches("go-on", "stopped");
  await reachesHere(stage, "stopped");

  await stage.replay(PASSES);
  assertEquals((await stage.call("fleet", "retry", "go-on")).code, 0);
  stage.server.process().kill("SIGKILL");
  await stage.server.process().ended;
  stage.server.start();
  assertEquals(await reachesHere(stage, "passed"), run);
  assertEquals(again.output.stderr, "");
  const named = await stage.call("fleet", "follow", "go-on");
  assertEquals(named.code, 0, named.stderr);
  again.kill("SIGINT");
  await again.ended;
  await stage.end();
});
