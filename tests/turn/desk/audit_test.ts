import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PanewrightError, UsageError } from "../../../lib/base/errors.ts";
import { type AuditDecision, type AuditLog, openAuditLog } from "../../../lib/turn/desk/audit.ts";
import { canonicalJson } from "../../../lib/base/text/json.ts";
import { type ChainedRecord, checkChain, findCut } from "../../../lib/turn/desk/audit_chain.ts";
import { findRun } from "../../../lib/run/find_run.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createRandom } from "../../support/random.ts";

const DECISION: AuditDecision = {
  role: "tester",
  terminal: "t-5",
  provider: "codex",
  kind: "command",
  command: "npm test",
  decision: "allow",
  rule: "default",
  reason: "Nothing in the policy forbids it.",
  keys: ["y"],
  before: ["  Would you like to run the following command?", "  $ npm test"],
};

const OUTCOME = { result: "closed", after: ["• Working"] };

const wallClock = () => new Date("2026-11-20T07:26:05Z");

function open(path: string, secrets: readonly string[] = []): Promise<AuditLog> {
  return openAuditLog(path, { run: "20261120-072605", secrets, wallClock });
}

async function read(path: string): Promise<ChainedRecord[]> {
  return (await Deno.readTextFile(path)).split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

Deno.test("a decision is on the disk before its effect, and what became of it after", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  using audit = await open(path);
  let during: ChainedRecord[] = [];
  const done = await audit.perform(DECISION, async () => {
    during = await read(path);
    return { ...OUTCOME, extra: 1 };
  });
  assertEquals(done.extra, 1);
  assertEquals(during.map(({ type }) => type), ["opened", "decision"]);
  const [opened, decision, outcome] = await read(path);
  const common = { at: "2026-11-20T07:26:05.000Z", run: "20261120-072605" };
  assertEquals(opened, { ...common, type: "opened", version: 1, seq: 1, prev: "0".repeat(64), hash: opened!.hash });
  assertEquals(decision, {
    ...common,
    ...DECISION,
    type: "decision",
    seq: 2,
    prev: opened!.hash,
    hash: decision!.hash,
  });
  assertEquals(outcome, {
    ...common,
    ...OUTCOME,
    type: "outcome",
    of: 2,
    seq: 3,
    prev: decision!.hash,
    hash: outcome!.hash,
  });
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("where the decision cannot be written, its effect does not happen, and neither does any later one", async () => {
  await using dir = await tempDir();
  const audit = await open(`${dir.path}/audit.ndjson`);
  // The file is closed under it: from here on no write can succeed.
  audit[Symbol.dispose]();
  let effects = 0;
  const effect = () => Promise.resolve({ ...OUTCOME, effects: ++effects });
  for (let attempt = 0; attempt < 2; attempt++) {
    const error = await assertRejects(
      () => audit.perform(DECISION, effect),
      PanewrightError,
      "Cannot write the audit log",
    );
    assertEquals(error.hint, "No dialog is answered that cannot be recorded.");
  }
  await assertRejects(() => audit.note(DECISION), PanewrightError);
  assertEquals(effects, 0);
});

Deno.test("an effect that fails is recorded as failed, and its error goes on", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  using audit = await open(path);
  await assertRejects(() => audit.perform(DECISION, () => Promise.reject(new UsageError("no such pane"))), UsageError);
  assertEquals((await read(path)).at(-1)!["result"], "failed: no such pane");
});

Deno.test("a decision on which nothing is sent is a record without keys and outcome", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  using audit = await open(path);
  await audit.note({ ...DECISION, decision: "ask" });
  const records = await read(path);
  assertEquals(records.map(({ type }) => type), ["opened", "decision"]);
  assertEquals([records[1]!["decision"], records[1]!["keys"]], ["ask", []]);
});

Deno.test("decisions of several terminals at once are one chain", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  using audit = await open(path);
  await Promise.all(
    Array.from(
      { length: 20 },
      (_, index) => audit.perform({ ...DECISION, terminal: `t-${index}` }, () => Promise.resolve(OUTCOME)),
    ),
  );
  const verdict = await checkChain(await Deno.readTextFile(path));
  assertEquals([verdict.intact, verdict.records.length], [true, 41]);
  const outcomes = verdict.records.filter(({ type }) => type === "outcome").map((record) => record["of"]);
  assertEquals(new Set(outcomes).size, 20);
});

