import { assertEquals, assertStringIncludes } from "@std/assert";
import { auditHeadsPath, openAuditHeads } from "../../../lib/turn/desk/audit_heads.ts";
import { openAuditLog } from "../../../lib/turn/desk/audit.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder, runFolderAt } from "../../../lib/run/run_folder.ts";
import { callCli } from "../../support/call_cli.ts";
import { reviewFinished, reviewStarted } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const NOW = new Date("2026-11-20T07:26:05Z");

/** A run with an accepted and a denied command, and one that a person was asked about. */
async function runWithAudit(dir: TempDir): Promise<{ readonly id: string; readonly path: string }> {
  const { id, auditPath, journalPath } = await createRunFolder(dir.path, { now: NOW });
  using journal = openJournal(journalPath, { fault: "none" });
  journal.append(reviewStarted(dir.path, id));
  using audit = await openAuditLog(auditPath, { run: id, secrets: [], wallClock: () => NOW });
  const decision = {
    role: "tester",
    terminal: "t-5",
    provider: "codex",
    kind: "command",
    command: "npm \x1b[2Jtest",
    decision: "allow",
    rule: "default",
    reason: "Nothing in the policy forbids it.",
    keys: ["y"],
    before: ["$ npm test"],
  } as const;
  await audit.perform(decision, () => Promise.resolve({ result: "closed", after: ["• Working"] }));
  await audit.note({ ...decision, command: undefined, decision: "ask", rule: "uncertain", reason: "It is uncertain." });
  return { id, path: auditPath };
}

async function run(dir: TempDir, args: readonly string[]) {
  return await callCli(["audit", ...args], { cwd: dir.path });
}

