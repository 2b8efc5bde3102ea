import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReportDocument } from "../../../lib/api/report/model.ts";
import { callCli } from "../../support/call_cli.ts";
import { checkObject } from "../../support/check_output.ts";
import { writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { JOURNAL_FIXTURES, type UnpackedJournal, unpackJournal } from "../../support/journal_fixtures.ts";

async function report({ sandbox }: Pick<UnpackedJournal, "sandbox">, ...args: readonly string[]) {
  return await callCli(["report", ...args], { cwd: sandbox.project });
}

async function reportJson(journal: Pick<UnpackedJournal, "sandbox">): Promise<ReportDocument> {
  const { code, stdout, stderr } = await report(journal, "--json");
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

for (const name of JOURNAL_FIXTURES) {
  Deno.test(`report of a run of an older version, in each format: ${name}`, async () => {
    await using journal = await unpackJournal(name);
    const document = await reportJson(journal);
    checkObject(document as unknown as Readonly<Record<string, unknown>>, "report");
    assertEquals(document.header.runId, journal.runId);
    const refs = document.items.flatMap(({ details = [] }) => details.map(({ ref }) => ref));
    assertEquals(Object.keys(document.details).sort(), refs.toSorted());
    assertEquals(Object.values(document.details).flatMap(({ problem }) => problem ?? []), []);
    assertEquals(document.leftOut, undefined);
    const html = await report(journal, "--format", "html");
    assertMatch(html.stdout, /^<!doctype html>\n/);
    assertStringIncludes(html.stdout, journal.runId);
    const md = await report(journal, "--format", "md");
    assertMatch(md.stdout, /^## panewright: /);
  });
}

Deno.test("report tells outcome, reason, prompts, responses, tests and the audit log's verdict", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const { header, items, details } = await reportJson(journal);
  assertEquals([header.outcome, header.condition, header.why], ["pass", "passed", "the test of round 2 passed"]);
  assertEquals(header.audit?.verdict, "intact");
  const tests = items.filter(({ kind }) => kind === "tests");
  assertEquals(tests.map(({ tone }) => tone), ["bad", "good"]);
  assertStringIncludes(tests[0]?.text ?? "", "FAILED: no name");
  const response = items.find(({ kind, turn }) => kind === "response" && turn === "r1-programmer-c1");
  const text = await Deno.readTextFile(`${journal.folder}/responses/005-programmer.md`);
  assertEquals(details[response!.details![0]!.ref]?.text, text);
  const { stdout } = await report(journal, "--format", "md");
  assertMatch(stdout, /## panewright: PASS\n\nthe test of round 2 passed\n/);
  assertMatch(stdout, /\| round 2: PASS \| ✓ \|/);
  assertMatch(stdout, /\*\*Audit\*\*: The audit log is as it was written/);
});

Deno.test("report says that the audit log, or a response, is not what the run wrote", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const audit = `${journal.folder}/audit.ndjson`;
  await Deno.writeTextFile(audit, (await Deno.readTextFile(audit)).replace("greet.sh", "other.sh"));
  await Deno.writeTextFile(`${journal.folder}/responses/001-analyst.md`, "Forged.\n");
  const { header, details } = await reportJson(journal);
  assertEquals(header.audit?.verdict, "broken");
  const forged = Object.values(details).find(({ text }) => text === "Forged.\n");
  assertStringIncludes(forged?.note ?? "", "changed after the run had received it");
  await Deno.remove(audit);
  const gone = (await reportJson(journal)).header.audit;
  assertEquals(gone?.verdict, "broken");
  assertStringIncludes(gone?.text ?? "", "is gone");
});

Deno.test("report of a damaged journal ends at the damage, and says so", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const path = `${journal.folder}/journal.ndjson`;
  const lines = (await Deno.readTextFile(path)).split("\n");
  await Deno.writeTextFile(path, lines.with(49, "not a record").join("\n"));
  const { header, items } = await reportJson(journal);
  assertEquals(header.gaps, [{ from: 50, to: 152, reason: "it is damaged there" }]);
  assertEquals([header.condition, header.audit?.verdict], ["unreadable", "unknown"]);
  assertStringIncludes(header.problem ?? "", "line 50");
  assertStringIncludes(header.resumeCommand ?? "", "--from-last-good");
  assertEquals(items.at(-1)?.kind, "gap");
  const { stdout } = await report(journal, "--format", "md");
  assertMatch(stdout, /cannot be read to its end/);
});

Deno.test("report of a run that has nothing but its folder", async () => {
  await using journal = await unpackJournal("killed_at_a_dialog");
  await Deno.remove(`${journal.folder}/journal.ndjson`);
  const { header, items } = await reportJson(journal);
  assertEquals([header.condition, header.sequence, items.length], ["empty", 0, 0]);
  assertEquals((await report(journal, "--format", "md")).code, 0);
  assertEquals((await report(journal, "--format", "html")).code, 0);
});

Deno.test("report reads nothing through links, and nothing outside of the run", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const { project, root } = journal.sandbox;
  const secret = `${root}/outside.md`;
  await Deno.writeTextFile(secret, "not yours");
  await Deno.remove(`${journal.folder}/responses/001-analyst.md`);
  await Deno.symlink(secret, `${journal.folder}/responses/001-analyst.md`);
  const path = `${journal.folder}/journal.ndjson`;
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replaceAll('"messages/r1-analyst-c1.md"', '"messages/../../../../../outside.md"')
      .replaceAll('"messages/r1-tester.md"', '"notes.md"'),
  );
  await Deno.writeTextFile(`${project}/notes.md`, "not yours");
  const document = await reportJson(journal);
  assert(!JSON.stringify(document).includes("not yours"));
  const problems = Object.values(document.details).flatMap(({ problem }) => problem ?? []);
  assertEquals(problems.toSorted(), [
    "It cannot be shown: it is a link.",
    "It cannot be shown: the journal names a place in which the run keeps nothing.",
    "It cannot be shown: the journal names a place in which the run keeps nothing.",
  ]);
});

