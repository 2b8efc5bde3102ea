import { assertEquals, assertStringIncludes } from "@std/assert";
import { connectFleet, readCaps, readCredentials, readSpent } from "../../lib/fleet/mod.ts";
import { countTokens, createTokenMeter } from "../../lib/fleet/caps.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { until } from "../support/until.ts";
import { eventsOf, fleetStage } from "./fleet_stage.ts";

Deno.test("tokens of a day are counted once, whoever counts beside it; a cap that is reached keeps jobs from being taken", async () => {
  await using stage = await fleetStage();
  const none = await stage.call("fleet", "cap");
  assertEquals(none.stdout, "The fleet has no caps.\n");
  const refused = await stage.call("fleet", "cap", "100");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "Cannot set a cap of the fleet: me is no admin");
  const odd = await stage.callAs("admin", "fleet", "cap", "many");
  assertStringIncludes(odd.stderr, 'Cannot set the cap "many": it is no number of tokens');
  assertEquals((await stage.callAs("admin", "fleet", "cap", "1000", "--label", "team=shop")).code, 0);
  assertEquals((await stage.callAs("admin", "fleet", "cap", "900000")).code, 0);

  await using machine = await connectFleet(readCredentials(stage.credentials["machine"]));
  const now = new Date();
  const signal = AbortSignal.timeout(60_000);
  const count = (tokens: number) =>
    countTokens(machine, { labels: { team: "shop" } }, { tokens, now, clock: systemClock, signal });
  await Promise.all(Array.from({ length: 20 }, () => count(50)));
  const spent = async (label?: string) =>
    await readSpent(stage.fleet, { tokensPerDay: 0, ...(label === undefined ? {} : { label }) }, { now });
  assertEquals([await spent(), await spent("team=shop"), await spent("team=other")], [1000, 1000, 0]);

  stage.worker("w1", "--label", "team=shop");
  for (const [id, label] of [["capped", ["--label", "team=shop"]], ["free", []]] as const) {
    assertEquals((await stage.call("submit", "--run", "Go on", "--id", id, ...label)).code, 0);
  }
  await stage.reaches("free", "pass");
  assertEquals(eventsOf(await stage.log("capped"), "claimed"), []);
  const status = await stage.call("fleet", "status", "capped");
  assertStringIncludes(status.stdout, "the fleet's cap of team=shop of 1,000 tokens a day is reached");
  const told = await stage.call("fleet", "cap");
  assertStringIncludes(told.stdout, "team=shop: 1,000 of 1,000 tokens today (UTC)");
  assertEquals((await stage.callAs("admin", "fleet", "cap", "none", "--label", "team=shop")).code, 0);
  assertEquals((await readCaps(stage.fleet)).map(({ tokensPerDay }) => tokensPerDay), [900000]);
  await stage.reaches("capped", "pass");
  await machine.connection.close();
  await stage.end();
});

Deno.test("caps and counts that nobody who may has written are not believed: no job is taken by them", async () => {
  await using stage = await fleetStage();
  await using admin = await connectFleet(readCredentials(stage.credentials["admin"]));
  const call = (...args: readonly string[]) => stage.callAs("admin", "fleet", "cap", ...args);
  assertEquals((await call("1000")).code, 0);
  // The server can be made to say it for anybody who may read.
  const spent = `spent.${new Date().toISOString().slice(0, 10)}.all`;
  const worker = stage.worker("w1");
  const refused = (key: string) => `Cannot read the caps of the fleet: nobody who may has written "${key}"`;
  await admin.caps.put("limits", '{"caps":[]}');
  const told = await stage.call("fleet", "cap");
  assertEquals(told.code, 1);
  assertStringIncludes(told.stderr, refused("limits"));
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(() => worker.output.stderr, (text) => text.includes(refused("limits")));
  assertEquals((await call("1000")).code, 0);
  await stage.reaches("go-on", "pass");
  await admin.caps.put(spent, '{"tokens":0}');
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "again")).code, 0);
  await until(() => worker.output.stderr, (text) => text.includes(refused(spent)));
  assertEquals(await stage.state("again"), "queued");
});

Deno.test("what a run has used more is told with each line of its journal, and nothing of it twice by the next worker", async () => {
  const lines = (await Deno.readTextFile("fixtures/journals/records/exec.ndjson")).trim().split("\n");
  const whole = createTokenMeter([]);
  const used = lines.map(whole);
  const sum = used.reduce((before, tokens) => before + tokens, 0);
  assertEquals(sum > 0, true);
  const half = Math.floor(lines.length / 2);
  const next = createTokenMeter(lines.slice(0, half));
  assertEquals(lines.slice(half).map(next), used.slice(half));
});