Deno.test("a log is continued after a stop, also one in the middle of a record", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  {
    using audit = await open(path);
    await audit.note(DECISION);
  }
  const text = await Deno.readTextFile(path);
  for (const kept of [text.length, text.length - 1, text.length - 100, text.indexOf("\n") + 1, 10]) {
    await Deno.writeTextFile(path, text.slice(0, kept));
    using audit = await open(path);
    await audit.note(DECISION);
    const verdict = await checkChain(await Deno.readTextFile(path));
    assertEquals([verdict.intact, verdict.intact && verdict.torn], [true, false], `cut at ${kept}`);
    assertEquals(verdict.records.length, kept === text.length ? 3 : 2);
  }
});

Deno.test("a broken log, one of another run, and a link are not continued", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  (await open(path))[Symbol.dispose]();
  const text = await Deno.readTextFile(path);
  await assertRejects(
    () => openAuditLog(path, { run: "another", secrets: [] }),
    PanewrightError,
    "it belongs to another run, 20261120-072605",
  );
  await Deno.writeTextFile(path, text.replace("opened", "closed"));
  await assertRejects(() => open(path), PanewrightError, "its record in line 1 was changed");
  await Deno.symlink(path, `${dir.path}/link`);
  await assertRejects(() => open(`${dir.path}/link`), PanewrightError, "it is a link");
  await assertRejects(() => open(`${dir.path}/none/audit.ndjson`), PanewrightError, "Cannot write the audit log");
});

Deno.test("secrets do not get into the log, not even over two rows; folders and names do", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  using audit = await open(path, ["hunter2-hunter2"]);
  const command = "curl -H 'Authorization: Bearer abc123def456ghi' /home/jane/x sk-abcdefghijklmnopqrstuv";
  const row = `$ PASSWORD=hunter2-hunter2 ${"x".repeat(20)} ghp_abcdefghij`;
  await audit.perform(
    { ...DECISION, command, reason: `It runs ${command}.`, before: [row, "klmnopqrstuvwxyz0123"] },
    () => Promise.resolve({ result: "saw hunter2-hunter2", after: ["key: hunter2-hunter2"] }),
  );
  const text = await Deno.readTextFile(path);
  for (const secret of ["hunter2", "abc123def456ghi", "sk-abc", "ghp_abc", "klmnop"]) {
    assert(!text.includes(secret), secret);
  }
  assertStringIncludes(text, "/home/jane/x");
  assertEquals((await read(path))[1]!["before"] instanceof Array, true);
});

Deno.test("every change of a record, and every record that is removed, added or moved, is found at its line", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  {
    using audit = await open(path);
    for (let turn = 0; turn < 5; turn++) await audit.perform(DECISION, () => Promise.resolve(OUTCOME));
  }
  const text = await Deno.readTextFile(path);
  const lines = text.split("\n").slice(0, -1);
  const broken = async (changed: readonly string[]) => {
    const verdict = await checkChain(changed.map((line) => `${line}\n`).join(""));
    return verdict.intact ? undefined : verdict.line;
  };
  assertEquals(await broken(lines), undefined);
  for (let index = 0; index < lines.length; index++) {
    const without = lines.toSpliced(index, 1);
    // What is cut off at the end leaves a chain that is whole.
    assertEquals(await broken(without), index === lines.length - 1 ? undefined : index + 1);
    assertEquals(await broken(lines.toSpliced(index, 0, lines[index]!)), index + 2);
    assertEquals(await broken(lines.with(index, lines[index]!.replace("20261120", "20261121"))), index + 1);
    assertEquals(await broken(lines.with(index, `${lines[index]} `)), index + 1);
    assertEquals(await broken(lines.with(index, "{}")), index + 1);
  }
  const random = createRandom(5);
  for (let round = 0; round < 200; round++) {
    const at = random.int(text.length);
    const other = String.fromCharCode(33 + random.int(90));
    if (other === text[at] || text[at] === "\n") continue;
    const verdict = await checkChain(text.slice(0, at) + other + text.slice(at + 1));
    const line = text.slice(0, at).split("\n").length;
    assertEquals(verdict.intact ? undefined : verdict.line, line, `character ${at}`);
  }
});

