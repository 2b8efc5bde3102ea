import type { ReportItem } from "../../../lib/journal/items/source.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createCollector, type ReportCollector } from "../../../lib/api/report/collect.ts";
import type { ReportEntry } from "../../../lib/api/report/fold.ts";
import { headerOf } from "../../../lib/api/report/header.ts";
import { readReport } from "../../../lib/api/report/read_report.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { JOURNAL_FIXTURES, readFixture, unpackJournal } from "../../support/journal_fixtures.ts";
import { dialogWaiting, PROGRAMMER_AT_WORK, reviewFinished, reviewStarted } from "../../support/run_folders.ts";

const REDACTOR = createRedactor(["correct-horse-battery"]);
const ID = "20261120-072605-3fa9";
const AROUND = { runId: ID, condition: "running", executed: true, answered: [] } as const;

/** A fact of any kind. */
type Fact = Readonly<Record<string, unknown>> & { readonly type: string };

/** Records a second apart, as a journal has them after the one that opens it. */
function entries(facts: readonly Fact[]): ReportEntry[] {
  return facts.map((fact, index) => {
    const record = { ...fact, at: at(index) };
    return { sequence: index + 2, record, fact: record };
  });
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 20, 8) + second * 1000).toISOString();
}

function after(...facts: readonly Fact[]): ReportCollector {
  const collector = createCollector(REDACTOR);
  collector.take(entries(facts));
  return collector;
}

const told = ({ lane, kind, tone, open = false }: ReportItem) => `${lane} ${kind} ${tone}${open ? " open" : ""}`;

Deno.test("a report has a turn in its lane, with its prompt, its response and its verdict", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const report = readReport(runFolderAt(journal.sandbox.project, journal.runId), REDACTOR);
  const items = report.items().filter(({ turn, lane }) => turn === "r1-analyst_review-c1" || lane === "nobody");
  assertEquals(items.map(({ kind }) => kind), ["work", "prompt", "response"]);
  assert(items.every(({ lane }) => lane === "analyst_review"));
  const [work, prompt, response] = items;
  assertEquals(work?.until, response?.at);
  assertEquals(prompt?.details?.[0]?.kind, "prompt");
  assertEquals(report.source(prompt!.details![0]!.ref), {
    kind: "prompt",
    ref: prompt!.details![0]!.ref,
    title: "The prompt",
    from: "file",
    path: "messages/r1-analyst_review-c1.md",
  });
  assertEquals(response?.details?.[0]?.kind, "response");
  const verdicts = report.items().filter(({ kind }) => kind === "verdict").map(({ title, tone }) => [title, tone]);
  assertEquals(verdicts.slice(-2), [["APPROVED (round 2, cycle 1)", "good"], ["round 2: PASS", "good"]]);
});

Deno.test("a report tells that the process was gone: what was open ends where the journal ended", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const report = readReport(runFolderAt(journal.sandbox.project, journal.runId), REDACTOR);
  const items = report.items();
  const kill = items.find(({ kind }) => kind === "kill")!;
  const resume = items.find(({ kind }) => kind === "resume")!;
  assertEquals(kill.sequence, resume.sequence);
  assert(kill.at < resume.at);
  const broken = items.filter(({ kind, sequence }) => kind === "work" && sequence < kill.sequence).at(-1);
  assertEquals(broken?.until, kill.at);
  assertEquals(items.filter(({ open }) => open === true), []);
});

for (const name of JOURNAL_FIXTURES) {
  Deno.test(`a report of a journal that is read in pieces is the same as at once: ${name}`, async () => {
    await using journal = await unpackJournal(name);
    const folder = runFolderAt(journal.sandbox.project, journal.runId);
    const whole = readReport(folder, REDACTOR);
    const text = await Deno.readTextFile(folder.journalPath);
    const live = createCollector(REDACTOR);
    const shown = new Map<string, ReportItem>();
    const records = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    for (const [index, record] of records.entries()) {
      const entry = { sequence: index + 1, record, fact: record.type === "journal_opened" ? undefined : record };
      for (const item of live.take([entry])) shown.set(item.id, item);
      // Any prefix of a journal has a header.
      headerOf(live.state, AROUND);
    }
    assertEquals([...shown.values()].map(told), whole.items().map(told));
    assertEquals([...shown.keys()], whole.items().map(({ id }) => id));
    const refs = whole.items().flatMap(({ details = [] }) => details.map(({ ref }) => ref));
    assertEquals(new Set(refs).size, refs.length);
    assertEquals(refs, [...whole.sources()].map(({ ref }) => ref));
  });
}

for (const job of ["run", "exec"]) {
  Deno.test(`each record that a journal of "${job}" may have is taken into a report`, async () => {
    const text = await readFixture(`records/${job}.ndjson`, "/w");
    const records = text.split("\n").slice(1, -1).map((line) => JSON.parse(line));
    const { items } = after(...records);
    for (const { title, text = "", at, lane } of items()) {
      assert(title !== "" && title.length <= 240 && !title.includes("\n"), title);
      assert(text.length < 4100 && at !== "" && lane !== "");
    }
  });
}

Deno.test("a question of a step stays open when the process leaves the run, until it has its answer", async () => {
  await using journal = await unpackJournal("waiting_at_a_question");
  const report = readReport(runFolderAt(journal.sandbox.project, journal.runId), REDACTOR);
  assertEquals(report.items().filter(({ open }) => open).map(told), ["build question caution open"]);
  const header = headerOf(report.state, { ...AROUND, condition: "waiting", executed: false });
  assertEquals([header.waiting?.id, header.waiting?.answer, header.outcome], ["q1", "question", "waiting"]);
  const answer = { type: "question_answered", question: "q1", answer: "PostgreSQL", by: "command", answeredAt: at(0) };
  const record = { ...answer, at: at(0) };
  const changed = report.take([{ sequence: report.state.sequence + 1, record, fact: record }]);
  assertEquals(changed.map(told), ["build question caution", "build answer plain"]);
});