Deno.test("audit show prints the newest run's decisions, what was sent and what became of it", async () => {
  await using dir = await tempDir();
  const { id } = await runWithAudit(dir);
  const { code, stdout, stderr } = await run(dir, ["show"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(
    stdout,
    `#2  2026-11-20T07:26:05.000Z  allow: command of tester (terminal t-5, codex)
    about   npm \\x1b[2Jtest
    rule    default: Nothing in the policy forbids it.
    sent    y
    result  closed

#4  2026-11-20T07:26:05.000Z  ask: command of tester (terminal t-5, codex)
    about   what the screen does not show
    rule    uncertain: It is uncertain.
    sent    nothing
`,
  );
  const verbose = await run(dir, ["show", id, "--verbose"]);
  assertStringIncludes(verbose.stdout, "    screen before\n      | $ npm test\n    screen after\n      | • Working\n");
});

Deno.test("audit show --json gives the records, one a line", async () => {
  await using dir = await tempDir();
  await runWithAudit(dir);
  const { stdout } = await run(dir, ["show", "--json"]);
  assertEquals(stdout.trimEnd().split("\n").map((line) => JSON.parse(line).type), [
    "opened",
    "decision",
    "outcome",
    "decision",
  ]);
});

Deno.test("audit verify says that a log is as it was written, and names its last hash", async () => {
  await using dir = await tempDir();
  const { id, path } = await runWithAudit(dir);
  const last = JSON.parse((await Deno.readTextFile(path)).trimEnd().split("\n").at(-1)!);
  const { code, stdout } = await run(dir, ["verify"]);
  assertEquals(code, 0);
  assertEquals(
    stdout,
    `The audit log of run ${id} is as it was written: 4 records.\nLast hash: ${last.hash}\n` +
      "Compared with 0 heads in the run's journal; no copy is kept outside of the working directory.\n",
  );
  await Deno.writeTextFile(path, "{", { append: true });
  assertStringIncludes((await run(dir, ["verify"])).stdout, "begun and not finished");
});

Deno.test("audit verify finds a log whose end was cut off, or that was written anew, by the run's journal", async () => {
  await using dir = await tempDir();
  const { id, path } = await runWithAudit(dir);
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
  const { seq: records, hash } = JSON.parse(lines.at(-1)!);
  using journal = openJournal(runFolderAt(dir.path, id).journalPath, { fault: "none" });
  journal.append({ ...reviewFinished("pass"), ...{ audit: { records, hash } } });
  assertEquals((await run(dir, ["verify"])).code, 0);
  await Deno.writeTextFile(path, `${lines.slice(0, 2).join("\n")}\n`);
  const cut = await run(dir, ["verify"]);
  assertEquals(cut.code, 1);
  assertStringIncludes(cut.stderr, `the audit log of run ${id}: it had 4 records, and has 2`);
  const [json = "{}"] = (await run(dir, ["verify", "--json"])).stdout.split("\n");
  assertEquals(JSON.parse(json).intact, false);
});

Deno.test("audit verify names the first broken record, with exit code 1", async () => {
  await using dir = await tempDir();
  const { id, path } = await runWithAudit(dir);
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace('"closed"', '"opened"'));
  const { code, stdout, stderr } = await run(dir, ["verify"]);
  assertEquals({ code, stdout }, { code: 1, stdout: "" });
  assertEquals(
    stderr,
    `panewright: Cannot trust the audit log of run ${id}: the record in line 3 was changed after it was written\n` +
      "  The 2 records before it are as written.\n",
  );
  const [first = "{}"] = (await run(dir, ["verify", "--json"])).stdout.split("\n");
  const { intact, line, records } = JSON.parse(first);
  assertEquals({ intact, line, records }, { intact: false, line: 3, records: 2 });
  assertEquals((await run(dir, ["show"])).code, 1);
});

Deno.test("audit says what is missing: a run, a log, an action", async () => {
  await using dir = await tempDir();
  assertStringIncludes((await run(dir, ["show"])).stderr, "there are no runs yet");
  const { id, journalPath } = await createRunFolder(dir.path, { now: NOW });
  assertStringIncludes((await run(dir, ["verify"])).stderr, "Cannot read the journal");
  using journal = openJournal(journalPath, { fault: "none" });
  journal.append(reviewStarted(dir.path, id));
  const noLog = await run(dir, ["verify"]);
  assertEquals(noLog.code, 2);
  assertStringIncludes(noLog.stderr, `Cannot find an audit log of run ${id}`);
  assertStringIncludes((await run(dir, ["verfy"])).stderr, '(did you mean "verify"?)');
});

/** The records of a run that was killed, or is under way: it has no end, only decisions with the log's head. */
function decided(end: { readonly records: number; readonly hash: string }) {
  return {
    type: "dialog_answered",
    turnId: "r1-tester-c0",
    role: "tester",
    terminalId: "%5",
    kind: "command",
    subject: "npm test",
    answer: "accept",
    rule: "default",
    result: "closed",
    audit: end,
  } as const;
}

async function unfinishedRun(dir: TempDir, state?: string) {
  const folder = await createRunFolder(dir.path, { now: NOW });
  const copy = state && auditHeadsPath(folder, (name) => name === "XDG_STATE_HOME" ? state : undefined);
  using heads = openAuditHeads(copy, { onProblem: (message) => assertEquals(message, "") });
  using journal = openJournal(folder.journalPath, { fault: "none" });
  journal.append(reviewStarted(dir.path, folder.id));
  await writeDecisions(folder.auditPath, { run: folder.id, heads, onDecided: (end) => journal.append(decided(end)) });
  return folder;
}

async function writeDecisions(path: string, options: {
  readonly run: string;
  readonly command?: string;
  readonly heads?: ReturnType<typeof openAuditHeads>;
  readonly onDecided?: (end: { readonly records: number; readonly hash: string }) => void;
}): Promise<void> {
  const { run, command = "npm test", heads, onDecided } = options;
  using audit = await openAuditLog(path, { run, secrets: [], wallClock: () => NOW, ...(heads && { heads }) });
  for (let count = 0; count < 2; count++) {
    const about = { role: "tester", terminal: "%5", provider: "codex", kind: "command", command, before: [] };
    const decision = { ...about, decision: "allow", rule: "default", reason: "It may.", keys: ["y"] } as const;
    await audit.perform(decision, () => Promise.resolve({ result: "closed", after: [] }));
    onDecided?.(audit.end);
  }
}

async function verify(dir: TempDir, env: Record<string, string> = {}) {
  return await callCli(["audit", "verify"], { cwd: dir.path, env });
}

Deno.test("audit verify knows the log of a run that was killed by the heads in its journal", async () => {
  await using dir = await tempDir();
  const { id, auditPath } = await unfinishedRun(dir);
  assertEquals((await verify(dir)).code, 0);
  const whole = await Deno.readTextFile(auditPath);
  const lines = whole.split("\n");

  const refusals: Record<string, () => Promise<unknown>> = {
    "it is empty": () => Deno.writeTextFile(auditPath, ""),
    "it had 5 records, and has 3": () => Deno.writeTextFile(auditPath, `${lines.slice(0, 3).join("\n")}\n`),
    "it had 5 records, and has 4": () => Deno.writeTextFile(auditPath, `${lines.slice(0, 4).join("\n")}\n`),
    "it is not the one that its run wrote": async () => {
      await Deno.remove(auditPath);
      await writeDecisions(auditPath, { run: id, command: "git push" });
    },
    "it is gone: it had 3 records": () => Deno.remove(auditPath),
    "it is a link": async () => {
      await dir.write({ "elsewhere.ndjson": whole });
      await Deno.symlink(`${dir.path}/elsewhere.ndjson`, auditPath);
    },
  };
  for (const [problem, spoil] of Object.entries(refusals)) {
    await spoil();
    const { code, stderr } = await verify(dir);
    assertEquals(code, 1, problem);
    assertStringIncludes(stderr, problem);
    await Deno.remove(auditPath).catch(() => {});
    if (problem !== "it is gone: it had 3 records") await Deno.writeTextFile(auditPath, whole);
  }
  await Deno.writeTextFile(auditPath, whole);
  assertEquals((await verify(dir)).code, 0);
});

Deno.test("audit verify finds a log that was written anew together with its journal by the copy of its heads", async () => {
  await using dir = await tempDir();
  const state = `${dir.path}/state`;
  const { id, auditPath, journalPath } = await unfinishedRun(dir, state);
  const env = { XDG_STATE_HOME: state };
  assertEquals((await verify(dir, env)).code, 0);
  const copy = `${state}/panewright/audit/${id}.ndjson`;
  for (const [path, mode] of [[copy, 0o600], [`${state}/panewright/audit`, 0o700]] as const) {
    assertEquals(((await Deno.lstat(path)).mode ?? 0) & 0o777, mode, path);
  }

  await Deno.remove(auditPath);
  await Deno.remove(journalPath);
  using journal = openJournal(journalPath, { fault: "none" });
  journal.append(reviewStarted(dir.path, id));
  const onDecided = (end: { records: number; hash: string }) => void journal.append(decided(end));
  await writeDecisions(auditPath, { run: id, command: "git push", onDecided });
  assertEquals((await verify(dir)).code, 0, "the journal alone cannot tell");
  const { code, stderr } = await verify(dir, env);
  assertEquals(code, 1);
  assertStringIncludes(stderr, `it is not the one that its run wrote: record 2 is another one, by the copy ${copy}`);
});

Deno.test("a copy of the heads that cannot be written is told once, and stops nothing", async () => {
  await using dir = await tempDir();
  await dir.write({ "state": "a file" });
  const problems: string[] = [];
  using heads = openAuditHeads(`${dir.path}/state/panewright/audit/x.ndjson`, {
    onProblem: (one) => problems.push(one),
  });
  await writeDecisions(`${dir.path}/audit.ndjson`, { run: "x", heads });
  assertEquals(problems.length, 1);
  assertStringIncludes(problems[0] ?? "", "Cannot keep a copy of the audit log's heads in");
});

Deno.test("audit verify says what it compared the log with: a copy that is older, or gone, is no reason to refuse it", async () => {
  await using dir = await tempDir();
  const env = { XDG_STATE_HOME: `${dir.path}/state` };
  const { id } = await unfinishedRun(dir, env.XDG_STATE_HOME);
  const copy = `${env.XDG_STATE_HOME}/panewright/audit/${id}.ndjson`;
  assertStringIncludes((await verify(dir, env)).stdout, `2 heads in the run's journal and 5 in ${copy}.`);
  const older = (await Deno.readTextFile(copy)).split("\n").slice(0, 3).join("\n");
  await Deno.writeTextFile(copy, `${older}\n`);
  assertStringIncludes((await verify(dir, env)).stdout, `2 heads in the run's journal and 3 in ${copy}.`);
  await Deno.remove(copy);
  const { code, stdout } = await verify(dir, env);
  assertEquals(code, 0);
  assertStringIncludes(stdout, `2 heads in the run's journal only: there is no copy of them in ${copy}.`);
});

Deno.test("audit verify refuses a log where journal or copy cannot say how it ended, and one of another run", async () => {
  await using dir = await tempDir();
  const env = { XDG_STATE_HOME: `${dir.path}/state` };
  const { id, auditPath, journalPath } = await unfinishedRun(dir, env.XDG_STATE_HOME);
  const copy = `${env.XDG_STATE_HOME}/panewright/audit/${id}.ndjson`;
  const refusals: readonly (readonly [path: string, problem: string, spoil: (whole: string) => Promise<unknown>])[] = [
    [copy, "is not a head", (whole) => Deno.writeTextFile(copy, `${whole}{}\n`)],
    [copy, "cannot be read", (whole) => Deno.writeTextFile(copy, `${whole}{\n`)],
    [copy, "it is a link", async () => {
      await Deno.remove(copy);
      await Deno.symlink("/dev/zero", copy);
    }],
    [copy, "it is a folder", async () => {
      await Deno.remove(copy);
      await Deno.mkdir(copy);
    }],
    [journalPath, "the journal cannot say where it ended", (whole) => {
      return Deno.writeTextFile(journalPath, whole.replace('"role":"tester"', '"role":5'));
    }],
    [journalPath, "the journal cannot say where it ended", (whole) => Deno.writeTextFile(journalPath, `x${whole}`)],
    [journalPath, "Cannot read the journal", () => Deno.remove(journalPath)],
  ];
  for (const [path, problem, spoil] of refusals) {
    const whole = await Deno.readTextFile(path);
    await spoil(whole);
    const { code, stderr } = await verify(dir, env);
    assertEquals(code, 1, `${problem}: ${stderr}`);
    assertStringIncludes(stderr, problem);
    await Deno.remove(path).catch(() => {});
    await Deno.writeTextFile(path, whole);
  }
  assertEquals((await verify(dir, env)).code, 0);

  await Deno.remove(auditPath);
  await writeDecisions(auditPath, { run: "20261120-072605-0000" });
  await Deno.remove(copy);
  await Deno.writeTextFile(
    journalPath,
    (await Deno.readTextFile(journalPath)).split("\n").slice(0, 1).join("\n") + "\n",
  );
  const { code, stderr } = await verify(dir);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "it belongs to another run, 20261120-072605-0000");
});
