import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, UsageError } from "../../../lib/base/errors.ts";
import { readRecords } from "../../support/journal_records.ts";
import { lockRun } from "../../../lib/run/run_lock.ts";
import { reviewStarted, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { asks, cast, fails, only, resumeIn, runIn, says, step } from "./support.ts";

Deno.test("a crash while the question waits loses nothing: it is asked again, and resumed with its answer", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a")];
  const first = await runIn(dir, steps, cast(asks("Which database?")));
  const { folder } = first.report;
  // As a process leaves it that is killed while it waits: no end, and half a record.
  const lines = (await Deno.readTextFile(folder.journalPath)).split("\n");
  const kept = lines.slice(0, lines.findIndex((line) => line.includes('"question_asked"')) + 1);
  await Deno.writeTextFile(folder.journalPath, `${kept.join("\n")}\n{"at":"2026-11-20T10:0`);

  const asked: string[] = [];
  const agents = cast(says());
  const { report } = await resumeIn(dir, steps, {
    ...agents,
    run: folder.id,
    person: ({ id, text }) => {
      asked.push(`${id} ${text}`);
      return Promise.resolve("PostgreSQL");
    },
  });
  assertEquals([report.outcome, asked], ["pass", ["q1 Which database?"]]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "PostgreSQL");
  assertEquals((await readRecords(folder.journalPath)).at(-1)?.type, "run_finished");
});

Deno.test("a crash in the middle of an attempt: the step begins anew with the log of what was broken off", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b")];
  const controller = new AbortController();
  await assertRejects(
    () =>
      runIn(dir, steps, {
        ...cast(says(), async ({ stepFolder }) => {
          await Deno.writeTextFile(`${stepFolder}/log.txt`, "said: halfway through\n");
          controller.abort(new Error("crash"));
          throw controller.signal.reason;
        }),
        signal: controller.signal,
      }),
    Error,
    "crash",
  );
  const [run] = [...Deno.readDirSync(`${dir.path}/.panewright/runs`)];
  const agents = cast(says());
  const { report, events } = await resumeIn(dir, steps, { ...agents, run: run?.name ?? "" });
  assertEquals(report.outcome, "pass");
  assertEquals(only(events, "attempt_started").map(({ step, attempt, reason }) => [step, attempt, reason]), [
    [2, 2, "interrupted"],
  ]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "said: halfway through");
});

Deno.test("a step that failed hears what a person says in its session when the run is resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a", { checks: [{ type: "fileExists", paths: ["b.txt"] }] })];
  const { report } = await runIn(dir, steps, cast(says()));
  assertEquals(report.outcome, "fail");
  await dir.write({ "b.txt": "" });
  const again = cast(says());
  const resumed = await resumeIn(dir, steps, { ...again, run: report.folder.id, said: "Write b.txt, please." });
  assertEquals(only(resumed.events, "attempt_started").map(({ reason, native }) => [reason, native]), [["told", true]]);
  assertStringIncludes(again.requests[0]?.prompt ?? "", "Write b.txt, please.");
  assertEquals(again.requests[0]?.prompt.includes("Build it."), false);
});

Deno.test("a step that failed gets its tries anew when the run is resumed; a run that passed cannot be resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b", { checks: [{ type: "fileExists", paths: ["b.txt"] }], retry: 1 })];
  const { report } = await runIn(dir, steps, cast(says(), says(), says()));
  assertEquals(report.outcome, "fail");
  await dir.write({ "b.txt": "" });
  const again = cast(says());
  const resumed = await resumeIn(dir, steps, { ...again, run: report.folder.id });
  assertEquals([resumed.report.outcome, again.requests.length], ["pass", 1]);
  assertEquals(only(resumed.events, "attempt_started").map(({ attempt, reason }) => [attempt, reason]), [[3, "retry"]]);
  assertStringIncludes(again.requests[0]?.prompt ?? "", "there is no file b.txt");
  await assertRejects(() => resumeIn(dir, steps, { ...cast(), run: report.folder.id }), UsageError, "it has passed");
});

Deno.test("a run that is being executed cannot be resumed by a second process", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], cast(asks("Which database?")));
  using _owner = await lockRun(report.folder);
  await assertRejects(
    () => resumeIn(dir, [step("a")], { ...cast(), run: report.folder.id }),
    UsageError,
    `process ${Deno.pid} executes it`,
  );
});

Deno.test("a pipeline whose steps have other names by now cannot be resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], cast(asks("Which database?")));
  await assertRejects(
    () => resumeIn(dir, [step("a"), step("b")], { ...cast(), run: report.folder.id }),
    UsageError,
    'the pipeline "main" had the steps a when the task began, and has a, b now',
  );
});

Deno.test("a run of the review loop cannot be resumed as one of the pipeline", async () => {
  await using dir = await tempDir();
  const id = "20261120-072605-aaaa";
  await writeRun({ workdir: dir.path, id, events: [reviewStarted(dir.path, id)] });
  await assertRejects(
    () => resumeIn(dir, [], { ...cast(), run: id }),
    UsageError,
    'it is of a run of "panewright run"',
  );
});

Deno.test("an agent that is not logged in stops the run for a person, and a resume tries the step again", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(fails("Invalid API key · Fix external API key", { failure: "auth" }));
  const steps = [step("a", { retry: 3 })];
  const error = await assertRejects(
    () => runIn(dir, steps, agents),
    HumanInterventionRequiredError,
    'Cannot finish step "a": Codex is not logged in, or the model server refuses its login or key: "Invalid API key',
  );
  assertEquals([error.exitCode, agents.requests.length], [3, 1]);
  const [run] = await Array.fromAsync(Deno.readDir(`${dir.path}/.panewright/runs`));
  const { report } = await resumeIn(dir, steps, { ...cast(says()), run: run?.name ?? "" });
  assertEquals(report.outcome, "pass");
});