Deno.test("a dialog of a role is open until it was answered, and leads to the record of the audit log", () => {
  const waiting = { ...dialogWaiting(ID, "q1"), audit: { records: 3, hash: "9f" } };
  const report = after(reviewStarted("/w", ID), ...PROGRAMMER_AT_WORK, waiting);
  const dialog = report.items().at(-1)!;
  assertEquals(told(dialog), "programmer dialog caution open");
  assertEquals(report.source(dialog.details![0]!.ref)?.from, "audit");
  const header = headerOf(report.state, AROUND);
  assertEquals([header.waiting?.answer, header.waiting?.reserved], ["permission", true]);
  const record = {
    type: "dialog_closed",
    turnId: "r2-programmer-c1",
    role: "programmer",
    question: "q1",
    seconds: 3,
    at: at(60),
  };
  assertEquals(report.take([{ sequence: 90, record, fact: record }]).map(told), ["programmer dialog caution"]);
});

Deno.test("a message from outside is open until it was answered, with the work on it and the response", () => {
  const message = { messageId: "m-0123456789abcdef", role: "tester" };
  const report = after(
    reviewStarted("/w", ID),
    ...[{ type: "message_received", ...message, by: "mcp", who: "claude", wantsResponse: true, bytes: 9, sha256: "5" }],
    ...[{ type: "message_started", ...message }],
    ...[{ type: "message_failed", messageId: "m-1", role: "tester", reason: "The run has ended." }],
  );
  assertEquals(report.items().slice(1).map(told), [
    "tester message plain open",
    "tester work plain open",
    "tester message caution",
  ]);
  const archivedAs = `/w/.panewright/runs/${ID}/replies/${message.messageId}/001-tester.md`;
  const record = { type: "message_answered", ...message, seconds: 3, bytes: 9, archivedAs, sha256: "9f", at: at(60) };
  const changed = report.take([{ sequence: 90, record, fact: record }]);
  assertEquals(changed.map(told), ["tester work plain", "tester message plain", "tester response plain"]);
  const source = report.source(changed.at(-1)!.details![0]!.ref);
  assertEquals(source?.from === "file" && source.path, `replies/${message.messageId}/001-tester.md`);
});

Deno.test("what a turn has changed, and the screen of a dialog, are details", () => {
  const turn = { turnId: "r2-programmer-c1", role: "programmer", passable: true };
  const report = after(
    ...[reviewStarted("/w", ID), ...PROGRAMMER_AT_WORK, dialogWaiting(ID, "q1")],
    ...[{ type: "screen_kept", ...turn, moment: "dialog", file: "evidence/r2-programmer-c1-q1.ansi" }],
    ...[{ type: "dialog_closed", ...turn, question: "q1", seconds: 3 }],
    ...[{ type: "screen_kept", ...turn, moment: "dialog", file: "evidence/late.txt" }],
    ...[{ type: "dialog_answered", ...turn, ...ANSWERED, screen: "evidence/r2-programmer-c1-answered-1.ansi" }],
    ...[{ type: "files_changed", ...turn, files: ["a.ts"], more: 2, folder: "changes/x", hasPatch: true }],
    ...[{ type: "screen_kept", ...turn, moment: "failure", file: "evidence/r2-programmer-c1.ansi" }],
  );
  const rows = report.items().slice(-5).map((
    { kind, text, details = [] },
  ) => [kind, details.map(({ ref }) => ref), text]);
  assertEquals(rows.map(([kind, refs]) => `${kind} ${refs}`.replaceAll(/-\d+/g, "")), [
    "dialog screen",
    "dialog output",
    "dialog screen,audit",
    "changes diff",
    "warning screen",
  ]);
  assertEquals(rows[3]?.[2], "a.ts\nand 2 more");
});

const ANSWERED = {
  ...{ terminalId: "%1", kind: "command", subject: "npm test", answer: "accept", rule: "default", result: "closed" },
  audit: { records: 3, hash: "9f" },
};

Deno.test("a report has no secret in it, wherever the journal still has one", () => {
  const secret = "correct-horse-battery";
  const task = { introduction: `Log in with ${secret}.`, exploreSummary: "", scenarioTest: "" };
  const long = `${"x".repeat(235)} ${secret}`;
  const report = after(
    Object.assign(reviewStarted("/w", ID), { task }),
    { type: "test_command_started", round: 1, command: `curl -u ${secret}` },
    Object.assign(reviewFinished("error"), { reason: secret }),
    { type: "warning", message: long },
  );
  const all = JSON.stringify([report.items(), headerOf(report.state, AROUND), [...report.sources()]]);
  assertEquals(all.match(/correct-h|battery/g), null);
  assertStringIncludes(all, "redacted");
});

Deno.test("a gap of the journal is an item, and the header has it", () => {
  const report = after(reviewStarted("/w", ID));
  report.take([{ gap: { from: 3, to: 9, reason: "it is damaged there" } }]);
  const gap = report.items().at(-1);
  assertEquals([gap?.kind, gap?.title], ["gap", "lines 3 to 9 of the journal cannot be read: it is damaged there"]);
  assertEquals(headerOf(report.state, AROUND).gaps.length, 1);
  assertEquals(report.state.sequence, 9);
});

Deno.test("a record that this version does not know changes nothing but the sequence", () => {
  const report = after(reviewStarted("/w", ID));
  const record = { type: "of_later_versions", passable: true, at: at(9) };
  assertEquals(report.take([{ sequence: 7, record, fact: undefined }]), []);
  assertEquals(report.state.sequence, 7);
});