Deno.test("a log that lacks records of an end that it had, if only one, or has another one there, is told apart", () => {
  const records = ["a", "b", "c"].map((hash, index): ChainedRecord => {
    return { seq: index + 1, prev: "", hash, at: "", run: "r", type: "decision" };
  });
  const ends = [{ records: 1, hash: "a" }, { records: 3, hash: "c" }];
  assertEquals(findCut(records, ends), undefined);
  assertEquals(findCut([...records, ...records], ends), undefined);
  assertEquals(findCut(records.slice(0, 2), ends), "had 3 records, and has 2");
  assertEquals(
    findCut([...records.slice(0, 2), { ...records[2]!, hash: "d" }], ends),
    "is not the one that its run wrote: record 3 is another one",
  );
});

Deno.test("a record that was made anew with its own hash does not fit the next one", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/audit.ndjson`;
  {
    using audit = await open(path);
    await audit.note(DECISION);
    await audit.note(DECISION);
  }
  const lines = (await Deno.readTextFile(path)).split("\n").slice(0, -1);
  const { hash: _, ...fields } = { ...JSON.parse(lines[1]!), command: "rm -rf /" };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(fields)));
  const forged = canonicalJson({ ...fields, hash: new Uint8Array(digest).toHex() });
  const verdict = await checkChain(`${lines.with(1, forged).join("\n")}\n`);
  assertEquals(!verdict.intact && [verdict.line, verdict.problem], [3, "does not follow the record before it"]);
});

Deno.test("a run is found by its id, or as the newest", async () => {
  await using dir = await tempDir();
  await assertRejects(() => findRun(dir.path), UsageError, "there are no runs yet");
  for (const id of ["20261120-072605-1a2b", "20261120-072604-ffff", "20261119-235959-0000"]) {
    await Deno.mkdir(`${dir.path}/.panewright/runs/${id}`, { recursive: true });
  }
  assertEquals((await findRun(dir.path)).id, "20261120-072605-1a2b");
  assertEquals((await findRun(dir.path, "20261119-235959-0000")).id, "20261119-235959-0000");
  const error = await assertRejects(() => findRun(dir.path, "../../x"), UsageError, 'Cannot find the run "../../x"');
  assertStringIncludes(error.hint ?? "", "20261119-235959-0000, 20261120-072604-ffff");
});

Deno.test("a log that an agent removes is made again of its twin, at the next record and when the run is over; one that was changed is not", async () => {
  await using dir = await tempDir();
  const [path, twinPath] = [`${dir.path}/run/audit.ndjson`, `${dir.path}/state/audit.ndjson`];
  for (const folder of ["run", "state"]) await Deno.mkdir(`${dir.path}/${folder}`);
  const openTwin = () => openAuditLog(path, { run: "20261120-072605", secrets: [], wallClock, twinPath });
  {
    using audit = await openTwin();
    await audit.note(DECISION);
    await Deno.remove(`${dir.path}/run`, { recursive: true });
    await audit.note(DECISION);
    assertEquals((await read(path)).map(({ seq }) => seq), [1, 2, 3]);
    await Deno.remove(path);
  }
  assertEquals((await checkChain(await Deno.readTextFile(path))).intact, true);
  await Deno.remove(path);
  {
    using audit = await openTwin();
    assertEquals(audit.end.records, 3);
    await audit.note(DECISION);
  }
  assertEquals(await Deno.readTextFile(path), await Deno.readTextFile(twinPath));
  // Its end cut off, and another log in its place, whose chain holds as well.
  const whole = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, whole.slice(0, whole.indexOf("\n") + 1));
  {
    using audit = await openTwin();
    assertEquals([audit.end.records, await Deno.readTextFile(path)], [4, whole]);
  }
  await Deno.remove(path);
  {
    using other = await openAuditLog(path, { run: "20261120-072605", secrets: [], wallClock });
    await other.note({ ...DECISION, role: "programmer" });
  }
  await assertRejects(openTwin, PanewrightError, "it is not the one that");
  assertEquals(await Deno.readTextFile(twinPath), whole);
  await Deno.writeTextFile(path, whole);
  const [first = "", ...more] = (await Deno.readTextFile(path)).split("\n");
  await Deno.writeTextFile(path, [first.replace("opened", "closed"), ...more].join("\n"));
  await assertRejects(openTwin, PanewrightError, "Cannot continue the audit log");
});
