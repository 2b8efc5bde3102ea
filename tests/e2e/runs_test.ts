import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { readRecords } from "../support/journal_records.ts";
import { panewrightCommands } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { openPersonTerminal, type PersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";
import { createSandbox } from "../support/sandbox.ts";
import { type FailureStage, passAfter, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

/** Runs a command of panewright on the stage to its end. */
async function panewright(stage: FailureStage, ...args: readonly string[]) {
  return await stage.command(...stage.panewright.argv, ...args);
}

async function idOf(run: StartedRun): Promise<string> {
  return String((await run.fact("run_started"))["runId"]);
}

/** A person's terminal in which the status of the run is watched. */
function watchStatus(stage: FailureStage): Promise<PersonTerminal> {
  const command = ["sh", "-c", 'trap : INT; env -u TMUX "$@"; echo "left with $?"; sleep 600', "sh"];
  return openPersonTerminal(stage, {
    columns: 100,
    rows: 30,
    argv: [...command, ...stage.panewright.argv, "status", "--watch"],
  });
}

Deno.test("stop: a run at work ends with its agents, and is gone on with to its end", async () => {
  await using stage = await setUpFailureStage();
  let id: string;
  {
    await using run = stage.run();
    id = await idOf(run);
    await run.untilTesterWorks();
    const listed = await panewright(stage, "runs", "--json");
    assertEquals(JSON.parse(listed.stdout).state, "running");
    const refused = await panewright(stage, "clean", "--all", "--keep=0", "--older-than=0h");
    assertStringIncludes(refused.stdout, "Kept: 1 old run that is executed.");
    const stopped = await panewright(stage, "stop", id);
    assertEquals(stopped.code, 0, stopped.stderr);
    assertStringIncludes(stopped.stdout, `Run ${id} was stopped: process ${run.pid} has ended.\n`);
    assertEquals((await run.ended()).code, 143);
  }
  await stage.sandbox.assertNothingLeft();
  const listed = await panewright(stage, "runs");
  assertMatch(listed.stdout, new RegExp(`${id} +run +stopped `));
  await stage.script(passAfter(100));
  const resumed = await panewright(stage, "resume");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertMatch((await panewright(stage, "runs")).stdout, new RegExp(`${id} +run +passed `));
});

Deno.test("stop: the agents of a panewright that was killed are ended; before, a new run is refused beside them", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  const id = await idOf(run);
  const folder = await run.folder();
  await run.untilTesterWorks();
  run.program.kill("SIGKILL");
  await run.ended();
  const status = await panewright(stage, "status");
  assertStringIncludes(status.stdout, `run ${id} (run): killed, its agents are alive\n`);
  assertMatch(status.stdout, /tester +replay +%\d+ +alive/);
  assertMatch((await panewright(stage, "runs")).stdout, /its agents are alive\n$/);
  const refused = await panewright(stage, "run");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, `panewright stop ${id}`);
  const stopped = await panewright(stage, "stop", id);
  assertEquals(stopped.code, 0, stopped.stderr);
  assertStringIncludes(stopped.stdout, `The agents of run ${id} were ended`);
  await stage.sandbox.assertNothingLeft();
  const last = (await readRecords(`${folder}/journal.ndjson`)).at(-1);
  assertObjectMatch(last ?? {}, { type: "run_finished", outcome: "interrupted" });
  await stage.script(passAfter(100));
  const resumed = await panewright(stage, "resume");
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("stop --force: a panewright that does not hear is killed, and its agents are ended", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  const id = await idOf(run);
  await run.untilTesterWorks();
  run.program.kill("SIGSTOP");
  const stopped = await panewright(stage, "stop", id, "--force");
  assertEquals(stopped.code, 0, stopped.stderr);
  assertStringIncludes(stopped.stdout, `process ${run.pid} has ended, and its agents were ended.`);
  await run.ended();
  await stage.sandbox.assertNothingLeft();
});

Deno.test("status --watch, logs --follow: seen from other terminals, until the run ends", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(3000) });
  await using run = stage.run();
  const id = await idOf(run);
  await run.untilTesterWorks();
  // However long the others take to start: the run does not end before they have shown it.
  run.program.kill("SIGSTOP");
  const { argv } = stage.panewright;
  const options = { cwd: stage.sandbox.project, env: stage.env };
  await using logs = startProgram([...argv, "logs", "--follow"], options);
  await using blocks = startProgram([...argv, "status", "--watch", "--json"], options);
  await using terminal = await watchStatus(stage);
  await terminal.shows(/tester\s+for/);
  assertStringIncludes(await terminal.screen(), `run ${id} (run): running, executed by process ${run.pid}`);
  await until(() => blocks.output.stdout.includes("\n"));
  run.program.kill("SIGCONT");
  assertEquals((await run.ended()).code, 0);
  assertStringIncludes(await terminal.shows(/left with 0/), `run ${id} (run): passed`);
  const followed = await logs.ended;
  assertEquals(followed.code, 0, followed.stderr);
  assertMatch(followed.stdout, /tester: prompt of [^]*\n\S+ PASS after 1 round/);
  const watched = await blocks.ended;
  const states = watched.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).state);
  assertEquals([states[0], states.at(-1)], ["running", "passed"]);
});

Deno.test("status --watch: Ctrl-C leaves the watching, and the run goes on", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(5000) });
  await using run = stage.run();
  await run.untilTesterWorks();
  {
    await using terminal = await watchStatus(stage);
    await terminal.shows(/executed by/);
    await terminal.press("C-c");
    assertEquals((await terminal.shows(/left with 130/)).trim(), "left with 130");
  }
  assertEquals((await run.ended()).code, 0);
});

for (const command of await panewrightCommands()) {
  Deno.test(`the demo's run is listed, shown, stopped and cleaned beside its configuration (from ${command.name})`, async () => {
    await using sandbox = await createSandbox();
    const env = { ...sandbox.env, ...command.env };
    const call = async (cwd: string, ...args: readonly string[]) => {
      const result = await runProgram([...command.argv, ...args], { cwd, env, timeoutMs: 90_000 });
      assertEquals(result.code, 0, result.stderr);
      return result;
    };
    const { stderr } = await call(sandbox.project, "demo", "--keep");
    const folder = /^Kept: (.*)$/m.exec(stderr)?.[1] ?? "";
    const listed = JSON.parse((await call(folder, "runs", "--json")).stdout);
    assertEquals([listed.job, listed.state, listed.executed], ["run", "passed", false]);
    const shown = JSON.parse((await call(folder, "status", "--json")).stdout);
    assertEquals(shown.summary.round, 2);
    assertEquals(shown.agents.map(({ alive }: { readonly alive: boolean }) => alive), Array(5).fill(true));
    const { counts } = shown.summary;
    assertEquals(counts.turns, counts.responses);
    assertMatch((await call(folder, "logs")).stdout, /round 1: FAIL\b[^]*round 2: PASS\b[^]*PASS after 2 rounds/);
    assertMatch(
      (await call(folder, "attach", listed.run, "tester", "--print")).stdout,
      /select-window -t %\d+ ';' attach/,
    );
    const clean = ["clean", "--keep=0", "--older-than=0h"];
    assertStringIncludes((await call(folder, ...clean)).stdout, "Kept: 1 old run that has agents that are alive");
    assertStringIncludes((await call(folder, "stop", listed.run)).stdout, "were ended");
    assertStringIncludes((await call(folder, ...clean)).stdout, "1 run was removed");
    await Deno.remove(folder, { recursive: true });
    await sandbox.assertNothingLeft();
  });
}
