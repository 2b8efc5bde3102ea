import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { findRunEntry } from "../../../lib/run/run_entry.ts";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { until } from "../../support/until.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

const SINGLE = ["exec", "task.md", "--pipeline", "single", "--detach"] as const;

Deno.test("panewright exec --detach returns with the run's id, waits for an answer, and lives on to its end", async () => {
  await using project = await execProject();
  const started = await project.run(...SINGLE, "--json");
  assertEquals(started.code, 0, started.stderr);
  const { run, folder, isNew } = JSON.parse(started.stdout);
  assertEquals([isNew, await listRunIds(project.path)], [true, [run]]);
  assertMatch(await journalOf(project, run), /"type":"run_started".*"startedBy":"command"/);

  await until(async () => (await journalOf(project, run)).includes('"type":"question_asked"'));
  const answered = await project.call("answer", run, "PostgreSQL");
  assertStringIncludes(answered.stdout, "The run continues by itself.");
  await until(async () => (await journalOf(project, run)).includes('"outcome":"pass","reason"'));
  const log = await Deno.readTextFile(`${folder}/detached.log`);
  assertStringIncludes(log, "answer to q1, given by panewright answer: PostgreSQL");
  assertStringIncludes(log, "PASS");
});

Deno.test("a detached run that is refused is told as without --detach, and leaves no run", async () => {
  await using project = await execProject();
  const missing = await project.run("exec", "gone.md", "--detach", "--json", "--key", "k");
  const { type, message, exitCode } = JSON.parse(missing.stdout);
  assertEquals([missing.code, type, exitCode], [2, "error", 2]);
  assertMatch(message, /^Cannot do the task gone\.md: there is no such file/);
  assertEquals(await listRunIds(project.path), []);

  const keyOnly = await project.run("exec", "task.md", "--key", "k");
  assertEquals([keyOnly.code, keyOnly.stderr], [2, "panewright: Cannot use --key without --detach\n"]);
});

Deno.test("the same key is the same run, also once it is over; another request with it is refused", async () => {
  await using project = await execProject();
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  const [one, two] = await Promise.all([call(project, "k1"), call(project, "k1")]);
  assertEquals([one.isNew, two.isNew].toSorted(), [false, true]);
  assertEquals(one.run, two.run);
  await until(async () => (await journalOf(project, one.run)).includes('"outcome":"pass","reason"'));
  assertEquals(await call(project, "k1"), { ...one, isNew: false });
  assertEquals(await listRunIds(project.path), [one.run]);

  const other = await project.run("exec", "task.md", "--pipeline", "main", "--detach", "--key", "k1", "--json");
  const { code, message } = JSON.parse(other.stdout);
  assertEquals([other.code, code], [2, "key_reused"]);
  assertStringIncludes(message, `which run ${one.run} carries out`);

  const next = await call(project, "k2");
  assert(next.isNew && next.run !== one.run);
  await Deno.remove(one.folder, { recursive: true });
  const gone = await project.run(...SINGLE, "--key", "k1", "--json");
  assertEquals([gone.code, JSON.parse(gone.stdout).code], [2, "unknown_run"]);
});

Deno.test("a text from standard input is the task of a detached run, whole or not at all", async () => {
  await using project = await execProject();
  const command = new Deno.Command(project.panewright.argv[0], {
    args: [...project.panewright.argv.slice(1), "exec", "-", "--pipeline", "single", "--detach", "--json"],
    cwd: project.path,
    env: { ...project.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  });
  const child = command.spawn();
  const text = `Build it.\n${"It is long. ".repeat(30_000)}\nEnd.\n`;
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { run } = JSON.parse(new TextDecoder().decode((await child.output()).stdout));
  const records = (await journalOf(project, run)).split("\n");
  assertEquals(JSON.parse(records[1] ?? "").target.text, text);

  const cut = await project.run("detached", "--by=command", "--stdin-bytes=5", "--", "exec", "-");
  assertStringIncludes(JSON.parse(cut.stdout).message, "standard input has 0 bytes in place of 5");
  assertEquals((await listRunIds(project.path)).length, 1);
});

Deno.test("whenever the process that begins a run is killed, the same key leads to one run", async () => {
  const faults = ["before-claim:1", "in-claim:1", "after-claim:1", "in-record:2", "after-record:2"];
  await Promise.all(faults.map(async (fault) => {
    await using project = await execProject();
    await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
    const { code, stdout } = await start(project, { PANEWRIGHT_FAULT: fault }).output();
    const { type, hint } = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals([code, type], [1, "error"]);
    assertStringIncludes(hint, "the same key can be used again");
    const { run, isNew } = await call(project, "k");
    // Its first record was on the disk, though nobody was told.
    assertEquals(isNew, fault !== "after-record:2", fault);
    assertEquals(await begunRuns(project), [run], fault);
  }));
});

Deno.test("a run begins although its caller is killed, and the same key tells it", async () => {
  await using project = await execProject();
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  const caller = start(project, {}).spawn();
  // From here on it is the process that was started which counts.
  await until(() => exists(`${project.path}/.panewright/requests`));
  try {
    caller.kill("SIGKILL");
  } catch { /* it was done before it was looked for */ }
  await Promise.all([caller.status, caller.stdout.cancel()]);
  const { run } = await call(project, "k");
  assertEquals(await begunRuns(project), [run]);
  await until(async () => (await journalOf(project, run)).includes('"outcome":"pass","reason"'));
});

/** Calls it with the key `k`. */
function start({ path, panewright, env }: ExecProject, more: Readonly<Record<string, string>>): Deno.Command {
  const [program, ...args] = panewright.argv;
  return new Deno.Command(program, {
    args: [...args, ...SINGLE, "--key", "k", "--json"],
    cwd: path,
    env: { ...env, ...more },
    clearEnv: true,
    stdout: "piped",
    stderr: "null",
  });
}

/** The runs whose first record is whole. */
/** By the journal in the state folder: a process that is killed right after a record has not copied it. */
async function begunRuns({ path, env }: ExecProject): Promise<readonly string[]> {
  const text = (file: string) => Deno.readTextFile(file).catch(() => "");
  const state = `${env["HOME"]}/.local/state/panewright`;
  const begun = (await listRunIds(path)).map(async (id) => {
    const entry = findRunEntry({ id, path: `${path}/.panewright/runs/${id}` }, state);
    return (await text(`${entry}/journal.ndjson`)).split("\n").length > 2 ? [id] : [];
  });
  return (await Promise.all(begun)).flat();
}

async function call(project: ExecProject, key: string) {
  const { code, stdout, stderr } = await project.run(...SINGLE, "--key", key, "--json");
  assertEquals(code, 0, stdout + stderr);
  return JSON.parse(stdout);
}

async function journalOf({ path }: ExecProject, run: string): Promise<string> {
  return await Deno.readTextFile(`${path}/.panewright/runs/${run}/journal.ndjson`).catch(() => "");
}
