import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { placeOfPrompt } from "./evidence.ts";
import {
  archiveJob,
  type Blow,
  describeBlow,
  growingJob,
  type JobFigures,
  planJob,
  type WalkedCommand,
  walkJob,
  windowsJob,
} from "./plan.ts";

const FIGURES: JobFigures = { spanMs: 10_000, records: 100, turns: 10, blows: [3, 6] };

Deno.test("a seed and a number give the same plan again, others give other plans", () => {
  const plan = planJob({ seed: 7, job: 3 }, FIGURES);
  assertEquals(planJob({ seed: 7, job: 3 }, FIGURES), plan);
  assertNotEquals(planJob({ seed: 8, job: 3 }, FIGURES), plan);
  assertNotEquals(planJob({ seed: 7, job: 4 }, FIGURES), plan);
});

Deno.test("plans hit everything there is, within the figures of the job", () => {
  const blows: Blow[] = [];
  for (let job = 0; job < 200; job++) {
    const plan = planJob({ seed: 1, job }, FIGURES);
    assert(plan.length >= 3 && plan.length <= 6);
    blows.push(...plan);
  }
  const strikes = blows.flatMap((blow) => blow.strikes);
  const kinds = new Set(strikes.map((strike) => {
    const how = "moment" in strike
      ? strike.moment
      : "fault" in strike
      ? `${strike.fault.when} ${strike.fault.what}`
      : "time";
    return `${strike.target} ${how}`;
  }));
  assertEquals([...kinds].sort(), [
    "agent time",
    "panewright after archive",
    "panewright after record",
    "panewright archived",
    "panewright before archive",
    "panewright before record",
    "panewright enter",
    "panewright in archive",
    "panewright in record",
    "panewright response",
    "panewright time",
    "tmux time",
  ]);
  assert(blows.some((blow) => blow.strikes.length > 1));
  assertEquals(new Set(blows.map(({ meanwhile }) => meanwhile?.target)), new Set(["agent", "tmux", undefined]));
  for (const strike of strikes) {
    if ("fault" in strike) {
      assert(strike.fault.number >= 1 && strike.fault.number <= (strike.fault.what === "record" ? 100 : 10));
    } else assert(strike.afterMs >= 0 && strike.afterMs < 10_000);
  }
  for (const { strikes: [first, ...more], pauseMs, meanwhile } of blows) {
    // Whoever is dead cannot be struck again.
    assert(more.length === 0 || first?.target === "agent");
    assert(more.every((strike) => "afterMs" in strike && !("moment" in strike)));
    assert(meanwhile === undefined || meanwhile.afterMs <= pauseMs);
  }
});

Deno.test("a walk kills after each record of a job, whatever a process writes before it continues", () => {
  const opening = ["run_resumed", "session_adopted", "agent_adopted"];
  const job = ["turn_started", "message_sending", "message_sent", "response_received", "round_finished"];
  // Within a turn each process says so and how it finds the agent.
  const again = (done: number) => done > 0 && done < 4 ? ["turn_resumed", "status_changed"] : [];
  const walk = walkJob();
  const killedAt = new Set<string>();
  let done = 0;
  let commands = 0;
  for (let last: WalkedCommand = { records: [], killed: false };; commands++) {
    const { value, done: over } = walk.next(last);
    if (over) break;
    const [strike] = value.strikes;
    assert(strike !== undefined && "fault" in strike);
    const { when, number: record } = strike.fault;
    const before = [...opening, ...again(done)];
    const all = [...before, ...job.slice(done)];
    const records = all.slice(0, when === "after" ? record : record - 1);
    const killed = all.length >= record;
    if (killed) killedAt.add(`${done}: ${when === "after" ? "after" : "at"} ${all[record - 1]}`);
    done += Math.max(0, records.length - before.length);
    // An intent that was not carried out is recorded again.
    if (killed && records.at(-1) === "message_sending") done--;
    last = { records, killed };
  }
  const at = (place: number, ...types: readonly string[]) =>
    types.flatMap((type) => [`${place}: at ${type}`, `${place}: after ${type}`]);
  assertEquals([...killedAt], [
    ...at(0, ...opening, "turn_started"),
    ...at(1, "turn_resumed", "status_changed", "message_sending", "message_sent"),
    ...at(3, "turn_resumed", "status_changed", "response_received"),
    ...at(4, "round_finished"),
  ]);
  assert(commands < 40);
});

Deno.test("the windows of a job are hit one after the other until there is none", () => {
  const job = windowsJob({ seed: 5 });
  const hit = new Set<string>();
  for (let commands = 0; commands < 50; commands++) {
    const [strike] = job.next({ records: [], killed: true }).value!.strikes;
    assert(strike !== undefined && "moment" in strike && strike.nth === 1);
    hit.add(strike.moment);
  }
  assertEquals(hit, new Set(["enter", "response", "archived"]));
  assertEquals(job.next({ records: [], killed: false }).done, true);
});

Deno.test("each response is killed before, in the middle of and after its archiving until there is none", () => {
  const job = archiveJob();
  const hit = Array.from({ length: 4 }, () => {
    const [strike] = job.next({ records: [], killed: true }).value!.strikes;
    assert(strike !== undefined && "fault" in strike && strike.fault.what === "archive" && strike.fault.number === 1);
    return strike.fault.when;
  });
  assertEquals(hit, ["before", "in", "after", "before"]);
  assertEquals(job.next({ records: [], killed: false }).done, true);
});

Deno.test("a prompt says which turn it is of", () => {
  const prompt =
    "You are the programmer of this job. Do it.\nRound 2 of at most 3, review cycle 1 of at most 8. Working";
  assertEquals(placeOfPrompt(prompt), { role: "programmer", round: 2, cycle: 1, turnId: "r2-programmer-c1" });
  const tester = "Context.\nYou are the tester of this job. Test.\nRound 1 of at most 3. Working directory: /w";
  assertEquals(placeOfPrompt(tester)?.turnId, "r1-tester");
  assertEquals(placeOfPrompt("You were interrupted. Go on."), undefined);
});

Deno.test("a job whose agents end with panewright is hit at ever later records, until a command is not killed", () => {
  const blows = growingJob();
  const next = (killed: boolean) => blows.next({ records: [], killed });
  const hits = [next(true), next(true), next(true), next(true)].map(({ value }) => value && describeBlow(value));
  assertEquals(hits.map((hit) => hit?.split(";")[0]), [
    "panewright before record 1",
    "panewright in record 1",
    "panewright after record 1",
    "panewright before record 2",
  ]);
  assertEquals(next(false).done, true);
});
