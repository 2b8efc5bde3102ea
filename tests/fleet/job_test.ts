import { assertEquals, assertThrows } from "@std/assert";
import { fits, type JobEvent, jobState, queueOf, readEvent, readLabels, readQueued } from "../../lib/fleet/job.ts";
import { jobOfQueueSubject, parseJob, queueSubject } from "../../lib/fleet/names.ts";

const at = "2026-11-30T12:00:00Z";
const claimed = (epoch: number, more: object = {}): JobEvent =>
  ({ type: "claimed", at, epoch, worker: `w${epoch}`, job: "hash", message: 7, heard: 0, ...more }) as JobEvent;
const line = (type: string) => `{"at":"${at}","prev":"${"0".repeat(64)}","type":"${type}"}`;
const record = (epoch: number, type: string): JobEvent => ({ type: "record", at, epoch, line: line(type) });
const saved: JobEvent = { type: "saved", at, epoch: 1, run: "r", commit: "c1", work: "b1", files: { "run/a": "h" } };

Deno.test("a job's log says where it stands, who has it, and what its next worker begins with", () => {
  assertEquals(jobState([]).state, "queued");
  const running = jobState([claimed(1), saved, record(1, "run_started")]);
  assertEquals([running.state, running.worker, running.message, running.run], ["running", "w1", 7, "r"]);
  assertEquals(running.lines, [line("run_started")]);
  assertEquals(running.work, { commit: "c1", bundle: "b1" });
  const waiting = jobState([
    claimed(1),
    saved,
    { type: "released", at, epoch: 1, why: "waiting", reason: "asks", questions: [{ id: "q1", text: "Which?" }] },
  ]);
  assertEquals([waiting.state, waiting.questions.length, waiting.message], ["waiting", 1, undefined]);
});

Deno.test("workers that are lost are counted until a run gets further", () => {
  assertEquals(jobState([claimed(1), claimed(2), claimed(3)]).lost, 2);
  assertEquals(
    jobState([claimed(1), claimed(2), { ...record(2, "turn_ended"), isRest: true } as JobEvent, claimed(3)]).lost,
    1,
  );
  const broken: JobEvent = { type: "released", at, epoch: 1, why: "broken", reason: "no login" };
  assertEquals(jobState([claimed(1), broken, claimed(2), { ...broken, epoch: 2 }]).lost, 2);
  assertEquals(jobState([claimed(1), { ...broken, why: "drained" }, claimed(2)]).lost, 0);
});

Deno.test("a run that has passed or failed begins anew when it is tried again; one that broke off goes on", () => {
  const ended = (outcome: "fail" | "error"): JobEvent => ({ type: "ended", at, epoch: 1, outcome, reason: "so" });
  const before = [claimed(1), saved, record(1, "run_started")];
  const anew = jobState([...before, ended("fail"), claimed(2)]);
  assertEquals([anew.run, anew.work, anew.lines, anew.files], [undefined, undefined, [], {}]);
  const further = jobState([...before, ended("error"), claimed(2)]);
  assertEquals([further.run, further.lines.length], ["r", 1]);
});

Deno.test("what is no event, no job and no label says what is wrong with it", () => {
  assertThrows(() => readEvent('{"type":"claimed","after":0}'), Error, 'its "epoch" is missing or wrong');
  assertThrows(() => readEvent('{"type":"eaten"}'), Error, 'nothing is known of a "eaten"');
  assertThrows(() => readQueued("{}"), Error, "it has no job");
  assertThrows(() => readQueued('{"job":{"v":2}}'), Error, "it is of version 2");
  assertThrows(() => readLabels(["os"]), Error, 'Cannot read the label "os"');
});

Deno.test("a worker takes what its labels fit; jobs that want the same share a queue", async () => {
  assertEquals(fits({ gpu: "yes" }, { os: "linux", gpu: "yes" }), true);
  assertEquals(fits({ gpu: "yes" }, { os: "linux" }), false);
  assertEquals(await queueOf({ a: "1", b: "2" }), await queueOf({ b: "2", a: "1" }));
  assertEquals(await queueOf({}), "any");
});

Deno.test("a job's name stands in its subjects, with who has put it there", () => {
  const job = { author: "anna", id: "ticket-17" };
  const subject = queueSubject(job, { by: "bob", queue: "any", priority: "low" });
  assertEquals(jobOfQueueSubject(subject), { job, by: "bob" });
  assertEquals(parseJob("anna.ticket-17"), job);
  for (const odd of ["anna", "anna.a.b", "anna.*", ".x", "an na.x"]) assertEquals(parseJob(odd), undefined);
});
