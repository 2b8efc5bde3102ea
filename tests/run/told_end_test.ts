import { basename } from "@std/path/posix";
import { assertEquals } from "@std/assert";
import { JOBS } from "../../lib/jobs/mod.ts";
import type { Channel } from "../../lib/run/notify/channel.ts";
import { isEndDue, noteEndDue } from "../../lib/run/notify/end_due.ts";
import { readEntries } from "../../lib/run/notify/outbox_file.ts";
import { present } from "../../lib/base/schema.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import type { RunFolder } from "../../lib/run/run_folder.ts";
import { lockRun } from "../../lib/run/run_lock.ts";
import { hasUntoldEnd, keepUntoldEnd } from "../../lib/run/told_end.ts";
import { reviewFinished, writeReview } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

const HOUR_MS = 3_600_000;

const CHANNELS = (["ntfy", "webhook"] as const).map((id): Channel => ({
  ...{ id, where: id, maxAgeMs: 72 * HOUR_MS, hasButtons: false },
  deliver: () => Promise.reject(new Error("nothing is delivered here")),
}));

async function endedAt(folder: RunFolder): Promise<number> {
  const [last = ""] = (await Deno.readTextFile(folder.journalPath)).trimEnd().split("\n").slice(-1);
  return Date.parse(JSON.parse(last).at);
}

/** Puts what is due in the outbox, so long after the end: what is there then. */
async function keep(folder: RunFolder, hours = 1, ends?: "digest") {
  const now = new Date(await endedAt(folder) + hours * HOUR_MS);
  const had = await hasUntoldEnd(folder, { jobs: JOBS, now });
  const how = {
    jobs: JOBS,
    now,
    channels: CHANNELS,
    redactor: createRedactor(["correct-horse"]),
    ...present({ ends }),
  };
  await keepUntoldEnd(folder, how);
  const entries = await readEntries(folder);
  return { had, entries, isDue: isEndDue(folder) };
}

Deno.test("an end that is due has one message for each channel, however often it is kept", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [reviewFinished("fail", "correct-horse is wrong\n| the screen")]);
  await noteEndDue(folder);
  {
    using _executed = await lockRun(folder);
    assertEquals(await hasUntoldEnd(folder, { jobs: JOBS, now: new Date(await endedAt(folder)) }), false);
  }
  const first = await keep(folder);
  assertEquals([first.had, first.isDue], [true, false]);
  assertEquals(first.entries.map(({ channel }) => channel).toSorted(), ["ntfy", "webhook"]);
  const { text, title, priority } = first.entries[0]!.notification;
  assertEquals([title, text, priority], ["panewright: fail", `${basename(dir.path)}: redactedxxxxx is wrong`, 4]);
  assertEquals(Date.parse(first.entries[0]!.at), await endedAt(folder));
  // Killed after the messages were written, and before the note was removed.
  await noteEndDue(folder);
  const again = await keep(folder);
  assertEquals(new Set(again.entries.map(({ id }) => id)), new Set(first.entries.map(({ id }) => id)));
});

Deno.test("where the digest tells of ends, only one that needs a person is told by itself", async () => {
  for (const [outcome, count] of [["pass", 0], ["fail", 0], ["error", 0], ["needs_human", 2]] as const) {
    await using dir = await tempDir();
    const folder = await writeReview(dir, [reviewFinished(outcome)]);
    await noteEndDue(folder);
    const { entries, isDue } = await keep(folder, 1, "digest");
    assertEquals([entries.length, isDue], [count, false], outcome);
  }
});

Deno.test("the message about an end says what was recovered, although only the journal's ends are read", async () => {
  await using dir = await tempDir();
  const recovered = [{ recovery: "pause", class: "overloaded", times: 2, seconds: 90 }] as const;
  const many = Array.from(
    { length: 3000 },
    (_, at) => ({ type: "note", message: `note ${at}`, role: "tester" }) as const,
  )
    .map((note) => ({ ...note, passable: true }));
  const end = reviewFinished("pass");
  if (end.type !== "run_finished") throw new TypeError("It is no end");
  const folder = await writeReview(dir, [...many, { ...end, recovered }]);
  await noteEndDue(folder);
  const { entries: [entry] } = await keep(folder);
  assertEquals(entry?.notification.text.split("\n").at(-1), "Recovered: overloaded 2 times, 1m 30s");
});

for (
  const [name, outcome, { isNoted = true, hours = 1 }] of [
    ["without a note nobody is told", "pass", { isNoted: false }],
    ["an end of three days ago is not told any more", "pass", { hours: 72 }],
    ["who has ended a run is not told so", "interrupted", {}],
    ["that a run waits for an answer was told as the question", "waiting", {}],
  ] as const
) {
  Deno.test(`${name}, and nothing is left`, async () => {
    await using dir = await tempDir();
    const folder = await writeReview(dir, [reviewFinished(outcome)]);
    if (isNoted) await noteEndDue(folder);
    const { entries, isDue } = await keep(folder, hours);
    assertEquals([entries, isDue], [[], false]);
  });
}

Deno.test("a run that was killed at work has no end: the note stays for whoever resumes it", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await noteEndDue(folder);
  assertEquals(await keep(folder), { had: false, entries: [], isDue: true });
});

Deno.test("what stands in the place of the outbox is not touched", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  const folder = await writeReview(dir, [reviewFinished("pass")]);
  await Deno.writeTextFile(folder.outboxDir, "");
  assertEquals([isEndDue(folder), await noteEndDue(folder).catch(({ name }) => name)], [false, "UnreadableFileError"]);
  await Deno.remove(folder.outboxDir);
  await Deno.symlink(outside.path, folder.outboxDir);
  assertEquals(await noteEndDue(folder).catch(({ name }) => name), "UnreadableFileError");
  assertEquals([...Deno.readDirSync(outside.path)], []);
});
