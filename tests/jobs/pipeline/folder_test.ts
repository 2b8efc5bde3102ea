import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { checkTasks } from "../../../lib/jobs/pipeline/check_tasks.ts";
import { RuntimeError } from "../../../lib/base/errors.ts";
import { NO_SUMMARY, summarize, tasksDone } from "../../../lib/journal/exec/summary.ts";
import type { ExecEvent } from "../../../lib/journal/exec/facts.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, cast, type Ended, fails, only, resumeIn, runIn, type RunOptions, says, step } from "./support.ts";

const TASKS = { "t/1-a.md": "A.", "t/2-b.md": "B.", "t/10-c.md": "C." };

/** Runs the folder with one act a task. */
async function runFolder(dir: TempDir, acts: readonly Act[], options: RunOptions = {}) {
  const agents = cast(...acts);
  const steps = options.pipelines?.["main"] ?? [step("s")];
  const passedTasksFile = `${dir.path}/state/passed.ndjson`;
  const ended = await runIn(dir, steps, { passedTasksFile, ...options, ...agents, task: "t/" });
  return { ...ended, started: agents.requests.length };
}

function skippedIn({ events }: Ended) {
  return only(events, "task_skipped").map(({ task, file, of }) => [task, file.split("/").at(-1), of]);
}

