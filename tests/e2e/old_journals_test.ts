import { assertEquals, assertNotMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { panewrightFromSource } from "../support/panewright.ts";
import { type UnpackedJournal, unpackJournal } from "../support/journal_fixtures.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";

type Json = Readonly<Record<string, unknown>>;

async function readRecords({ folder }: UnpackedJournal): Promise<readonly Json[]> {
  return (await Deno.readTextFile(`${folder}/journal.ndjson`)).trimEnd().split("\n").map((line) => JSON.parse(line));
}

async function caller({ sandbox }: UnpackedJournal): Promise<(...args: readonly string[]) => Promise<ProgramResult>> {
  const { argv, env } = await panewrightFromSource();
  const options = { cwd: sandbox.project, env: { ...sandbox.env, ...env }, timeoutMs: 300_000 };
  return (...args) => runProgram([...argv, ...args], options);
}

/** What any resumed run of this job ends with. */
async function assertPassed(journal: UnpackedJournal): Promise<void> {
  const records = await readRecords(journal);
  assertObjectMatch(records.at(-1) ?? {}, { type: "run_finished", outcome: "pass", rounds: 2 });
  const turns = records.filter(({ type }) => type === "response_received").map(({ turnId }) => turnId);
  assertEquals(turns, [
    "r1-analyst-c1",
    "r1-analyst_review-c1",
    "r1-analyst-c2",
    "r1-analyst_review-c2",
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r1-programmer-c2",
    "r1-programmer_review-c2",
    "r1-tester",
    "r2-programmer-c1",
    "r2-programmer_review-c1",
    "r2-tester",
  ]);
  assertStringIncludes(await Deno.readTextFile(`${journal.sandbox.project}/greet.sh`), "set -- world");
  await journal.sandbox.assertNothingLeft();
}

Deno.test("a journal of version 1, killed at a dialog, is resumed: its dialog opens again, is answered, and the job passes", async () => {
  await using journal = await unpackJournal("killed_at_a_dialog");
  const { folder } = journal;
  const call = await caller(journal);
  const before = await Deno.readTextFile(`${folder}/journal.ndjson`);
  const { code, stderr } = await resumeWithAnswers(call, journal);
  assertEquals(code, 0, stderr);
  assertNotMatch(stderr, /^\s+at .+:\d+:\d+\)?$/m);
  assertEquals((await Deno.readTextFile(`${folder}/journal.ndjson`)).slice(0, before.length), before);
  const records = (await readRecords(journal)).slice(before.split("\n").length - 1);
  // From here on, paths are relative to the run's folder.
  // It is adopted into the state folder: what is before is not proven.
  const opened = records.findIndex(({ type }) => type !== "journal_opened");
  assertEquals(records[opened]?.["type"], "run_resumed");
  assertEquals(records.slice(0, opened).some(({ unproven, version }) => unproven === true && version === 3), true);
  const sent = records.filter(({ type }) => type === "message_sent").map(({ turnId }) => turnId);
  assertEquals(sent[0], "r1-programmer_review-c1");
  const dialogs = records.filter(({ type }) => type === "dialog_answered");
  assertEquals(dialogs.map(({ turnId, subject, rule }) => [turnId, subject, rule]), [
    ["r1-programmer_review-c1", "sh greet.sh 'Ada Lovelace'", "person"],
    ["r1-programmer-c2", "sh greet.sh 'Ada Lovelace'", "person"],
  ]);
  await assertPassed(journal);
  assertEquals((await call("audit", "verify")).code, 0);
});

Deno.test("a journal of version 1 that does not know the last response in its archive is resumed with it", async () => {
  await using journal = await unpackJournal("killed_at_a_dialog");
  const { folder } = journal;
  const text = await Deno.readTextFile(`${folder}/journal.ndjson`);
  const end = text.split("\n").findIndex((line) => line.includes("005-programmer.md"));
  await Deno.writeTextFile(`${folder}/journal.ndjson`, text.split("\n").slice(0, end).join("\n") + "\n");
  const call = await caller(journal);
  const { code, stderr } = await resumeWithAnswers(call, journal);
  assertEquals(code, 0, stderr);
  const records = (await readRecords(journal)).slice(end);
  const taken = records.find(({ type }) => type === "response_received");
  assertObjectMatch(taken ?? {}, { turnId: "r1-programmer-c1", archivedAs: "responses/005-programmer.md" });
  const sent = records.filter(({ type }) => type === "message_sent").map(({ turnId }) => turnId);
  assertEquals(sent.includes("r1-programmer-c1"), false, "the turn is not played again");
  await assertPassed(journal);
});

Deno.test("a review loop that was moved with its project is resumed there: new agents begin the turn again, and the job passes", async () => {
  await using unpacked = await unpackJournal("killed_at_a_dialog");
  const { sandbox, runId } = unpacked;
  const moved = `${sandbox.root}/moved`;
  await Deno.rename(sandbox.project, moved);
  const journal = {
    ...unpacked,
    sandbox: { ...sandbox, project: moved },
    folder: `${moved}/.panewright/runs/${runId}`,
  };
  const before = (await readRecords(journal)).length;
  const { code, stderr } = await resumeWithAnswers(await caller(journal), journal, "--wd", moved);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, `it was carried here from ${sandbox.project}: agents begin new sessions`);
  const records = (await readRecords(journal)).slice(before);
  assertObjectMatch(records.find(({ type }) => type === "run_resumed") ?? {}, {
    type: "run_resumed",
    carriedFrom: sandbox.project,
  });
  const types = new Set(records.map(({ type }) => type));
  assertEquals(["session_opened", "session_adopted", "agent_adopted"].filter((type) => types.has(type)), [
    "session_opened",
  ]);
  const starts = records.filter(({ type }) => type === "agent_starting");
  assertEquals(starts.filter(({ resumes }) => resumes !== undefined), []);
  await assertPassed(journal);
  assertEquals(await Deno.stat(sandbox.project).then(() => "there", () => "gone"), "gone");
});

/** Resumes the run and answers its dialogs with yes, each once. */
async function resumeWithAnswers(
  call: Awaited<ReturnType<typeof caller>>,
  journal: UnpackedJournal,
  ...flags: readonly string[]
): Promise<ProgramResult> {
  const resumed = call("resume", journal.runId, ...flags);
  let over = false;
  resumed.then(() => over = true);
  const answered = new Set<unknown>();
  while (!over) {
    for (const { type, question } of await readRecords(journal)) {
      if (type !== "dialog_waiting" || answered.has(question)) continue;
      // Before the new process has begun, nothing shows that a person answers, and the yes is refused.
      const { code } = await call("answer", journal.runId, "--question", String(question), "yes");
      if (code === 0) answered.add(question);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return await resumed;
}
