import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { callCli } from "../support/call_cli.ts";
import {
  JOURNAL_FIXTURES,
  type JournalFixture,
  readFixture,
  type UnpackedJournal,
  unpackJournal,
} from "../support/journal_fixtures.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

/** Calls a command that shows something of the run. */
async function show({ sandbox }: Pick<UnpackedJournal, "sandbox">, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await callCli(args, { cwd: sandbox.project });
  assertEquals([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

async function showJson(journal: Pick<UnpackedJournal, "sandbox">, ...args: readonly string[]) {
  const text = await show(journal, ...args, "--json");
  return text.split("\n").slice(0, -1).map((line): Record<string, unknown> => JSON.parse(line));
}

/** What must be told to a person, whatever the words around it. */
const TOLD: Readonly<Record<JournalFixture, Readonly<Record<"status" | "logs" | "questions", readonly RegExp[]>>>> = {
  killed_at_a_dialog: {
    status: [
      /waiting for q1/,
      /round 1 of 3, cycle 1, programmer_review/,
      /6 turns, 5 responses, 1 reminder, 1 dialog accepted/,
    ],
    logs: [
      /analyst: remind/,
      /analyst_review: REVISE \(round 1, cycle 1\)/,
      /programmer.*sh greet\.sh Ada Grace/s,
      /programmer_review .*\| sh greet\.sh 'Ada Lovelace'/s,
      /005-programmer\.md/,
    ],
    questions: [],
  },
  waiting_at_a_question: {
    status: [/waiting for q1/, /1 task passed, 400 tokens/, /\| Which database\?/, /answer RUN --question q1/],
    logs: [/step 3 "last": PASS after 1 attempt/, /Which database\?/, /task-002\/02-build\/attempt-1\/log\.txt/],
    questions: [/"build"/, /Which database\?/, /answer RUN --question q1/],
  },
  passed_after_resume: {
    status: [/passed/, /the test of round 2 passed/, /12 turns, 12 responses, 1 reminder, 1 dialog accepted/],
    logs: [
      /analyst: remind/,
      /programmer_review .*\| sh greet\.sh 'Ada Lovelace'/s,
      /tester: .*terminal %5/,
      /round 1: FAIL/,
      /round 2: PASS/,
      /PASS after 2 rounds/,
    ],
    questions: [],
  },
};

/** What is told otherwise than then: a question stays open when its run is killed. */
const OTHERWISE: Partial<Record<JournalFixture, { readonly state: string; readonly questions: number }>> = {
  killed_at_a_dialog: { state: "waiting", questions: 1 },
};

for (const name of JOURNAL_FIXTURES) {
  Deno.test(`a journal of version 1, ${name}: status, runs, questions and logs show it as the version that wrote it`, async () => {
    await using journal = await unpackJournal(name);
    const { shown, runId, folder } = journal;
    const [status, ...more] = await showJson(journal, "status");
    assertEquals(more, []);
    // More may be told than then, and how a dialog is worded is not part of it.
    const { state = shown.status["state"], questions = shown.questions.length } = OTHERWISE[name] ?? {};
    assertObjectMatch(status!, { ...withoutWords(shown.status), state });
    for (const command of ["runs", "questions"] as const) {
      const told = await showJson(journal, command);
      assertEquals(told.length, command === "questions" ? questions : shown.runs.length, command);
      shown[command].forEach((one, index) =>
        assertObjectMatch(told[index]!, command === "runs" ? { ...one, state } : one)
      );
    }
    const records = (await Deno.readTextFile(`${folder}/journal.ndjson`)).trimEnd().split("\n");
    assertEquals(await showJson(journal, "logs"), records.map((line) => ({ v: 1, ...JSON.parse(line) })));
    for (const command of ["status", "logs", "questions"] as const) {
      const text = (await show(journal, command)).replaceAll(runId, "RUN");
      for (const pattern of TOLD[name][command]) assertMatch(text, pattern);
    }
  });

  // A pipeline has no dialogs.
  if (name === "waiting_at_a_question") continue;
  Deno.test(`a journal of version 1, ${name}: its audit log is intact`, async () => {
    await using journal = await unpackJournal(name);
    const { code, stdout, stderr } = await callCli(["audit", "verify"], { cwd: journal.sandbox.project });
    assertEquals(code, 0, stdout + stderr);
  });
}

/** What is told without the wording of a dialog that waits. */
function withoutWords(status: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(status), (key, value) => {
    if (key !== "question" || typeof value?.text !== "string" || !value.text.startsWith("a dialog")) return value;
    const { text: _, ...others } = value;
    return others;
  });
}

Deno.test("a journal of version 1 that waits at a question: panewright answer and resume take it to its end", async () => {
  await using journal = await unpackJournal("waiting_at_a_question");
  const { sandbox, runId, folder } = journal;
  const panewright = await panewrightFromSource();
  await Deno.mkdir(`${sandbox.root}/fake`);
  const options = {
    cwd: sandbox.project,
    env: {
      ...sandbox.env,
      ...panewright.env,
      CODEX_HOME: `${sandbox.root}/codex`,
      FAKE_FOLDER: `${sandbox.root}/fake`,
    },
    timeoutMs: 600_000,
  };
  const before = await Deno.readTextFile(`${folder}/journal.ndjson`);
  const answered = await runProgram([...panewright.argv, "answer", runId, "--question", "q1", "PostgreSQL"], options);
  assertEquals(answered.code, 0, answered.stderr);
  assertObjectMatch((await showJson(journal, "questions"))[0]!, { id: "q1", answered: true });

  const resumed = await runProgram([...panewright.argv, "resume", runId], options);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertMatch(resumed.stdout, /^✓ PASS +[^]*all 2 tasks passed[^]*600 tokens in \(60 cached\), 30 out/m);
  const prompt = await Deno.readTextFile(`${sandbox.root}/fake/1/prompt`);
  for (const text of ["Build a login.", "Which database?", "PostgreSQL", "Looking around."]) {
    assertStringIncludes(prompt, text);
  }
  const after = await Deno.readTextFile(`${folder}/journal.ndjson`);
  assertEquals(after.slice(0, before.length), before, "what was recorded stays as it was");
  assertObjectMatch((await showJson(journal, "runs"))[0]!, { run: runId, state: "passed" });
  await sandbox.assertNothingLeft();
});

for (const job of ["run", "exec"] as const) {
  Deno.test(`every record of version 1 that ${job} writes can be read and shown`, async () => {
    await using sandbox = await createSandbox();
    const { project, root } = sandbox;
    const text = await readFixture(`records/${job}.ndjson`, root);
    const records = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    const folder = `${project}/.panewright/runs/${records[1].runId}`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/journal.ndjson`, text);
    const [status] = await showJson({ sandbox }, "status");
    assertObjectMatch(status!, { type: "status", summary: { job } });
    assertEquals(status!["problem"], undefined);
    assertEquals(await showJson({ sandbox }, "logs"), records.map((record) => ({ v: 1, ...record })));
    const told = await show({ sandbox }, "logs", "--verbose");
    for (const { at } of records) assertStringIncludes(told, at);
  });
}
