import { assertEquals, assertMatch } from "@std/assert";
import { type AuditDecision, openAuditLog } from "../../../lib/turn/desk/audit.ts";
import type { ReviewFact } from "../../../lib/jobs/review_loop/facts.ts";
import { watchRawKeys } from "../../../lib/jobs/review_loop/raw_keys.ts";
import type { RoleAgent } from "../../../lib/jobs/review_loop/role_agent.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import type { Role } from "../../../lib/base/roles.ts";
import { leaveRawKeys, takeBackRawKeys, takeRawKeys } from "../../../lib/run/raw_keys.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import type { PaneRef } from "../../../lib/tmux/client.ts";
import { type TmuxSandbox, tmuxSandbox, until } from "../../tmux/support.ts";

type KeyFact = Extract<ReviewFact, { readonly type: "raw_keys_pressing" | "raw_keys_ended" }>;

async function stage(sandbox: TmuxSandbox) {
  const folder = runFolderAt(sandbox.home, "20261120-072605-3fa9");
  await Deno.mkdir(folder.path, { recursive: true });
  const keysFolder = `${sandbox.home}/state/keys`;
  const facts: KeyFact[] = [];
  const agents = new Map<Role, RoleAgent>();
  const note = (fact: ReviewFact) => void facts.push(fact as KeyFact);
  const watch = async (rawInput: boolean, nowMs = Date.now, record = note) => {
    const audit = await openAuditLog(folder.auditPath, { run: folder.id, secrets: [] });
    const watching = watchRawKeys({
      plan: { rawInput },
      folder,
      keysFolder,
      team: { agents: () => agents },
      client: sandbox.client,
      audit,
      record,
      clock: systemClock,
      signal: new AbortController().signal,
      nowMs,
    });
    return {
      [Symbol.dispose]() {
        watching[Symbol.dispose]();
        audit[Symbol.dispose]();
      },
    };
  };
  const join = (role: Role, pane: PaneRef) =>
    agents.set(role, { via: "pane", pane, provider: { id: "codex" } } as unknown as RoleAgent);
  const leave = async (role: Role, text: string) => {
    await Deno.mkdir(keysFolder, { recursive: true, mode: 0o700 });
    return await leaveRawKeys(keysFolder, { role, text, by: "http", who: "a test", leftAtMs: Date.now() });
  };
  const audited = async () =>
    (await Deno.readTextFile(folder.auditPath)).trim().split("\n").map((line) =>
      JSON.parse(line) as AuditDecision & {
        type: string;
      }
    );
  return { keysFolder, facts, join, watch, leave, audited };
}

Deno.test("keys from outside are in the journal and the audit log before they are pressed", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const { keysFolder, facts, join, watch, leave, audited } = await stage(sandbox);
  const pane = await session.openPane({
    name: "x",
    argv: ["sh", "-c", "read a; echo got $a; read b"],
    cwd: sandbox.home,
  });
  join("programmer", pane);
  using _ = await watch(true);
  const { id } = await leave("programmer", "yes\r");
  await until(() => facts.length, (count) => count === 2);
  assertEquals(facts, [
    {
      type: "raw_keys_pressing",
      id,
      role: "programmer",
      terminalId: pane.paneId,
      by: "http",
      who: "a test",
      subject: "yes\\r",
      passable: true,
    },
    { type: "raw_keys_ended", id, role: "programmer", passable: true },
  ]);
  const shown = async () => (await session.client.run(["capture-pane", "-p", "-t", pane.paneId])).stdout;
  await until(shown, (text) => text.includes("got yes"));
  const [, decision, outcome] = await audited();
  assertEquals([decision?.type, decision?.kind, decision?.command, decision?.rule], [
    "decision",
    "raw_keys",
    "yes\\r",
    "raw_input",
  ]);
  assertEquals(outcome?.type, "outcome");
  assertEquals([...Deno.readDirSync(keysFolder)], []);
});

Deno.test("keys that came too late, or for an agent that is not there, are told and not pressed", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const { facts, join, watch, leave, audited } = await stage(sandbox);
  const pane = await session.openPane({
    name: "x",
    argv: ["sh", "-c", "read a; echo got $a; read b"],
    cwd: sandbox.home,
  });
  join("programmer", pane);
  await leave("programmer", "late\r");
  await leave("tester", "x");
  using _ = await watch(true, () => Date.now() + 6000);
  await until(() => facts.length, (count) => count === 2);
  assertEquals(facts.map((fact) => fact.type === "raw_keys_ended" && fact.problem), [
    "they came too late",
    "they came too late",
  ]);
  assertEquals((await audited()).length, 1, "nothing but its opening");
  await session.closePane(pane);
});

Deno.test("a pane that is gone, or has another program, gets no key", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const { facts, join, watch, leave } = await stage(sandbox);
  const pane = await session.openPane({ name: "x", argv: ["sh", "-c", "read a"], cwd: sandbox.home });
  join("programmer", { ...pane, pid: pane.pid + 1 });
  join("analyst", { paneId: "%99", pid: 1 });
  using _ = await watch(true);
  await leave("programmer", "x");
  await until(() => facts.length, (count) => count === 1);
  await leave("analyst", "x");
  await until(() => facts.length, (count) => count === 2);
  const [other, gone] = facts.map((fact) => fact.type === "raw_keys_ended" ? fact.problem ?? "" : "");
  assertMatch(other ?? "", /another program/);
  assertMatch(gone ?? "", /the pane is gone/);
});

Deno.test("where the settings do not allow it, nothing is taken", async () => {
  await using sandbox = await tmuxSandbox();
  const { keysFolder, facts, watch, leave } = await stage(sandbox);
  using _ = await watch(false);
  const { id } = await leave("programmer", "x");
  assertEquals(takeBackRawKeys(keysFolder, id), true);
  assertEquals([takeBackRawKeys(keysFolder, id), takeBackRawKeys(keysFolder, "../x"), facts.length], [false, false, 0]);
});

Deno.test("keys are taken once, in their order; what is not a request is left or removed", async () => {
  const home = await Deno.makeTempDir();
  try {
    const folder = `${home}/keys`;
    assertEquals(takeRawKeys(folder), []);
    await Deno.mkdir(folder);
    const leave = (text: string, leftAtMs: number) =>
      leaveRawKeys(folder, { role: "tester", text, by: "http", leftAtMs });
    await leave("b", 2);
    await leave("a", 1);
    await Deno.writeTextFile(`${folder}/000000000000003-00000000.json`, '{"role":"nobody"}');
    await Deno.symlink("/etc/passwd", `${folder}/000000000000004-00000000.json`);
    assertEquals(takeRawKeys(folder).map(({ text }) => text), ["a", "b"]);
    assertEquals([takeRawKeys(folder), [...Deno.readDirSync(folder)]], [[], []]);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("keys whose record cannot be written are not pressed, and nothing else fails of it", async () => {
  await using sandbox = await tmuxSandbox();
  const { keysFolder, watch, leave } = await stage(sandbox);
  const refused: string[] = [];
  using _ = await watch(true, Date.now, ({ type }) => {
    refused.push(type);
    throw new Error("no space left");
  });
  await leave("tester", "yes\r");
  await until(() => refused.length, (count) => count === 2);
  assertEquals([refused, takeRawKeys(keysFolder)], [["raw_keys_ended", "warning"], []]);
});
