import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { giveAnswer } from "../../../lib/api/control/give_answer.ts";
import { runProgram } from "../../support/program.ts";
import { toolsOf } from "../support.ts";
import { resumeDetached, type RunToStart, startRun } from "../../../lib/api/control/start_run.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { PanewrightError } from "../../../lib/base/errors.ts";
import { JOBS } from "../../../lib/jobs/mod.ts";
import { stopRun } from "../../../lib/jobs/stop_run.ts";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { readOverview } from "../../../lib/run/overview.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { execProject } from "../../cli/commands/exec_project.ts";
import { until } from "../../support/until.ts";

const signal = new AbortController().signal;
const requireTrust = () => Promise.resolve();

Deno.test("a run is started, waited for, answered, stopped, resumed and told of, all from outside", async () => {
  await using project = await execProject();
  const { path, env, panewright: { argv: panewright } } = project;
  const request: RunToStart = {
    workdir: path,
    kind: "exec",
    task: { text: "Build a login.\nASK database\n" },
    overrides: { pipeline: "single" },
    key: "one",
    by: "mcp",
  };
  const begun = await startRun(request, { panewright, env });
  assertEquals(await startRun(request, { panewright, env }), { ...begun, isNew: false });
  const folder = runFolderAt(path, begun.run);
  const { question } = await until(() => readOverview(folder, JOBS), (run) => run.question !== undefined);
  assertEquals(question?.id, "q1");
  assertStringIncludes(await Deno.readTextFile(folder.journalPath), '"startedBy":"mcp"');

  const stopped = await stopRun(folder, { force: false, resumeCommand: "x", clock: systemClock, signal });
  assertEquals(stopped.overview.condition, "waiting");
  const unheard = await assertRejects(
    () => resumeDetached(folder, { by: "http", message: "Use SQLite" }, { panewright, env }),
    PanewrightError,
  );
  assertStringIncludes(unheard.message, `Cannot say that to run ${begun.run}: it waits for an answer`);
  const given = await giveAnswer(folder, { question: "q1", answer: "SQLite", by: "mcp", who: "codex" }, {
    requireTrust,
  });
  assertEquals(given, { run: begun.run, question: "q1", goesOn: false });
  assertEquals(await resumeDetached(folder, { by: "http" }, { panewright, env }), {
    run: begun.run,
    folder: begun.folder,
  });
  await until(() => readOverview(folder, JOBS), ({ condition, executed }) => condition === "passed" && !executed);
  const result = await toolsOf(path)("result", { run: folder.id });
  assertEquals([result.ended.outcome, result.summary], ["pass", "All done."]);

  const status = await project.call("logs", begun.run);
  assertStringIncludes(status.stdout, "answer to q1, given by a model over MCP (codex): SQLite");
  const over = await assertRejects(() => resumeDetached(folder, { by: "http" }, { panewright, env }), PanewrightError);
  assertEquals([over.exitCode, over.code], [2, "run_over"]);
});

Deno.test("a run in a workspace is known by its key where it was asked for: the same request is the same run", async () => {
  await using project = await execProject();
  const { path, env, panewright: { argv: panewright } } = project;
  const git = "git init -q && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  assertEquals((await runProgram(["sh", "-c", git], { cwd: path, env, timeoutMs: 20_000 })).code, 0);
  const request: RunToStart = {
    ...{ workdir: path, kind: "exec", task: { text: "Build a login." }, key: "one", by: "http" },
    overrides: { pipeline: "single", workspace: true },
  };
  const [one, other] = await Promise.all([1, 2].map(() => startRun(request, { panewright, env })));
  assertEquals([one?.run, [one?.isNew, other?.isNew].toSorted()], [other?.run, [false, true]]);
  assertEquals((await startRun(request, { panewright, env })).isNew, false);
  const listed = await until(
    () => project.call("workspaces", "--json"),
    ({ stdout }) => stdout.split("\n").length === 2,
  );
  const { name } = JSON.parse(listed.stdout);
  await until(() => project.call("show", name, "--json"), ({ stdout }) => JSON.parse(stdout).state === "passed");
  // What was discarded is no run any more, and the key is still of it.
  await until(() => project.call("discard", name), ({ code }) => code === 0);
  const gone = await assertRejects(() => startRun(request, { panewright, env }), PanewrightError);
  assertEquals(gone.code, "unknown_run");
});

Deno.test("what cannot be started is refused as at a command line, and there is no run", async () => {
  await using project = await execProject();
  const { path: workdir, env, panewright: { argv: panewright } } = project;
  await Deno.symlink("/etc/passwd", `${workdir}/leads-out.md`);
  const cases: readonly (readonly [Omit<RunToStart, "workdir" | "by">, string | undefined, string])[] = [
    [{ kind: "exec" }, "bad_input", "there is no task"],
    [{ kind: "exec", task: { text: " \n" } }, "bad_input", "its task is empty"],
    [{ kind: "exec", task: { path: "gone.md" } }, "bad_input", "there is no gone.md"],
    [{ kind: "exec", task: { path: "/etc/passwd" } }, "bad_input", "/etc/passwd is not in"],
    [{ kind: "exec", task: { path: "leads-out.md" } }, "bad_input", "leads-out.md is not in"],
    [{ kind: "run", task: { path: "../project-2/job.md" } }, "bad_input", "there is no ../project-2/job.md"],
    [{ kind: "run", task: { path: "/etc/passwd" } }, "bad_input", "/etc/passwd is not in"],
    [{ kind: "exec", task: { text: "x" }, config: "/etc/passwd" }, "bad_input", "/etc/passwd is not in"],
    [{ kind: "exec", task: { text: "x" }, overrides: { check: "rm -rf /" } }, "bad_input", '"check" cannot be given'],
    [{ kind: "run", overrides: { trust: true } }, "bad_input", '"trust" cannot be given'],
    [{ kind: "exec", task: { text: "x" }, key: "" }, "bad_input", "1 to 256 characters"],
    [{ kind: "exec", task: { text: "x" }, overrides: { pipeline: "none" } }, undefined, "none"],
    [{ kind: "exec", task: { text: "x" }, config: "gone.jsonc" }, undefined, "gone.jsonc"],
  ];
  for (const [request, code, words] of cases) {
    const error = await assertRejects(
      () => startRun({ ...request, workdir, by: "http" }, { panewright, env }),
      PanewrightError,
    );
    assertEquals([error.exitCode, error.code], [2, code], error.message);
    assertStringIncludes(error.message, words);
  }
  const untrusted = await assertRejects(
    () =>
      startRun({ kind: "exec", task: { text: "x" }, workdir, by: "mcp" }, {
        panewright,
        env: { ...env, PANEWRIGHT_TRUST: "0" },
      }),
    PanewrightError,
  );
  assertEquals([untrusted.exitCode, untrusted.code], [3, "needs_trust"]);
  assertStringIncludes(untrusted.hint ?? "", "panewright trust");
  assertEquals(await listRunIds(workdir), []);
});
