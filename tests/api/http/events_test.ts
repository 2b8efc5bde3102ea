import { assertEquals } from "@std/assert";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { eventFrame, streamEvents } from "../../../lib/api/follow/event_stream.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { DEFAULT_LIMITS } from "../../../lib/api/http/deps.ts";
import { RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { type ReadEvent, readEvents, testServer } from "./support.ts";

function roundLine(round: number): string {
  return `${JSON.stringify({ at: "2026-11-20T08:00:00Z", type: "round_started", round, maxRounds: 8 })}\n`;
}

/** What an event tells, in short. */
function short({ id, event, data }: ReadEvent): string {
  if (event === "message") return `${id} ${data.type}${data.round === undefined ? "" : ` ${data.round}`}`;
  if (event === "gap") return `${id} gap ${data.why} ${data.from}-${data.to ?? ""}`;
  return `${event} ${data.sequence} ${data.executed}`;
}

/** The next events of a stream, in short. */
async function take(events: AsyncGenerator<ReadEvent>, count: number): Promise<readonly string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    taken.push(short(value));
  }
  return taken;
}

const EVENTS = `/v1/runs/${RUN_ID}/events`;

Deno.test("events: the records that are there, their ids, and what happens next", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const response = await server.ask(EVENTS);
  assertEquals([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
  const events = readEvents(response);
  assertEquals(await take(events, 3), ["1 journal_opened", "2 run_started", "state 2 true"]);
  await Deno.writeTextFile(folder.journalPath, roundLine(1), { append: true });
  assertEquals(await take(events, 1), ["3 round_started 1"]);
  await events.return(undefined);
});

Deno.test("events: a client that comes back gets exactly what it has not seen, also of a run that is over", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2), { append: true });
  await using server = testServer(dir.path);
  const all = async (init: RequestInit, query = "?follow=false") =>
    await take(readEvents(await server.ask(`${EVENTS}${query}`, init)), 99);
  assertEquals(await all({ headers: { "Last-Event-ID": "3" } }), ["4 round_started 2", "state 4 false"]);
  assertEquals(await all({}, "?follow=false&after=4"), ["state 4 false"]);
  assertEquals(await all({ headers: { "Last-Event-ID": "9" } }), ["4 gap cut 5-9", "state 4 false"]);
});

Deno.test("events: all who follow are told the same, and one that leaves disturbs nobody", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const clients = await Promise.all(Array.from({ length: 20 }, async () => readEvents(await server.ask(EVENTS))));
  for (const client of clients) await take(client, 3);
  await clients.shift()!.return(undefined);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2), { append: true });
  const told = await Promise.all(clients.map((client) => take(client, 2)));
  assertEquals(new Set(told.map(String)), new Set(["3 round_started 1,4 round_started 2"]));
  for (const client of clients) await client.return(undefined);
});

Deno.test("events: an event that is larger than a client's queue reaches it, unless too much waits already", async () => {
  const limits = { ...DEFAULT_LIMITS, queueBytes: 8 * 1024 };
  const large = eventFrame({ id: 3, data: "A long story. ".repeat(1000) });
  const told = async (frames: readonly Uint8Array<ArrayBuffer>[]) => {
    const { signal } = new AbortController();
    const response = streamEvents((stream) => {
      for (const frame of frames) stream.send(frame);
      return Promise.resolve();
    }, { limits, clock: systemClock, signal });
    const ids: (string | undefined)[] = [];
    try {
      for await (const { id } of readEvents(response)) ids.push(id);
    } catch {
      ids.push("dropped");
    }
    return ids;
  };
  assertEquals(await told([large]), ["3"]);
  assertEquals(await told([large, eventFrame({ id: 4, data: {} })]), ["dropped"]);
});
