import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { JOBS } from "../../lib/jobs/mod.ts";
import { PanewrightError } from "../../lib/base/errors.ts";
import { followJournal, type FollowJournalOptions, type JournalEntry } from "../../lib/journal/follow_journal.ts";
import { tryLockFile } from "../../lib/base/ports/lock_file.ts";
import { cutDamagedJournal } from "../../lib/journal/read_facts.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { RUN_ID, writeReview } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const ROUND = { at: "2026-11-20T08:00:00Z", type: "round_started", maxRounds: 8 };

/** A record of a round as a line. */
function roundLine(round: number): string {
  return `${JSON.stringify({ ...ROUND, round })}\n`;
}

/** Follows a journal, and keeps in short what it is told, the pauses left out; disposal ends it. */
function follow(folder: RunFolder, options: Partial<FollowJournalOptions> = {}) {
  const controller = new AbortController();
  const told: string[] = [];
  let pauses = 0;
  const following = (async () => {
    const entries = followJournal(folder, { jobs: JOBS, signal: controller.signal, ...options });
    for await (const entry of entries) {
      if (entry.kind === "pause") pauses++;
      else told.push(short(entry));
    }
  })();
  const ended = following.catch((error) => {
    if (!controller.signal.aborted) throw error;
  });
  return {
    told,
    ended,
    /** Waits until the next look is over. */
    async look(): Promise<readonly string[]> {
      const before = pauses;
      // The look that is under way may have begun before what the test did.
      await until(() => pauses >= before + 2);
      return told;
    },
    async [Symbol.asyncDispose]() {
      controller.abort();
      await ended;
    },
  };
}

function short(entry: Exclude<JournalEntry, { readonly kind: "pause" }>): string {
  if (entry.kind === "record") {
    const { type, round } = entry.record;
    return `${entry.sequence} ${type}${round === undefined ? "" : ` ${round}`}`;
  }
  return `gap ${entry.why} ${entry.from}-${entry.to ?? ""}`;
}

const BEGIN = ["1 journal_opened", "2 run_started"];

Deno.test("followJournal: the records that are there, then each as it is written, whole lines only", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await using follower = follow(folder);
  assertEquals(await follower.look(), BEGIN);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2).slice(0, 20), { append: true });
  await until(() => follower.told.length === 3);
  await Deno.writeTextFile(folder.journalPath, roundLine(2).slice(20), { append: true });
  await until(() => follower.told.length === 4);
  assertEquals(follower.told.slice(2), ["3 round_started 1", "4 round_started 2"]);
});

Deno.test("followJournal: a follower that has a part gets the rest, exactly once", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2), { append: true });
  await using follower = follow(folder, { after: 3 });
  assertEquals(await follower.look(), ["4 round_started 2"]);
});

Deno.test("followJournal: a pause tells what there is, and whether a process executes the run", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const first = async () => {
    const entries = followJournal(folder, { jobs: JOBS, signal: new AbortController().signal });
    for await (const entry of entries) if (entry.kind === "pause") return entry;
    return undefined;
  };
  assertEquals(await first(), { kind: "pause", sequence: 2, executed: false });
  using _held = await tryLockFile(folder.lockPath, "process 1");
  assertEquals(await first(), { kind: "pause", sequence: 2, executed: true });
});

Deno.test("followJournal: sequences that the journal does not have any more are a gap", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await using follower = follow(folder, { after: 7 });
  assertEquals(await follower.look(), ["gap cut 3-7"]);
  await Deno.writeTextFile(folder.journalPath, roundLine(1), { append: true });
  await until(() => follower.told.length === 2);
  assertEquals(follower.told[1], "3 round_started 1");
});

Deno.test("followJournal: at a line that cannot be read it waits until the journal was cut there", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await Deno.writeTextFile(folder.journalPath, `${roundLine(1)}no record\n${roundLine(2)}`, { append: true });
  await using follower = follow(folder);
  assertEquals(await follower.look(), [...BEGIN, "3 round_started 1", "gap unreadable 4-"]);
  await cutDamagedJournal(folder, JOBS);
  await Deno.writeTextFile(folder.journalPath, roundLine(3), { append: true });
  await until(() => follower.told.length > 4);
  assertEquals((await follower.look()).slice(4), ["4 round_started 3"]);
});

Deno.test("followJournal: a journal that was cut and continued is told anew from the first other line", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const text = await Deno.readTextFile(folder.journalPath);
  await Deno.writeTextFile(folder.journalPath, roundLine(1) + roundLine(2) + roundLine(3), { append: true });
  await using follower = follow(folder);
  await follower.look();
  follower.told.length = 0;
  await Deno.writeTextFile(folder.journalPath, text + roundLine(1) + roundLine(5) + roundLine(6) + roundLine(7));
  await until(() => follower.told.length > 0);
  assertEquals(await follower.look(), [
    "gap cut 4-5",
    "4 round_started 5",
    "5 round_started 6",
    "6 round_started 7",
  ]);
});

Deno.test("followJournal: it waits for a journal, and ends when it was removed", async () => {
  await using dir = await tempDir();
  const folder = runFolderAt(dir.path, RUN_ID);
  await using follower = follow(folder);
  assertEquals(await follower.look(), []);
  await writeReview(dir, []);
  await until(() => follower.told.length === 2);
  await Deno.remove(folder.path, { recursive: true });
  await follower.ended;
  assertEquals(follower.told, [...BEGIN, "gap removed 1-2"]);
});

Deno.test("followJournal: what a follower has of a run that was removed is a gap", async () => {
  await using dir = await tempDir();
  await using follower = follow(runFolderAt(dir.path, RUN_ID), { after: 3 });
  await follower.ended;
  assertEquals(follower.told, ["gap removed 1-3"]);
});

Deno.test("followJournal: a link in the journal's place is not followed", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await Deno.rename(folder.journalPath, `${dir.path}/elsewhere`);
  await Deno.symlink(`${dir.path}/elsewhere`, folder.journalPath);
  const entries = followJournal(folder, { jobs: JOBS, signal: new AbortController().signal });
  const error = await assertRejects(() => entries.next(), PanewrightError);
  assertStringIncludes(error.message, "it is a link");
});
