import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { noteBegun } from "../../../lib/turn/desk/giver.ts";
import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { listProcesses } from "../../../lib/base/ports/process_table.ts";
import { callCli } from "../../support/call_cli.ts";
import { reviewStarted } from "../../support/run_folders.ts";
import { startProgram } from "../../support/program.ts";
import { holdRun, readAnswerOf } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";

interface Bench extends AsyncDisposable {
  readonly folder: RunFolder;
  append(record: { readonly type: string; readonly [key: string]: unknown }): void;
  cli(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** A run of the review loop that stands at a dialog; its agent is the program that is given, or gone. */
async function runAtDialog(agent?: { readonly pid: number }): Promise<Bench> {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  await noteBegun(await claimRunMail(folder));
  const journal = openJournal(folder.journalPath);
  const append: Bench["append"] = (record) => journal.append(record);
  journal.append(reviewStarted(dir.path, folder.id));
  if (agent !== undefined) {
    const { pid } = agent;
    const processStart = (await listProcesses()).find((one) => one.pid === pid)?.startTime;
    append({ type: "agent_starting", role: "tester", provider: "codex" });
    append({ type: "agent_ready", role: "tester", terminalId: "%5", seconds: 1, pid, processStart, launchedAtMs: 1 });
  }
  append({
    type: "dialog_waiting",
    turnId: "r1-tester",
    role: "tester",
    terminalId: "%5",
    kind: "command",
    subject: "npm test",
    fingerprint: "f",
    reason: "AUTO_ACCEPT_PERMISSIONS is off.",
    question: "q1",
    runId: folder.id,
    attachCommand: "tmux attach-session",
    timeoutSeconds: 600,
  });
  return {
    folder,
    append,
    async cli(...args) {
      return await callCli(args, { cwd: dir.path });
    },
    async [Symbol.asyncDispose]() {
      journal[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("questions lists the dialog at which a run stands, and answer leaves a yes for it, once", async () => {
  await using bench = await runAtDialog();
  using _lock = await holdRun(bench.folder);
  const { stdout } = await bench.cli("questions");
  assertMatch(stdout, /, the tester wants to run a command, asked .* ago \(q1\):\n {2}\| npm test\n/);
  assertStringIncludes(stdout, "  AUTO_ACCEPT_PERMISSIONS is off.\n");
  assertStringIncludes(stdout, `answer with: panewright answer ${bench.folder.id} --question q1 yes|no\n`);
  assertNotMatch(stdout, /step|YOUR ANSWER/);
  const json = JSON.parse((await bench.cli("questions", "--json")).stdout);
  assertEquals([json.step, json.text], [
    "tester",
    "Yes or no to a dialog (command): npm test\nAUTO_ACCEPT_PERMISSIONS is off.",
  ]);
  assertEquals([json.dialog.role, json.dialog.kind, json.dialog.subject], ["tester", "command", "npm test"]);

  const given = await bench.cli("answer", bench.folder.id, "--question", "q1", "yes");
  assertEquals([given.code, given.stderr], [0, ""]);
  assertEquals((await readAnswerOf(bench.folder, "q1"))?.answer, "yes");
  const again = await bench.cli("answer", bench.folder.id, "no");
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, "answered before");
});

Deno.test("an answer to the dialog of a run whose panewright was killed is kept for when it goes on", async () => {
  await using agent = startProgram(["sleep", "600"], { cwd: "/", env: {} });
  await using bench = await runAtDialog(agent);
  const { code, stdout } = await bench.cli("answer", bench.folder.id, "--question", "q1", "yes");
  assertEquals(code, 0);
  assertStringIncludes(stdout, `Resume with: panewright resume ${bench.folder.id}`);
  assertEquals((await readAnswerOf(bench.folder, "q1"))?.answer, "yes");
});

Deno.test("approve and deny answer the permission of a run by its name, from anywhere, and say what it was", async () => {
  await using bench = await runAtDialog();
  using _lock = await holdRun(bench.folder);
  // The list names it as the card does.
  const list = await callCli([], { cwd: "/" });
  const name = /^needs you +(\S+) +tester wants to run a command: npm test/m.exec(list.stdout)?.[1] ?? "";
  const shown = await callCli(["show", name], { cwd: "/" });
  assertMatch(shown.stdout, new RegExp(` approve ${bench.folder.id}\n`));
  const none = await callCli(["approve", "no-such-run"], { cwd: "/" });
  assertEquals(none.code, 2);
  const other = await callCli(["approve", name, "--question", "q7"], { cwd: "/" });
  assertEquals([other.code, await readAnswerOf(bench.folder, "q1")], [2, undefined]);
  const { code, stderr, stdout } = await callCli(["deny", name, "use", "make test"], { cwd: "/" });
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(stdout, "It asked: npm test\n");
  assertEquals((await readAnswerOf(bench.folder, "q1"))?.answer, "no, use make test");
});

Deno.test("approve is no answer to a question", async () => {
  await using bench = await runAtDialog();
  using _lock = await holdRun(bench.folder);
  const options = [{ label: "One", description: "" }, { label: "Two", description: "" }];
  const questions = [{ question: "Which?", header: "W", multiSelect: false, options }];
  bench.append({
    ...{ type: "dialog_waiting", turnId: "r1-tester", role: "tester", terminalId: "%5", kind: "question", questions },
    ...{ subject: "Which?", fingerprint: "g", reason: "only a person", question: "q2", runId: bench.folder.id },
    ...{ attachCommand: "tmux attach-session", timeoutSeconds: 600 },
  });
  const { code, stderr } = await bench.cli("approve", bench.folder.id, "--question", "q2");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "Cannot approve q2");
});