Deno.test("--keep-going: the other tasks of a folder are done, the run has failed, and resume tries what failed", async () => {
  await using dir = await tempDir();
  await dir.write(TASKS);
  const overrides = { keepGoing: true };
  const first = await runFolder(dir, [fails("no"), says(), fails("no again")], { overrides });
  assertEquals([first.report.outcome, first.report.reason], ["fail", "2 of 3 tasks failed: 1-a, 10-c"]);
  assertEquals(only(first.events, "task_started").map(({ task, of }) => [task, of]), [[1, 3], [2, 3], [3, 3]]);
  const agents = cast(says(), says());
  const resumed = await resumeIn(dir, [step("s")], { ...agents, run: first.report.folder.id });
  assertEquals([resumed.report.outcome, resumed.report.reason], ["pass", "all 3 tasks passed"]);
  assertEquals(agents.requests.map(({ prompt }) => /```text\n([A-C])\./.exec(prompt)?.[1]), ["C", "A"]);
  assertStringIncludes(agents.requests[1]?.stepFolder ?? "", "/task-004/");
  const events = [...first.events, ...resumed.events].filter((event) => event.type !== "agent_activity");
  const { summary } = events.reduce(summarize, NO_SUMMARY);
  assertEquals([tasksDone(summary), summary.of, summary.tasks.map(({ outcome }) => outcome)], [3, 3, [
    "pass",
    "pass",
    "pass",
  ]]);
});

Deno.test("--keep-going does not begin a task that the account's usage limit would stop, too", async () => {
  await using dir = await tempDir();
  await dir.write(TASKS);
  const limit = fails("limit", { usageLimit: { message: "usage limit" } });
  const ended = await runFolder(dir, [limit], { overrides: { keepGoing: true } });
  assertEquals([ended.report.outcome, ended.started], ["fail", 1]);
  assertStringIncludes(ended.report.reason, 'step "s" of 1-a.md failed: the account\'s usage limit was reached');
});

Deno.test("--only: a task that is over need not be there any more; one that is due must be", async () => {
  await using dir = await tempDir();
  const moves = (...names: string[]): Act => async (request) => {
    for (const name of names) await Deno.rename(`${dir.path}/t/${name}`, `${dir.path}/${name}`);
    return await says()(request);
  };
  const overrides = { only: ["1-a", "10-c.md"] };
  await dir.write(TASKS);
  const ended = await runFolder(dir, [moves("1-a.md"), moves("10-c.md")], { overrides });
  assertEquals([ended.report.outcome, ended.report.reason, ended.started], ["pass", "all 2 tasks passed", 2]);
  await dir.write(TASKS);
  const gone = { overrides: { ...overrides, force: true } };
  const { message } = await assertRejects(() => runFolder(dir, [moves("1-a.md", "10-c.md")], gone), RuntimeError);
  assertStringIncludes(message, 'Cannot do only "10-c.md": there is no such task in');
});

Deno.test("a folder's tasks that have passed are left out the next time, unless --force", async () => {
  await using dir = await tempDir();
  await dir.write(TASKS);
  await runFolder(dir, [says(), says(), fails("no")]);
  const second = await runFolder(dir, [says()]);
  assertEquals(skippedIn(second), [[1, "1-a.md", 3], [2, "2-b.md", 3]]);
  assertEquals([second.started, second.report.reason], [1, "all steps of the task passed; 2 had passed before"]);
  const third = await runFolder(dir, []);
  assertEquals([third.report.outcome, third.report.reason], ["pass", "all 3 tasks had passed before"]);
  const forced = await runFolder(dir, [says(), says(), says()], { overrides: { force: true } });
  assertEquals([forced.started, skippedIn(forced)], [3, []]);
});

Deno.test("a task is done again when its text, a prompt or a check of its pipeline has changed", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/1-a.md": "A.", "prompt.md": "Do it." });
  const pipeline = (more = {}) => ({
    pipelines: { main: [step("s", { prompt: { kind: "file", path: `${dir.path}/prompt.md` }, ...more })] },
  });
  assertEquals((await runFolder(dir, [says()], pipeline())).started, 1);
  assertEquals((await runFolder(dir, [], pipeline())).started, 0);
  await dir.write({ "t/1-a.md": "A, but better." });
  assertEquals((await runFolder(dir, [says()], pipeline())).started, 1);
  await dir.write({ "prompt.md": "Do it well." });
  assertEquals((await runFolder(dir, [says()], pipeline())).started, 1);
  const check = { checks: [{ type: "fileExists", paths: ["t/1-a.md"] }] } as const;
  assertEquals((await runFolder(dir, [says()], pipeline(check))).started, 1);
  assertEquals((await runFolder(dir, [], pipeline(check))).started, 0);
});

Deno.test("that a task has passed is kept before its record is: a kill between them loses neither", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/1-a.md": "A." });
  const kept: string[] = [];
  const onFact = ({ type }: ExecEvent) => {
    if (type === "task_finished") kept.push(Deno.readTextFileSync(`${dir.path}/state/passed.ndjson`));
  };
  const { events } = await runFolder(dir, [says()], { onFact });
  const [finished] = only(events, "task_finished");
  assertStringIncludes(kept.join(""), finished?.fingerprint ?? "no fingerprint");
});

Deno.test("a task whose file changes while it is done has not passed for the next run", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/1-a.md": "A.", "prompt.md": "Do it." });
  const pipelines = { main: [step("s", { prompt: { kind: "file", path: `${dir.path}/prompt.md` } })] };
  const rewrites: Act = async (request) => {
    await dir.write({ "prompt.md": "Do nothing." });
    return await says()(request);
  };
  const first = await runFolder(dir, [rewrites], { pipelines });
  assertEquals(only(first.events, "task_finished").map(({ fingerprint }) => fingerprint), [undefined]);
  assertEquals((await runFolder(dir, [says()], { pipelines })).started, 1);
});

Deno.test("a journal alone lets no task be left out: only the state folder's word and the journal together", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/1-a.md": "A." });
  const first = await runFolder(dir, [says()]);
  const other = { passedTasksFile: `${dir.path}/other/passed.ndjson` };
  assertEquals((await runFolder(dir, [says()], other)).started, 1, "without the record");
  assertEquals((await runFolder(dir, [])).started, 0);
  await Deno.chmod(`${dir.path}/state/passed.ndjson`, 0o666);
  assertEquals((await runFolder(dir, [says()])).started, 1, "with a record that others may write");
  await Deno.chmod(`${dir.path}/state/passed.ndjson`, 0o600);
  for await (const { name } of Deno.readDir(`${dir.path}/.panewright/runs`)) {
    await Deno.remove(`${dir.path}/.panewright/runs/${name}`, { recursive: true });
  }
  assertEquals((await runFolder(dir, [says()])).started, 1, "without the journals");
  assertEquals(first.report.outcome, "pass");
});

Deno.test("needs: a task comes after what it needs, and is left where that has failed; a circle is told beforehand", async () => {
  await using dir = await tempDir();
  await dir.write({
    "t/1-a.md": "---\nneeds: 3-c\n---\nA.",
    "t/2-b.md": '---\nneeds: [ "1-a" ]\n---\nB.',
    "t/3-c.md": "C.",
  });
  const order = ({ events }: Ended) => only(events, "task_started").map(({ text }) => text);
  assertEquals(order(await runFolder(dir, [says(), says(), says()])), ["C.", "A.", "B."]);
  await dir.write({ "t/3-c.md": "C, again." });
  const failed = await runFolder(dir, [fails("no")], { overrides: { keepGoing: true, force: true } });
  assertEquals([order(failed), failed.report.outcome], [["C, again."], "fail"]);
  assertEquals(only(failed.events, "tasks_left").map(({ files }) => files.length), [2]);
  const files = ["1-a", "2-b", "3-c"].map((name) => `${dir.path}/t/${name}.md`);
  assertEquals(checkTasks(files, { overrides: {} }), []);
  await dir.write({ "t/3-c.md": "---\nneeds: 2-b\n---\nC." });
  assertEquals(checkTasks(files, { overrides: {} }).map(({ message }) => message), [
    "it needs itself by what it needs: 1-a -> 3-c -> 2-b -> 1-a",
  ]);
});
