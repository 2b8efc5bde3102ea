import { believedJournal } from "../support/believed_journal.ts";
import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { execProject } from "../cli/commands/exec_project.ts";
import { until } from "../support/until.ts";
import { processesWith } from "../agents/process/support.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { assertJournalIsWhole, mindingPermissions, REFUSABLE, watchProgram } from "./failures_stage.ts";

/** A project whose only step takes a while, prints some, and then does what the fake Codex does. */
async function setUp(beforeIt = "sleep 2", changes: Readonly<Record<string, unknown>> = {}) {
  const project = await execProject();
  const { sandbox: { root }, path, panewright, env } = project;
  const slow = `${root}/bin/slow-codex`;
  await Deno.writeTextFile(
    slow,
    `#!/bin/sh\n[ -e "${root}/quick" ] || { ${beforeIt}; }\nexec "${root}/bin/fake-codex" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const step = { name: "only", prompt: "self", command: [slow], check: { type: "none" }, ...changes };
  await Deno.writeTextFile(`${path}/panewright.jsonc`, JSON.stringify({ pipelines: { main: [step] } }));
  await Deno.writeTextFile(`${path}/task.md`, "Build a login.\n");
  const options = { cwd: path, env };
  return {
    project,
    slow,
    start: (...through: readonly string[]) => {
      const [program = "", ...args] = [...through, ...panewright.argv, "exec", "task.md", "--json"];
      return watchProgram(startProgram([program, ...args], options), { env, project: path });
    },
    /** From now on the slow part is left out. */
    hurry: () => Deno.writeTextFile(`${root}/quick`, ""),
    limitFiles: async (pid: number, bytes: number) => {
      const limited = await runProgram(["prlimit", "--pid", String(pid), `--fsize=${bytes}:`], {
        ...options,
        timeoutMs: 10_000,
      });
      assertEquals(limited.code, 0, limited.stderr);
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

Deno.test("exec, disk full in the middle of a journal record: the run ends in good order, and goes on where there is room", async () => {
  await using stage = await setUp();
  await using run = stage.start(...REFUSABLE);
  await run.fact("attempt_started");
  const folder = await run.folder();
  const journal = believedJournal(folder, stage.project.sandbox.home);
  await stage.limitFiles(run.pid, (await Deno.stat(journal)).size + 30);
  const { code, stderr } = await run.ended();
  assertEquals(code, 1);
  const id = folder.split("/").at(-1)!;
  for (const word of [`Cannot write the journal ${journal}`, "raise the limit", `panewright resume ${id}`]) {
    assertStringIncludes(stderr, word);
  }
  await stage.project.sandbox.assertNothingLeft();
  await stage.hurry();
  const resumed = await stage.project.run("resume", id);
  assertEquals(resumed.code, 0, resumed.stderr);
  await assertJournalIsWhole(folder);
});

Deno.test("exec, disk full while an agent's report is kept: the agent is ended at once, and the run goes on where there is room", async () => {
  const printing = `while [ ! -e ../quick ]; do printf '{"type":"note","text":"%0999d"}\\n' 1; sleep 0.01; done`;
  await using stage = await setUp(printing);
  await using run = stage.start(...REFUSABLE);
  await run.fact("attempt_started");
  const folder = await run.folder();
  await stage.limitFiles(run.pid, 20_000);
  const { code, stderr } = await run.ended();
  assertEquals(code, 1, stderr);
  for (const word of [`Cannot write ${folder}/steps/`, "raw.ndjson", "raise the limit"]) {
    assertStringIncludes(stderr, word);
  }
  assertNotMatch(stderr, /error is unexpected/);
  await stage.project.sandbox.assertNothingLeft();
  await stage.hurry();
  const resumed = await stage.project.run("resume", folder.split("/").at(-1)!);
  assertEquals(resumed.code, 0, resumed.stderr);
  await assertJournalIsWhole(folder);
});

Deno.test("exec, folder made read-only in the middle: the run ends with its path, and goes on afterwards", async (t) => {
  await using stage = await setUp();
  const { path, env, sandbox } = stage.project;
  const command = (...argv: readonly [string, ...string[]]) => runProgram(argv, { cwd: path, env, timeoutMs: 10_000 });
  const through = await mindingPermissions({ command });
  if (through === undefined) {
    await t.step({ name: "root cannot give up its power over files here", ignore: true, fn: () => {} });
    return;
  }
  const { pipelines } = JSON.parse(await Deno.readTextFile(`${path}/panewright.jsonc`));
  const main = [pipelines.main[0], { ...pipelines.main[0], name: "second" }];
  await Deno.writeTextFile(`${path}/panewright.jsonc`, JSON.stringify({ pipelines: { main } }));
  await using run = stage.start(...through);
  await run.fact("attempt_started");
  const steps = `${await run.folder()}/steps`;
  await Deno.chmod(steps, 0o555);
  const { code, stderr } = await run.ended();
  assertEquals(code, 1);
  for (const word of ["Permission denied", `${steps}/02-second`, "writable"]) assertStringIncludes(stderr, word);
  assertNotMatch(stderr, /error is unexpected/);
  await sandbox.assertNothingLeft();
  await Deno.chmod(steps, 0o755);
  const resumed = await stage.project.run("resume", (await run.folder()).split("/").at(-1)!);
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("exec, agent killed: the step fails, is named, nothing is left, and the run goes on with it", async () => {
  await using stage = await setUp("sleep 36000");
  await using run = stage.start();
  await run.fact("attempt_started");
  const [path = ""] = await until(() => processesWith(stage.slow), (found) => found.length > 0);
  Deno.kill(Number(path.split("/")[2]), "SIGKILL");
  const { code } = await run.ended();
  assertEquals(code, 1);
  const finished = run.facts().at(-1);
  assertEquals(finished?.["reason"], 'step "only" failed: the agent exited with 137');
  assertEquals(finished?.["resumeCommand"], `panewright resume ${(await run.folder()).split("/").at(-1)}`);
  await stage.project.sandbox.assertNothingLeft();
  await stage.hurry();
  const resumed = await stage.project.run("resume", (await run.folder()).split("/").at(-1)!);
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("exec, panewright alone stopped (Ctrl-Z) for 12 s: the step's time limit does not count it", async () => {
  await using stage = await setUp("while [ ! -e go ]; do sleep 0.1; done", { time_limit_seconds: 12 });
  await using run = stage.start();
  await run.fact("attempt_started");
  run.program.kill("SIGSTOP");
  await systemClock.sleep(12_000);
  run.program.kill("SIGCONT");
  // However slow the machine is: the agent ends as soon as panewright is awake again.
  await Deno.writeTextFile(`${stage.project.path}/go`, "");
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  await stage.project.sandbox.assertNothingLeft();
});

Deno.test("exec, an agent that never says anything: it has stalled, is ended and started again, and the run passes", async () => {
  await using stage = await setUp("sleep 36000");
  const path = `${stage.project.path}/panewright.jsonc`;
  const config = JSON.parse(await Deno.readTextFile(path));
  const handoff = { stall_minutes: 0.05, error_retry_seconds: 3 };
  await Deno.writeTextFile(path, JSON.stringify({ ...config, handoff }));
  await using run = stage.start();
  await run.fact("attempt_recovering");
  await stage.hurry();
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  const recovering = run.facts().filter(({ type }) => type === "attempt_recovering");
  assertEquals(recovering.map((fact) => [fact["class"], fact["recovery"], fact["message"]]), [
    ["network", "pause", "nothing has changed for 0.05 minutes"],
  ]);
  await stage.project.sandbox.assertNothingLeft();
});
