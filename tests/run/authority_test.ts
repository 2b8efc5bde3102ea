import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { isExecuted, readLockOwner } from "../../lib/base/ports/lock_file.ts";
import { PIPELINE } from "../../lib/jobs/pipeline/mod.ts";
import type { ExecFact } from "../../lib/journal/exec/facts.ts";
import type { ExecState } from "../../lib/journal/exec/state.ts";
import { DamagedJournalError } from "../../lib/journal/fact_reader.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { foldFacts } from "../../lib/journal/read_facts.ts";
import { adoptJournal, readBelieved } from "../../lib/run/adopt_journal.ts";
import { createRunFolder, type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { lockRun } from "../../lib/run/run_lock.ts";
import { patientClock } from "../support/patient_clock.ts";
import { readFixture } from "../support/journal_fixtures.ts";
import { execWaiting } from "../support/run_folders.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const CALL = "c".repeat(64);

/** A run of exec whose person has said no to one call, and yes to another. */
async function answeredRun(dir: TempDir, hour = 7): Promise<RunFolder> {
  const now = new Date(Date.UTC(2026, 10, 20, hour, 26, 5));
  const folder = await createRunFolder(dir.path, { now });
  const { id } = folder;
  using journal = openJournal(folder.journalPath, { copyPath: folder.copyPath, fault: "none" });
  const asked = (question: string, call: string): ExecFact => {
    const found = execWaiting(dir.path, id).find(({ type }) => type === "question_asked");
    return { ...found, question, call } as ExecFact;
  };
  const answered = (question: string, answer: string): ExecFact => (
    { type: "question_answered", question, answer, by: "command", answeredAt: now.toISOString() }
  );
  const begun = execWaiting(dir.path, id).filter(({ type }) => !/question|run_finished/.test(type));
  for (
    const fact of [
      ...begun,
      asked("q1", CALL),
      answered("q1", "no, never"),
      asked("q2", "d".repeat(64)),
      answered("q2", "yes"),
    ]
  ) journal.append(fact);
  return folder;
}

async function believed(folder: RunFolder): Promise<{ readonly state: ExecState; readonly isProven: boolean }> {
  const { isProven, ...journal } = await readBelieved(PIPELINE, folder);
  return { isProven, state: await foldFacts(journal, { job: PIPELINE, folder }) };
}

const verdicts = ({ current }: ExecState) => current?.step.verdicts.map(({ call, answer }) => [call[0], answer]);

Deno.test("authority: nothing that is written into the working directory is believed, whatever record it is", async () => {
  await using dir = await tempDir();
  const folder = await answeredRun(dir);
  const before = await believed(folder);
  assertEquals(verdicts(before.state), [["c", "decline"], ["d", "accept"]]);
  const whole = await Deno.readTextFile(folder.copyPath);
  const lines = whole.split("\n");
  const forged = [...(await readFixture("records/exec.ndjson", dir.path)).trimEnd().split("\n")]
    .filter((line) => !line.includes("journal_opened"));
  assert(forged.length > 20);
  const yes = lines.at(-2)!.replace('"q2"', '"q1"');
  const ways = [
    ...forged.map((line) => `${whole}${line}\n`),
    `${whole}${yes}\n`,
    whole.replace('"no, never"', '"yes"'),
    lines.toReversed().join("\n"),
    lines.filter((line) => !line.includes("no, never")).join("\n"),
    "",
    "\u0000",
  ];
  for (const text of ways) {
    await Deno.writeTextFile(folder.copyPath, text);
    assertEquals(await believed(runFolderAt(dir.path, folder.id)), before);
  }
  for (const instead of ["gone", "link", "folder"]) {
    await Deno.remove(folder.copyPath, { recursive: true });
    if (instead === "link") await Deno.symlink("/dev/zero", folder.copyPath);
    if (instead === "folder") await Deno.mkdir(folder.copyPath);
    assertEquals(await believed(runFolderAt(dir.path, folder.id)), before, instead);
    if (instead === "gone") await Deno.writeTextFile(folder.copyPath, whole);
  }
});

Deno.test("authority: a journal that does not hang together is no journal to resume from", async () => {
  await using dir = await tempDir();
  const folder = await answeredRun(dir);
  const other = await answeredRun(dir, 8);
  const foreign = (await Deno.readTextFile(other.journalPath)).split("\n");
  const whole = await Deno.readTextFile(folder.journalPath);
  const lines = whole.split("\n");
  const last = lines.length - 2;
  const ways: Readonly<Record<string, readonly string[]>> = {
    "an answer is another one": lines.map((line) => line.replace('"no, never"', '"yes"')),
    "two lines change places": lines.with(last, lines[last - 1]!).with(last - 1, lines[last]!),
    "a line is missing": lines.toSpliced(last - 2, 1),
    "a line stands twice": lines.toSpliced(last, 0, lines[last]!),
    "a line is another run's": lines.with(last, foreign[last]!),
    "a line has no hash": [...lines.slice(0, last), lines[last]!.replace(/"prev":"[0-9a-f]+",/, ""), ""],
    "a line comes without a hash": [
      ...lines.slice(0, -1),
      '{"at":"2026-11-20T09:00:00.000Z","type":"warning","message":"x"}',
      "",
    ],
  };
  for (const [way, text] of Object.entries(ways)) {
    await Deno.writeTextFile(folder.journalPath, text.join("\n"));
    await assertRejects(() => believed(runFolderAt(dir.path, folder.id)), DamagedJournalError, "line", way);
  }
  // A state folder of yesterday has an earlier end, and nothing that was said since.
  await Deno.writeTextFile(folder.journalPath, lines.slice(0, -2).join("\n") + "\n");
  assertEquals(verdicts((await believed(runFolderAt(dir.path, folder.id))).state), [["c", "decline"]]);
});

Deno.test("authority: without its journal in the state folder, a run goes on, and a person is asked again", async () => {
  await using dir = await tempDir();
  const folder = await answeredRun(dir);
  await Deno.remove(folder.journalPath);
  const alone = runFolderAt(dir.path, folder.id);
  assertEquals(alone.journalPath, alone.copyPath);
  const { isProven, state } = await believed(alone);
  assertEquals([isProven, verdicts(state), state.interactions.length], [false, [], 2]);

  const adopted = await adoptJournal(alone);
  assertEquals(adopted.journalPath, folder.journalPath);
  const after = await believed(runFolderAt(dir.path, folder.id));
  assertEquals([after.isProven, verdicts(after.state)], [true, []], "what was adopted stays unproven");
});

Deno.test("authority: what an agent does to the lock in the working directory lets no other process execute the run", async () => {
  await using dir = await tempDir();
  const folder = await answeredRun(dir);
  const found = runFolderAt(dir.path, folder.id);
  const clock = patientClock();
  const { sharedLockPath: path } = folder;
  for (
    const forge of [
      () => Deno.remove(path),
      () => Deno.writeTextFile(path, "process 1"),
      () => Deno.remove(path).then(() => Deno.mkdir(path)),
      () => Deno.remove(path, { recursive: true }).then(() => Deno.symlink("/dev/null", path)),
    ]
  ) {
    await Deno.remove(path, { recursive: true }).catch(() => {});
    {
      using _owner = await lockRun(folder, clock);
      await forge();
      assertEquals([await isExecuted(found), readLockOwner(found.lockPath)], [true, `process ${Deno.pid}`]);
      const error = await assertRejects(() => lockRun(found, clock), UsageError);
      assertEquals([error.code, error.message.includes(`process ${Deno.pid} executes it`)], ["busy", true]);
    }
    assertEquals(await isExecuted(found), false);
    using _next = await lockRun(found, clock);
  }
});

Deno.test("authority: a process that an agent has left, and that holds the lock in the working directory, is named", async () => {
  await using dir = await tempDir();
  const found = runFolderAt(dir.path, (await answeredRun(dir)).id);
  const held = new Deno.Command("flock", {
    args: ["--exclusive", found.sharedLockPath, "sh", "-c", "echo held; exec sleep 600"],
    ...{ stdin: "null", stdout: "piped", stderr: "null" } as const,
  }).spawn();
  const output = held.stdout.getReader();
  try {
    await output.read();
    const error = await assertRejects(() => lockRun(found, patientClock()), UsageError);
    assertEquals(error.code, "busy");
    assertStringIncludes(error.message, `its lock ${found.sharedLockPath} is held by process `);
    assertStringIncludes(error.message, String(held.pid));
    assertStringIncludes(error.hint ?? "", `ps -fp `);
  } finally {
    held.kill();
    await output.cancel();
    await held.status;
  }
});
