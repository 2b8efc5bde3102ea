import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { leaveAnswer, readAnswer } from "../../lib/turn/desk/answers.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { isLocked, readLockHolder, tryLockFile } from "../../lib/base/ports/lock_file.ts";
import { tryParseFacts } from "../../lib/journal/read_facts.ts";
import { readRecords } from "../support/journal_records.ts";
import { OPENED, STARTED, TOY_JOB } from "./toy_job.ts";
import { createRunFolder } from "../../lib/run/run_folder.ts";
import { lockRun } from "../../lib/run/run_lock.ts";
import { tempDir } from "../support/temp_dir.ts";

const NOW = new Date("2026-11-20T10:00:00Z");

Deno.test("the first answer counts, also of many that are given at once", async () => {
  await using dir = await tempDir();
  const folder = { answersDir: `${dir.path}/answers` };
  const give = (answer: string) =>
    leaveAnswer(folder, { question: "q1", answer, by: "command", answeredAt: NOW.toISOString() });
  assertEquals(await readAnswer(folder, "q1"), undefined);
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => give(`answer ${index}`)));
  assertEquals(results.filter((isFirst) => isFirst).length, 1);
  assertEquals((await readAnswer(folder, "q1"))?.answer, `answer ${results.indexOf(true)}`);
  assertEquals(await give("late"), false);
  assertEquals([...Deno.readDirSync(folder.answersDir)].map(({ name }) => name), ["q1.json"]);
});

Deno.test("an answer reaches its own question only: a stale one does not answer the next", async () => {
  await using dir = await tempDir();
  const folder = { answersDir: `${dir.path}/answers` };
  await leaveAnswer(folder, { question: "q1", answer: "one", by: "command", answeredAt: "" });
  assertEquals(await readAnswer(folder, "q2"), undefined);
  // A file under another question's name is none of that question.
  await Deno.copyFile(`${folder.answersDir}/q1.json`, `${folder.answersDir}/q2.json`);
  assertEquals(await readAnswer(folder, "q2"), undefined);
  await assertRejects(() => readAnswer(folder, "../../x"), TypeError, 'Cannot use "../../x" as the id of a question');
});

Deno.test("a record that was cut off does not count, and is dropped before the next one is written", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  {
    using journal = openJournal(path, { wallClock: () => NOW });
    journal.append({ type: "one" });
    journal.append({ type: "two" });
  }
  const whole = await Deno.readTextFile(path);
  const types = async () => (await readRecords(path)).map(({ type }) => type);
  for (let cut = 1; cut <= whole.length; cut++) {
    await Deno.writeTextFile(path, whole.slice(0, cut));
    const before = await types();
    {
      using journal = openJournal(path, { wallClock: () => NOW });
      journal.append({ type: "three" });
    }
    const opened = before.length === 0 ? ["journal_opened"] : before;
    assertEquals(await types(), [...opened, "three"], `cut at ${cut}`);
  }
});

Deno.test("a long record that was cut off is dropped whole", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  const first = '{"at":"2026-11-20T10:00:00.000Z","type":"one"}\n';
  await Deno.writeTextFile(path, `${first}{"at":"x","type":"${"é".repeat(200_000)}`);
  openJournal(path)[Symbol.dispose]();
  assertEquals(await Deno.readTextFile(path), first);
});

Deno.test("a line that is not a record is named with its number", () => {
  const line = '{"at":"2026-11-20T10:00:00.000Z","type":"one"}\n';
  const whole = OPENED + STARTED + line;
  const options = { path: "j", folder: "/", jobs: [TOY_JOB] };
  for (const broken of ["x", "1", "{}", '{"type":1,"at":"x"}', "null", ""]) {
    const { problem } = tryParseFacts(`${whole}${broken}\n${line}`, options);
    assertStringIncludes(problem?.message ?? "", `j: line 4 (byte ${whole.length}) is not a record`);
  }
  assertEquals(tryParseFacts(`${whole}{"at`, options).facts.map(({ type }) => type), ["run_started", "one"]);
  assertEquals(tryParseFacts("", options), {
    version: 3,
    job: undefined,
    lines: 0,
    facts: [],
    unproven: 0,
    problem: undefined,
  });
});

Deno.test("a run has one owner; looking at it does not take it", async () => {
  await using dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: NOW, subfolders: ["stepsDir"] });
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name).sort(), ["steps"]);
  assertEquals(await isLocked(folder.lockPath), false);
  {
    using _owner = await lockRun(folder);
    assert(await isLocked(folder.lockPath));
    await assertRejects(() => lockRun(folder), UsageError, `process ${Deno.pid} executes it`);
  }
  assertEquals(await isLocked(folder.lockPath), false);
  const owners = await Promise.all([lockRun(folder), isLocked(folder.lockPath), isLocked(folder.lockPath)]);
  owners[0][Symbol.dispose]();
});

Deno.test("a holder that lets go of its lock is never seen without its name", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/lock`;
  const seen = new Set<string | undefined>();
  for (let round = 0; round < 300; round++) {
    const lock = await tryLockFile(path, "process 1");
    const reading = readLockHolder(path);
    // Let go at another moment of the reading each time.
    if (round % 3 > 0) await Deno.stat(dir.path);
    if (round % 3 > 1) await Deno.stat(dir.path);
    lock?.[Symbol.dispose]();
    seen.add(await reading);
  }
  assert(!seen.has(""), "held by nobody known");
  assert(seen.has(undefined), "the lock was never let go of while it was looked at");
});
