import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import type { ReportHeader } from "../../../lib/api/report/model.ts";
import type { JournalRecord } from "../../../lib/journal/follow_journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import type { EventStream } from "../../../lib/api/follow/event_stream.ts";
import { DEFAULT_LIMITS } from "../../../lib/api/http/deps.ts";
import { ReportFeed } from "../../../lib/api/follow/report_feed.ts";
import type { HubListener, RunHub } from "../../../lib/api/follow/run_hub.ts";
import { agentReady, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { type ReadEvent, readEvents, testServer } from "./support.ts";

const REPORT = `/v1/runs/${RUN_ID}/report`;

function roundLine(round: number): string {
  return `${JSON.stringify({ at: "2026-11-20T08:00:00Z", type: "round_started", round, maxRounds: 8 })}\n`;
}

async function next(events: AsyncGenerator<ReadEvent>): Promise<ReadEvent> {
  const { value } = await events.next();
  return value;
}

Deno.test("report: what changes after it was read, each item once, also for who comes back", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const report = await (await server.ask(REPORT)).json();
  const { sequence } = report.header;
  assertEquals([report.header.runId, report.header.executed], [RUN_ID, true]);
  const events = readEvents(await server.ask(`${REPORT}/events?after=${sequence}`));
  assertEquals((await next(events)).data.items, []);
  await Deno.writeTextFile(folder.journalPath, roundLine(1), { append: true });
  const { id, event, data } = await next(events);
  assertMatch(id ?? "", new RegExp(`^${sequence + 1}-`));
  assertEquals([event, data.sequence], ["message", sequence + 1]);
  assertEquals(data.items.map(({ sequence }: { sequence: number }) => sequence), [sequence + 1]);
  await events.return(undefined);

  const again = readEvents(await server.ask(`${REPORT}/events`, { headers: { "Last-Event-ID": String(sequence) } }));
  assertEquals((await next(again)).data.items, data.items);
  await again.return(undefined);
});

Deno.test("report: who knows what is not there any more is told to read it anew", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const text = await Deno.readTextFile(folder.journalPath);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2), { append: true });
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const events = readEvents(await server.ask(`${REPORT}/events?after=4`));
  assertEquals((await next(events)).event, "message");
  await Deno.writeTextFile(folder.journalPath, text + roundLine(7));
  assertEquals((await next(events)).event, "reset");
  await events.return(undefined);
  const late = readEvents(await server.ask(`${REPORT}/events?after=99`));
  assertEquals((await next(late)).event, "reset");
  await late.return(undefined);
});

Deno.test("report: who was away while the journal was cut, and grew again, is told to read it anew", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const text = await Deno.readTextFile(folder.journalPath);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2), { append: true });
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const here = readEvents(await server.ask(`${REPORT}/events?after=4`));
  const { id = "" } = await next(here);
  assertMatch(id, /^4-/);
  await Deno.writeTextFile(folder.journalPath, text + [7, 8, 9].map(roundLine).join(""));
  assertEquals((await next(here)).event, "reset");
  while ((await next(here)).data.sequence !== 5);
  const back = readEvents(await server.ask(`${REPORT}/events`, { headers: { "Last-Event-ID": id } }));
  assertEquals((await next(back)).event, "reset");
  const fresh = readEvents(await server.ask(`${REPORT}/events?after=5`));
  assertEquals((await next(fresh)).event, "message");
  for (const events of [here, back, fresh]) await events.return(undefined);
});

Deno.test("report: who has missed more than its queue takes gets on nevertheless", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path, { limits: { ...DEFAULT_LIMITS, queueBytes: 512 * 1024 } });
  const { sequence } = (await (await server.ask(REPORT)).json()).header;
  const here = readEvents(await server.ask(`${REPORT}/events?after=${sequence}`));
  const { id = "" } = await next(here);
  const message = "A warning that is long. ".repeat(1500);
  for (let count = 1; count <= 30; count++) {
    const warning = { at: "2026-11-20T08:00:00Z", type: "warning", message: `${count} ${message}` };
    await Deno.writeTextFile(folder.journalPath, `${JSON.stringify(warning)}\n`, { append: true });
    while ((await next(here)).data.sequence !== sequence + count);
  }
  const back = readEvents(await server.ask(`${REPORT}/events`, { headers: { "Last-Event-ID": id } }));
  assertEquals((await next(back))?.event, "reset");
  for (const events of [here, back]) await events.return(undefined);
});

Deno.test("report: what comes while it is read is in it, or is told after its sequence", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const over = new AbortController();
  let tell: HubListener = () => {};
  let sequence = 2;
  const hub: RunHub = {
    folder,
    ready: Promise.resolve(),
    progress: undefined,
    get sequence() {
      return sequence;
    },
    problem: undefined,
    executed: true,
    signal: over.signal,
    once: (make) => make(hub),
    listen(listener) {
      tell = listener;
      return () => {};
    },
  };
  const feed = new ReportFeed(hub, { redactor: createRedactor([]), env: () => undefined });
  const reading = feed.report();
  let isRead = false;
  const read = reading.finally(() => isRead = true);
  while (!isRead) {
    // What the report waits for is there at once, or not.
    for (let each = 0; each < 20; each++) {
      const line = roundLine(++sequence);
      const fact = { at: "2026-11-20T08:00:00Z", type: "round_started", round: sequence, maxRounds: 8 };
      tell({ kind: "record", sequence, line, record: fact, fact, job: REVIEW_LOOP } as unknown as JournalRecord);
      await Promise.resolve();
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  const { header, items } = await read;
  assertNotEquals(header.sequence, 2, "nothing came while it was read");
  const told = new Set(items.map((item) => item.sequence));
  for (let each = 3; each <= header.sequence; each++) assertEquals([each, told.has(each)], [each, true]);
});

Deno.test("report: that the process has ended is told, also while its last record is being told", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const over = new AbortController();
  let tell: HubListener = () => {};
  let [sequence, executed] = [2, true];
  const hub: RunHub = {
    ...{ folder, ready: Promise.resolve(), progress: undefined, problem: undefined, signal: over.signal },
    get sequence() {
      return sequence;
    },
    get executed() {
      return executed;
    },
    once: (make) => make(hub),
    listen(listener) {
      tell = listener;
      return () => {};
    },
  };
  const feed = new ReportFeed(hub, { redactor: createRedactor([]), env: () => undefined });
  const heard: { readonly sequence: number; readonly header: ReportHeader }[] = [];
  const send = (frame: Uint8Array) =>
    heard.push(JSON.parse(/^data: (.*)$/m.exec(new TextDecoder().decode(frame))![1]!));
  const stream: EventStream = { signal: over.signal, drained: async () => {}, send };
  const sending = feed.send(stream, { sequence });
  await until(() => heard.length === 1);
  const line = roundLine(++sequence);
  const fact = { at: "2026-11-20T08:00:00Z", type: "round_started", round: 1, maxRounds: 8 };
  tell({ kind: "record", sequence, line, record: fact, fact, job: REVIEW_LOOP } as unknown as JournalRecord);
  // It has begun to tell the record, and has asked how the run is.
  for (let each = 0; each < 2; each++) await Promise.resolve();
  executed = false;
  tell({ kind: "state", sequence, executed });
  await until(() => heard.at(-1)?.header.executed === false);
  assertEquals(heard.at(-1)?.sequence, sequence);
  over.abort();
  await sending;
});
