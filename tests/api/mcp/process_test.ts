import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { PanewrightError } from "../../../lib/base/errors.ts";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { type ExecProject, execProject } from "../../cli/commands/exec_project.ts";
import { RUN_ID } from "../../support/run_folders.ts";
import { writeSecretRun } from "../../support/secret_run.ts";
import { until } from "../../support/until.ts";
import { toolsOf } from "../support.ts";
import { startMcp } from "./stdio_client.ts";

type Asked = Readonly<Record<"question" | "text" | "by" | "reserved", unknown>>;

const TASK = { taskFile: "task.md", pipeline: "single" } as const;

function start({ panewright, path, env }: ExecProject, more: Readonly<Record<string, string>> = {}) {
  return startMcp([...panewright.argv, "mcp"], { cwd: path, env: { ...env, ...more } });
}

/** The tools in this process, which start runs of the project. */
function toolsFor({ panewright, path, env }: Pick<ExecProject, "panewright" | "path" | "env">) {
  return toolsOf(path, [], { panewright: panewright.argv, env });
}

function journalOf({ path }: ExecProject, run: string): Promise<string> {
  return Deno.readTextFile(runFolderAt(path, run).journalPath);
}

Deno.test("mcp: a client starts a task, waits, answers its question, and is told the result", async () => {
  await using project = await execProject();
  const call = toolsFor(project);
  const { run, isNew, folder } = await call("exec_task", { ...TASK, key: "login" });
  assertEquals([isNew, folder], [true, runFolderAt(project.path, run).path]);
  const asked = await call("wait", { run });
  assertEquals([asked.state, asked.isOver], ["waiting", false]);
  assertEquals(asked.questions.map(({ question, text, by, reserved }: Asked) => ({ question, text, by, reserved })), [
    { question: "q1", text: "Which database?", by: "only", reserved: false },
  ]);
  assertStringIncludes(asked.next, "answer");
  assertEquals(asked.changes[0]?.type, "run_started");

  const answered = await call("answer", { run, question: "q1", answer: "PostgreSQL" });
  assertEquals(answered.continues, true);
  let seen = asked;
  while (!seen.isOver) seen = await call("wait", { run, after: seen.sequence });
  assertEquals([seen.state, seen.ended?.outcome], ["passed", "pass"]);
  // Only what has changed: the answer is told, the beginning is not.
  const types = seen.changes.map(({ type }: { type: string }) => type);
  assert(!types.includes("run_started") && types.includes("run_finished"), types.join(" "));

  const result = await call("result", { run });
  assertEquals([result.state, result.isOver, result.ended?.outcome], ["passed", true, "pass"]);
  assert(Object.values<{ inputTokens: number }>(result.usage)[0]!.inputTokens >= 100);
  const { runs } = await call("runs");
  assertEquals([runs.length, runs[0].run, runs[0].state], [1, run, "passed"]);
  assertMatch((await call("explain", { run })).why.join("\n"), /passed/);
  // A model has answered, by the client that it is in.
  const journal = await journalOf(project, run);
  assertMatch(journal, /"by":"mcp"/);
  assertStringIncludes(journal, "a-client");
  assertMatch(journal, /"startedBy":"mcp"/);
  const again = await assertRejects(() => call("answer", { run, question: "q1", answer: "MySQL" }), PanewrightError);
  assertEquals(again.code, "answered_before");
});

Deno.test("mcp: a client that starts a run, is killed, starts again and asks for the result gets exactly one run", async () => {
  await using project = await execProject();
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  const request = { ...TASK, key: "k" };
  for (const fault of ["before-claim:1", "in-record:2", "after-record:2"]) {
    const call = toolsFor({ ...project, env: { ...project.env, PANEWRIGHT_FAULT: fault } });
    const error = await assertRejects(() => call("exec_task", request), PanewrightError);
    assertStringIncludes(error.hint ?? "", "the same key can be used again");
  }
  const first = await start(project);
  const call = first.call("exec_task", request);
  const isCut = call.then(() => false, () => true);
  await first.kill();
  await isCut;
  await using second = await start(project);
  const { run, isNew } = await second.call("exec_task", request);
  // Its first record was on the disk when the process that had written it was killed.
  assertEquals([isNew, (await second.call("result", { run })).state], [false, "killed"]);
  await second.call("resume", { run });
  let seen = await second.call("wait", { run });
  while (!seen.isOver) seen = await second.call("wait", { run, after: seen.sequence });
  const result = await second.call("result", { run });
  assertEquals([result.state, await begunRuns(project)], ["passed", [run]]);
  const other = await assertRejects(() => second.call("exec_task", { ...request, pipeline: "main" }));
  assertMatch(String(other), /\[key_reused\]/);
});

