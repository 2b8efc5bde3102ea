import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertFenced, AT_WORK, eventsOf, type FleetStage, fleetStage, PASSES, recordsIn } from "./fleet_stage.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { sha256Hex } from "../../lib/base/text/digest.ts";
import { connectFleet, readCredentials, readJob } from "../../lib/fleet/mod.ts";
import { openJobLog } from "../../lib/fleet/job_log.ts";
import type { RunningProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

/** A worker whose agent is in the middle of a turn of the job `go-on`; the next one will pass. */
async function atWork(stage: FleetStage): Promise<RunningProgram> {
  await stage.replay(AT_WORK);
  const worker = stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  await stage.replay(PASSES);
  return worker;
}

Deno.test("a job is submitted, worked on and collected: its card is here, and one result is in its log", async () => {
  await using stage = await fleetStage();
  const submitted = await stage.call("submit", "--run", "Fix the rounding");
  assertEquals(submitted.code, 0, submitted.stderr);
  assertStringIncludes(submitted.stdout, "me.fix-the-rounding is submitted");
  assertStringIncludes(submitted.stderr, "No worker is there yet");
  stage.worker("w1");
  await stage.reaches("fix-the-rounding", "pass");

  const events = await stage.log("fix-the-rounding");
  assertEquals(eventsOf(events, "ended").map(({ outcome }) => outcome), ["pass"]);
  assertEquals(eventsOf(events, "claimed").map(({ epoch, worker }) => [epoch, worker]), [[1, "w1"]]);
  const listed = await stage.call("fleet", "ls");
  assertMatch(listed.stdout, /^me\.fix-the-rounding +pass +.* w1 +Fix the rounding$/m);
  const collected = await stage.call("fleet", "collect", "fix-the-rounding", "--json");
  assertEquals(collected.code, 0, collected.stderr);
  const { run, isChanged, workspace } = JSON.parse(collected.stdout);
  assertEquals([isChanged, workspace], [false, "fix-the-rounding"]);
  const card = await stage.call("show", run);
  assertMatch(card.stdout, /^✓ PASS/m, card.stderr);
  const logs = await stage.call("fleet", "logs", "fix-the-rounding");
  assertStringIncludes(logs.stdout, "round 1: PASS");
  await stage.end();
});

Deno.test("a worker that is killed with kill -9: another one goes on with the turn, and there is one result", async () => {
  await using stage = await fleetStage();
  const first = await atWork(stage);
  first.kill("SIGKILL");
  stage.worker("w2");
  await stage.reaches("go-on", "pass");

  const events = await stage.log("go-on");
  assertEquals(eventsOf(events, "claimed").map(({ worker }) => worker), ["w1", "w2"]);
  assertEquals(eventsOf(events, "ended").length, 1);
  const records = recordsIn(events);
  // The run is the same one: it was begun once, and resumed once.
  assertEquals(records.filter((type) => type === "run_started").length, 1);
  assertEquals(records.filter((type) => type === "run_resumed").length, 1);
  assertEquals(records.filter((type) => type === "turn_started").length, 1);
  assertEquals(records.filter((type) => type === "response_received").length, 1);
  await stage.end();
});

Deno.test("clocks that are apart by two hours: a job moves from one worker to another, once", async () => {
  await using stage = await fleetStage();
  await stage.replay(AT_WORK);
  const first = await stage.workerWithClock("+1h", "w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  await stage.replay(PASSES);
  first.kill("SIGKILL");
  await stage.workerWithClock("-1h", "w2");
  await stage.reaches("go-on", "pass");
  const events = await stage.log("go-on");
  const claims = eventsOf(events, "claimed");
  assertEquals(claims.map(({ worker }) => worker), ["w1", "w2"]);
  assertEquals(Date.parse(claims[0]!.at) - Date.parse(claims[1]!.at) > 3600_000, true);
  assertEquals([eventsOf(events, "ended").length, recordsIn(events).filter((type) => type === "turn_started").length], [
    ...[1, 1],
  ]);
  const collected = await stage.call("fleet", "collect", "go-on", "--json");
  const card = await stage.call("show", JSON.parse(collected.stdout).run);
  assertMatch(card.stdout, /^✓ PASS/m, card.stderr);
  // When a worker was seen is told by the server's clock.
  assertMatch((await stage.call("fleet", "workers")).stdout, /^machine\.w2 +ready +0\/1 +\d+ s /m);
  await stage.end();
});

Deno.test("a worker that was cut off writes nothing any more, and ends its agents", async () => {
  await using stage = await fleetStage();
  const first = await atWork(stage);
  // It stands still for longer than its lease, as a machine that sleeps does.
  first.kill("SIGSTOP");
  stage.worker("w2");
  await stage.reaches("go-on", "pass");
  first.kill("SIGCONT");
  await assertFenced(stage, first);
  await stage.end();
});

Deno.test("the server is killed and starts again with its store: the job goes on, and nothing is lost", async () => {
  await using stage = await fleetStage();
  await stage.replay({ roles: { tester: { turns: [[{ think: 4000 }, { respond: "RESULT: PASS" }]] } } });
  stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  stage.server.process().kill("SIGKILL");
  await stage.server.process().ended;
  stage.server.start();
  await stage.replay(PASSES);
  await until(() => stage.state("go-on").catch(() => ""), (state) => state === "pass");
  const events = await stage.log("go-on");
  assertEquals(eventsOf(events, "ended").length, 1);
  assertEquals(recordsIn(events).filter((type) => type === "run_started").length, 1);
});

Deno.test("two submitters with one id make one job; another task under it is refused", async () => {
  await using stage = await fleetStage({ users: [{ name: "anna", rights: "submitter" }] });
  const [one, two] = await Promise.all([
    stage.call("submit", "Write it", "--id", "ticket-17", "--json"),
    stage.call("submit", "Write it", "--id", "ticket-17", "--json"),
  ]);
  assertEquals([one, two].map(({ code }) => code), [0, 0], one.stderr + two.stderr);
  assertEquals([one, two].map(({ stdout }) => JSON.parse(stdout).isNew).toSorted(), [false, true]);
  const other = await stage.call("submit", "Remove it", "--id", "ticket-17");
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, 'its id is that of another job, "Write it"');
  // The same id of somebody else is another job.
  assertEquals((await stage.callAs("anna", "submit", "Remove it", "--id", "ticket-17")).code, 0);
  const listed = await stage.call("fleet", "ls", "--json");
  assertEquals(listed.stdout.trim().split("\n").map((line) => JSON.parse(line).job).toSorted(), [
    "anna.ticket-17",
    "me.ticket-17",
  ]);
  const nobody = await stage.call("fleet", "drain", "w9");
  assertEquals(nobody.code, 2);
  assertStringIncludes(nobody.stderr, 'Cannot drain worker "w9": there is none');
  const unclear = await stage.call("fleet", "status", "ticket-17");
  assertStringIncludes(unclear.stderr, "Cannot tell which job");
});

Deno.test("a worker that is told to end hands its job over at the end of the turn; it can be stopped and retried", async () => {
  await using stage = await fleetStage();
  const others = (turns: readonly unknown[]) =>
    Object.fromEntries(
      ["analyst", "analyst_review", "programmer", "programmer_review"].map((role) => [role, { turns }]),
    );
  const atWork = [[{ think: 3_600_000 }]];
  await stage.replay({
    roles: { tester: { turns: [[{ think: 1500 }, { respond: "RESULT: FAIL" }]] }, ...others(atWork) },
  });
  const first = stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  first.kill("SIGTERM");
  const { code } = await first.ended;
  assertEquals(code, 0, first.output.stderr);
  assertEquals(eventsOf(await stage.log("go-on"), "released").map(({ why }) => why), ["drained"]);
  assertEquals(recordsIn(await stage.log("go-on")).filter((type) => type === "response_received").length, 1);

  const second = stage.worker("w2");
  await until(async () => recordsIn(await stage.log("go-on")).filter((type) => type === "message_sent").length >= 2);
  assertEquals((await stage.call("fleet", "stop", "go-on")).code, 0);
  await stage.reaches("go-on", "stopped");
  const stopped = await stage.call("fleet", "status", "go-on");
  assertMatch(stopped.stdout, / fleet retry me\.go-on$/m);
  assertEquals((await stage.call("fleet", "retry", "go-on")).code, 0);
  await until(async () => eventsOf(await stage.log("go-on"), "claimed").length === 3);
  await until(async () => recordsIn(await stage.log("go-on")).filter((type) => type === "run_resumed").length === 2);
  assertEquals((await stage.call("fleet", "stop", "go-on")).code, 0);
  await stage.reaches("go-on", "stopped");
  second.kill("SIGTERM");
  assertEquals((await second.ended).code, 0, second.output.stderr);
});

Deno.test("a job that kills its workers is set aside after five of them, with what is known, and can be retried", async () => {
  await using stage = await fleetStage();
  await stage.replay(AT_WORK);
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  for (let number = 1; number <= 5; number++) {
    const worker = stage.worker(`w${number}`);
    await until(async () =>
      recordsIn(await stage.log("go-on").catch(() => [])).filter((type) => type === "message_sent").length >= number
    );
    worker.kill("SIGKILL");
    await worker.ended;
  }
  stage.worker("w6");
  await stage.reaches("go-on", "parked");
  const status = await stage.call("fleet", "status", "go-on");
  assertStringIncludes(status.stdout, "5 workers were lost with it");
  await stage.replay(PASSES);
  assertEquals((await stage.call("fleet", "retry", "go-on")).code, 0);
  await stage.reaches("go-on", "pass");
  assertEquals(eventsOf(await stage.log("go-on"), "ended").length, 1);
  await stage.end();
});

Deno.test("a worker that is lost after the run has ended, and before it could say so: nothing is done a second time", async () => {
  await using stage = await fleetStage();
  const worker = stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "first")).code, 0);
  await stage.reaches("first", "pass");
  worker.kill("SIGTERM");
  await worker.ended;

  // What the log of a second job would be, had its worker been killed at the last moment.
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "second")).code, 0);
  await using machine = await connectFleet(readCredentials(stage.credentials["machine"]));
  const { name, entry: { job } } = await readJob(stage.fleet, "second");
  const log = await openJobLog(machine, { job: name, writer: "test", clock: systemClock });
  const { state: { last_seq: message } } = await stage.fleet.manager.streams.info("pw_queue");
  const hash = await sha256Hex(JSON.stringify(job));
  for (const { at: _, ...event } of await stage.log("first")) {
    if (event.type === "ended") continue;
    const own = event.type === "claimed" ? { ...event, message, job: hash } : event;
    await log.append(own, { signal: AbortSignal.timeout(60_000) });
  }
  stage.worker("w2");
  await stage.reaches("second", "pass");
  const events = await stage.log("second");
  assertEquals(recordsIn(events).filter((type) => type === "run_resumed" || type === "run_started").length, 1);
  assertEquals(eventsOf(events, "ended").map(({ epoch, outcome }) => [epoch, outcome]), [[2, "pass"]]);
  await stage.end();
});
