import { assertEquals, assertStringIncludes } from "@std/assert";
import { auditHeadsPath, openAuditHeads } from "../../../lib/turn/desk/audit_heads.ts";
import { openAuditLog } from "../../../lib/turn/desk/audit.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
import { callCli } from "../../support/call_cli.ts";
import { reviewStarted } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const NOW = new Date("2026-11-20T07:26:05Z");

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
  using journal = openJournal(folder.journalPath, { copyPath: folder.copyPath, fault: "none" });
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

Deno.test("audit verify refuses a log where journal or copy cannot say how it ended, and one of another run", async () => {
  await using dir = await tempDir();
  const env = { XDG_STATE_HOME: `${dir.path}/state` };
  const { id, auditPath, journalPath, copyPath } = await unfinishedRun(dir, env.XDG_STATE_HOME);
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
    [journalPath, "does not follow the line before", (whole) => {
      return Deno.writeTextFile(journalPath, whole.replace('"role":"tester"', '"role":5'));
    }],
    [journalPath, "is not a record", (whole) => Deno.writeTextFile(journalPath, `x${whole}`)],
    [journalPath, "the state folder has none", () => Deno.remove(journalPath)],
    [copyPath, "has another line 2", (whole) => Deno.writeTextFile(copyPath, whole.replace("manners", "nothing"))],
    [copyPath, "has 0 of 4 lines", () => Deno.writeTextFile(copyPath, "")],
    [copyPath, "has another line 5", (whole) => Deno.writeTextFile(copyPath, `${whole}{}\n`)],
    [copyPath, "is gone", () => Deno.remove(copyPath)],
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
  const [first] = (await Deno.readTextFile(journalPath)).split("\n");
  for (const path of [journalPath, copyPath]) await Deno.writeTextFile(path, `${first}\n`);
  const { code, stderr } = await verify(dir);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "it belongs to another run, 20261120-072605-0000");
});