Deno.test("report -o writes a whole file, over an older one, and through no link", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const { project } = journal.sandbox;
  await Deno.writeTextFile(`${project}/run.md`, "older");
  const { code, stdout, stderr } = await report(journal, "-o", "run.md");
  assertEquals([code, stdout], [0, ""]);
  assertMatch(stderr, /^The report of run \S+ is in \S+run\.md \(\d.*\)\.\n$/m);
  assertMatch(await Deno.readTextFile(`${project}/run.md`), /^## panewright: PASS/);
  assertEquals((await report(journal, "-o", "run.html", "--json")).stdout.includes('"type":"file_written"'), true);
  assertMatch(await Deno.readTextFile(`${project}/run.html`), /^<!doctype html>/);

  await Deno.symlink(`${project}/run.md`, `${project}/link.md`);
  for (
    const [target, why] of [["link.md", "it is a link"], [".", "a folder"], ["a/b.md", "no folder"], ["", "value"]]
  ) {
    const refused = await report(journal, "-o", target!);
    assertEquals(refused.code, 2, target);
    assertStringIncludes(refused.stderr, why!);
  }
  assertMatch(await Deno.readTextFile(`${project}/run.md`), /^## panewright: PASS/);
  const names = (await Array.fromAsync(Deno.readDir(project))).map(({ name }) => name).filter((name) =>
    /run\./.test(name)
  );
  assertEquals(names.toSorted(), ["run.html", "run.md"]);
});

Deno.test("report shows no page on a terminal", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const { code, stderr } = await callCli(["report"], { cwd: journal.sandbox.project, terminal: true });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "-o run.html");
});

Deno.test("report takes the values of this process's secret variables out", async () => {
  await using journal = await unpackJournal("passed_after_resume");
  const path = `${journal.folder}/responses/005-programmer.md`;
  await Deno.writeTextFile(path, `The key is correct-horse-battery.\n`);
  const io = { cwd: journal.sandbox.project, env: { SHOP_API_KEY: "correct-horse-battery" } };
  const { stdout } = await callCli(["report", "--json"], io);
  assertEquals(stdout.includes("correct-horse"), false);
  assertStringIncludes(stdout, "The key is redacted");
});

Deno.test("report takes out a secret that only the run's configuration has; where it cannot be asked, that is said", async () => {
  await using dir = await tempDir();
  const secret = "correct-horse-battery";
  await writeReview(dir, [{ type: "warning", message: `I log in with ${secret}.` }]);
  await dir.write({
    "panewright.jsonc": JSON.stringify({ provider: "codex", providers: { codex: { env: { ODD_TOKEN: secret } } } }),
  });
  const call = (env: Readonly<Record<string, string>>) => callCli(["report", "--json"], { cwd: dir.path, env });
  const trusted = await call({ PANEWRIGHT_TRUST: "1" });
  assertEquals([trusted.code, trusted.stderr, trusted.stdout.includes(secret)], [0, "", false]);
  assertStringIncludes(trusted.stdout, "I log in with redacted");
  const { code, stderr } = await call({});
  assertEquals(code, 0);
  assertStringIncludes(stderr, "the report may hold secrets that only the run's configuration has: Cannot use");
});
