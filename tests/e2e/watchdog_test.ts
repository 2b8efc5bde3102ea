import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { type JournalRecord, readRecords } from "../support/journal_records.ts";
import { type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { execProject } from "../cli/commands/exec_project.ts";
import { processesWith } from "../agents/process/support.ts";
import { setUpFailureStage } from "./failures_stage.ts";

/** A pipe for what a program prints. Nobody reads it: a write to it never returns once it is full. */
interface UnreadPipe extends Disposable {
  /** What a program is started through to print there. */
  readonly through: readonly [string, ...string[]];
  fill(): Promise<void>;
}

async function openUnreadPipe({ root, project, env }: Sandbox): Promise<UnreadPipe> {
  const path = `${root}/unread`;
  assertEquals((await new Deno.Command("mkfifo", { args: [path] }).output()).code, 0);
  // Open for both, so that opening it waits for nobody.
  const held = await Deno.open(path, { read: true, write: true });
  const command = (...argv: readonly [string, ...string[]]) =>
    runProgram(argv, { cwd: project, env, timeoutMs: 60_000 });
  return {
    through: ["sh", "-c", `exec "$@" > '${path}'`, "sh"],
    async fill() {
      const { stderr } = await command("dd", "if=/dev/zero", `of=${path}`, "bs=1", "oflag=nonblock");
      assert(/temporarily unavailable/.test(stderr), stderr);
    },
    [Symbol.dispose]: () => held.close(),
  };
}

async function recordsIn(project: string): Promise<readonly JournalRecord[]> {
  const runs = `${project}/.panewright/runs`;
  const [run] = await Array.fromAsync(Deno.readDir(runs)).catch(() => []);
  return run === undefined ? [] : await readRecords(`${runs}/${run.name}/journal.ndjson`).catch(() => []);
}

/** Waits for a record of the only run in a project. */
function recordOf(project: string, accept: (record: JournalRecord) => boolean): Promise<JournalRecord | undefined> {
  return until(async () => (await recordsIn(project)).find(accept), (found) => found !== undefined);
}

/** Waits until a program stands in a write to standard output: in a call with that as its first argument. */
async function untilInWrite(pid: number): Promise<void> {
  const call = async () => {
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/syscall`] }).output();
    return new TextDecoder().decode(stdout);
  };
  await until(call, (found) => /^\d+ 0x1 /.test(found));
}

/** Sends two signals to a program, and fails unless the watchdog has ended it. */
async function assertEndedByWatchdog(program: RunningProgram): Promise<void> {
  program.kill("SIGINT");
  program.kill("SIGTERM");
  let code: number | undefined;
  program.ended.then((end) => code = end.code);
  await until(() => code, (one) => one !== undefined, () => "it does not end");
  // Its own way out would have given 130 or 143.
  assertEquals(code, 137);
}

Deno.test("run whose event loop stands still, as nobody reads what it prints: a second signal ends agents, tmux and run", async () => {
  await using stage = await setUpFailureStage({
    others: { programmer: [{ endless: true }] },
    config: { start_agent: "programmer", limits: { max_rounds: 1, max_agent_restarts: 2 } },
  });
  const { sandbox, env } = stage;
  using pipe = await openUnreadPipe(sandbox);
  await using run = stage.runThrough(...pipe.through);
  const isAtWork = ({ type, role, status }: JournalRecord) =>
    type === "status_changed" && role === "programmer" && status === "processing";
  await recordOf(sandbox.project, isAtWork);
  const ready = (await recordsIn(sandbox.project)).filter(({ type }) => type === "agent_ready");
  assertNotEquals(ready.filter(({ role }) => role !== "programmer"), []);
  await pipe.fill();
  // What is told next stands in the pipe.
  Deno.kill(Number(ready.find(({ role }) => role === "programmer")?.["pid"]), "SIGKILL");
  await untilInWrite(run.pid);
  const opening = (await recordsIn(sandbox.project)).find(({ type }) => type === "session_opening");
  const socket = String(opening?.["socket"]);
  const { stdout } = await runProgram(["tmux", "-L", socket, "list-panes", "-a"], {
    cwd: sandbox.project,
    env,
    timeoutMs: 10_000,
  });
  assertNotEquals(stdout, "", "its agents are there");
  await assertEndedByWatchdog(run.program);
  await sandbox.assertNothingLeft();
});

Deno.test("exec whose event loop stands still, as nobody reads what it prints: a second signal ends agent and run", async () => {
  await using project = await execProject();
  const { sandbox, path, panewright, env } = project;
  const loud = `${sandbox.root}/bin/loud-codex`;
  const line = `{"type":"item.completed","item":{"type":"agent_message","text":"%0999d"}}\\n`;
  await Deno.writeTextFile(loud, `#!/bin/sh\nwhile :; do printf '${line}' 1; sleep 0.05; done\n`, { mode: 0o755 });
  const step = { name: "only", prompt: "self", command: [loud], check: { type: "none" } };
  await Deno.writeTextFile(`${path}/panewright.jsonc`, JSON.stringify({ pipelines: { main: [step] } }));
  await Deno.writeTextFile(`${path}/task.md`, "Build a login.\n");
  using pipe = await openUnreadPipe(sandbox);
  const [program, ...args] = [...pipe.through, ...panewright.argv, "exec", "task.md", "--json"] as const;
  await using run = startProgram([program, ...args], { cwd: path, env });
  await recordOf(path, ({ type }) => type === "attempt_started");
  await pipe.fill();
  await until(() => processesWith(loud), (found) => found.length > 0);
  await untilInWrite(run.pid);
  await assertEndedByWatchdog(run);
  await sandbox.assertNothingLeft();
});