Deno.test("mcp: what a run asks of a person only is told so, and an answer to it is refused", async () => {
  await using project = await execProject();
  const config = JSON.parse(await Deno.readTextFile(`${project.path}/panewright.jsonc`));
  config.permissions = { model_answers: "none" };
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, JSON.stringify(config));
  const call = toolsFor(project);
  const { run } = await call("exec_task", TASK);
  const asked = await call("wait", { run });
  assertEquals(asked.questions.map(({ reserved }: Asked) => reserved), [true]);
  assertStringIncludes(asked.next, "tell your person");
  const refused = await assertRejects(() => call("answer", { run, question: "q1", answer: "MySQL" }), PanewrightError);
  assertEquals(refused.code, "reserved_for_person");
  // It is known by now: who waits again is not kept busy with it.
  const waited = await call("wait", { run, after: asked.sequence, timeoutSeconds: 0.2 });
  assertEquals([waited.changes, waited.questions.length], [[], 1]);
  const stopped = await call("stop", { run });
  assertEquals(stopped.agentsAlive, false);
  await project.call("answer", run, "--question", "q1", "PostgreSQL");
  assertEquals((await call("resume", { run })).run, run);
  let seen = await call("wait", { run });
  while (!seen.isOver) seen = await call("wait", { run, after: seen.sequence });
  assertEquals(seen.state, "passed");
});

Deno.test("mcp: a configuration that no person trusts starts nothing, and says so", async () => {
  await using project = await execProject();
  const { PANEWRIGHT_TRUST: _trust, ...env } = project.env;
  await using mcp = await startMcp([...project.panewright.argv, "mcp"], { cwd: project.path, env });
  const error = await assertRejects(() => mcp.call("exec_task", TASK));
  assertMatch(String(error), /\[needs_trust\]\nOnly a person can agree/);
  assert(!/PANEWRIGHT_TRUST|--trust/.test(String(error)), String(error));
  assertEquals(await begunRuns(project), []);
});

Deno.test("mcp: it ends with its input, leaves the run alive, and says nothing besides the protocol", async () => {
  await using project = await execProject();
  const mcp = await start(project);
  const { run } = await mcp.call("exec_task", TASK);
  const waiting = mcp.call("wait", { run, after: 1_000_000 }).catch(() => {});
  assertEquals(await mcp.end(), { code: 0, stderr: "" });
  await waiting;
  await until(async () => (await journalOf(project, run)).includes('"type":"question_asked"'));
  await using again = await start(project);
  assertEquals((await again.call("stop", { run })).state, "waiting");
});

/** The runs that have a record. */
async function begunRuns(project: ExecProject): Promise<readonly string[]> {
  const begun: string[] = [];
  for (const id of await listRunIds(project.path)) {
    const journal = await journalOf(project, id).catch(() => "");
    // A record that was cut off is none.
    if (/"type":"run_started".*\n/.test(journal)) begun.push(id);
  }
  return begun;
}

Deno.test("security: mcp takes out what only the configuration of a run says is secret, and says where it cannot ask it", async () => {
  await using project = await execProject();
  const { secret } = await writeSecretRun(project.path);
  {
    await using mcp = await start(project);
    for (const told of [await mcp.call("result", { run: RUN_ID }), await mcp.call("runs")]) {
      const text = JSON.stringify(told);
      assertEquals([text.includes(secret), text.includes("redacted")], [false, true], text);
    }
  }
  await using untrusted = await start(project, { PANEWRIGHT_TRUST: "", PANEWRIGHT_OF_A_SCRIPT: "1" });
  await untrusted.call("runs");
  // Nothing else: that a variable is unknown was told to who started the run.
  assertMatch(
    (await untrusted.end()).stderr,
    /^panewright: secrets that only \S+panewright\.jsonc has may be shown: Cannot use.*\n$/,
  );
});
