import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { isLocked } from "../../../lib/base/ports/lock_file.ts";
import { readRecords } from "../../support/journal_records.ts";
import { readFactsOf } from "../../../lib/journal/read_facts.ts";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { findSocketPath, isServerRunning, killServer } from "../../../lib/tmux/server.ts";
import { stopRun } from "../../../lib/jobs/stop_run.ts";
import { foldEvents } from "../../support/fold_events.ts";
import { callCli } from "../../support/call_cli.ts";
import { cleanEnvironment } from "../../support/run_panewright.ts";
import { startProgram } from "../../support/program.ts";
import {
  agentReady,
  execWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  RUN_ID,
  writeReview,
  writeRun,
} from "../../support/run_folders.ts";
import { startOwner } from "../../support/start_owner.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

async function stop(dir: TempDir, ...args: readonly string[]) {
  return await callCli(["stop", RUN_ID, ...args], { cwd: dir.path });
}

Deno.test("stop: the process that executes the run is told to end, and waited for", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...PROGRAMMER_AT_WORK]);
  await using owner = await startOwner(folder);
  const { code, stdout } = await stop(dir);
  assertEquals(code, 0);
  assertEquals((await owner.ended).code, 143);
  assertStringIncludes(stdout, `Run ${RUN_ID} was stopped: process ${owner.pid} has ended.\n`);
  assertStringIncludes(stdout, `Resume with: panewright resume ${RUN_ID}\n`);
});

Deno.test("stop: one that was stopped with Ctrl-Z ends all the same", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await using owner = await startOwner(folder);
  owner.kill("SIGSTOP");
  assertEquals((await stop(dir)).code, 0);
  assertEquals((await owner.ended).code, 143);
});

Deno.test("stop: a process that does not end in time is named, with what helps; --force kills it", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...PROGRAMMER_AT_WORK]);
  await using owner = await startOwner(folder, "ignore-term");
  const patient = { force: false, patienceSeconds: 0.3, resumeCommand: "panewright resume", clock: systemClock };
  const error = await stopRun(folder, { ...patient, signal: new AbortController().signal }).then(
    () => undefined,
    String,
  );
  assertMatch(String(error), new RegExp(`process ${owner.pid} has not ended`));
  assert(await isLocked(folder.lockPath));
  const { code, stdout } = await stop(dir, "--force");
  assertEquals(code, 0);
  assertEquals((await owner.ended).code, 137);
  assertMatch(stdout, new RegExp(`was stopped: process ${owner.pid} has ended`));
  assertEquals((await readRecords(folder.journalPath)).at(-1)?.type, "run_finished");
});

Deno.test("stop: a name in the lock whose process does not hold it is never hit", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await using owner = await startOwner(folder);
  await using innocent = startProgram(["sleep", "600"], { cwd: "/", env: cleanEnvironment() });
  await Deno.writeTextFile(folder.lockPath, `process ${innocent.pid}`);
  const { code, stderr } = await stop(dir);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "a process executes it, but which one is unknown");
  owner.kill("SIGKILL");
  innocent.kill("SIGTERM");
  assertEquals((await innocent.ended).code, 143);
});

Deno.test("stop: a killed run is written down as stopped, so that it can be resumed", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK]);
  await Deno.writeTextFile(folder.journalPath, '{"at":"torn', { append: true });
  const { code, stdout } = await stop(dir);
  assertEquals(code, 0);
  assertStringIncludes(stdout, `No process executes run ${RUN_ID}, and nothing of it is left running (stopped).\n`);
  assertStringIncludes(stdout, `Resume with: panewright resume ${RUN_ID}\n`);
  const state = foldEvents((await readFactsOf(REVIEW_LOOP, folder)).facts);
  assertEquals(state?.finished, { outcome: "interrupted", reason: "stopped after its panewright was gone" });
});

Deno.test("stop: agents that outlived their panewright are ended, with their tmux server", async () => {
  await using dir = await tempDir();
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const mark = `test-${socket}`;
  const client = createTmuxClient({ socket });
  try {
    const pane = [
      "-e",
      `PANEWRIGHT_SESSION_MARK=${mark}`,
      "--",
      "sh",
      "-c",
      "trap '' HUP; sleep 36000 & wait",
    ] as const;
    await client.run(["new-session", "-d", "-s", "panewright", ...pane]);
    const folder = await writeReview(dir, [...agentReady({ socket }), ...PROGRAMMER_AT_WORK]);
    const { code, stdout } = await stop(dir);
    assertEquals(code, 0);
    assertStringIncludes(stdout, `The agents of run ${RUN_ID} were ended; the panewright that executed it was gone.\n`);
    assertEquals(await isServerRunning(client), false);
    assertEquals((await readRecords(folder.journalPath)).at(-1)?.type, "run_finished");
    assertMatch((await stop(dir)).stdout, /^No process executes/);
  } finally {
    await killServer(client);
  }
});

Deno.test("stop: the socket of a tmux server that was killed, and its agents with it, is removed", async () => {
  await using dir = await tempDir();
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket });
  await client.run(["new-session", "-d", "-s", "panewright", "--", "sleep", "600"]);
  const socketPath = await findSocketPath(client);
  const { stdout: pids } = await client.run(["display-message", "-p", "#{pid} #{pane_pid}"]);
  for (const pid of pids.trim().split(" ").map(Number)) Deno.kill(pid, "SIGKILL");
  await until(async () => !await isServerRunning(client));
  assert((await Deno.lstat(socketPath!)).isSocket);
  await writeReview(dir, [...agentReady({ socket }), ...PROGRAMMER_AT_WORK]);
  const { code, stdout } = await stop(dir);
  assertEquals(code, 0);
  assertMatch(stdout, /nothing of it is left running/);
  assert(!await exists(socketPath!));
});

Deno.test("stop: agents of a run whose journal is damaged are ended, and the journal is left as it is", async () => {
  await using dir = await tempDir();
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket });
  try {
    const pane = ["-e", `PANEWRIGHT_SESSION_MARK=test-${socket}`, "--", "sleep", "600"] as const;
    await client.run(["new-session", "-d", "-s", "panewright", ...pane]);
    const folder = await writeReview(dir, [...agentReady({ socket })]);
    await Deno.writeTextFile(folder.journalPath, "no record\n", { append: true });
    const before = await Deno.readTextFile(folder.journalPath);
    assertEquals((await stop(dir)).code, 0);
    assertEquals(await isServerRunning(client), false);
    assertEquals(await Deno.readTextFile(folder.journalPath), before);
  } finally {
    await killServer(client);
  }
});

Deno.test("stop: the agent of a killed run of exec is ended", async () => {
  await using dir = await tempDir();
  const id = RUN_ID;
  const folder = await writeRun({ workdir: dir.path, id, events: execWaiting(dir.path, id).slice(0, 6) });
  const env = cleanEnvironment({ PANEWRIGHT_ASK_CHANNEL: `${folder.stepsDir}/02-build/attempt-1/asks` });
  await using agent = startProgram(["sleep", "600"], { cwd: "/", env });
  const { code, stdout } = await stop(dir);
  assertEquals(code, 0);
  assertEquals((await agent.ended).code, 143);
  assertMatch(stdout, /^The agents of run .* were ended/);
  const last = (await readRecords(folder.journalPath)).at(-1);
  assertEquals([last?.type, (last as unknown as { outcome: string }).outcome], ["run_finished", "interrupted"]);
});

Deno.test("stop: a run that is over is left as it is, with exit code 0", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [reviewFinished("pass")]);
  const before = await Deno.readTextFile(folder.journalPath);
  const { code, stdout } = await stop(dir);
  assertEquals(code, 0);
  assertEquals(stdout, `No process executes run ${RUN_ID}, and nothing of it is left running (passed).\n`);
  assertEquals(await Deno.readTextFile(folder.journalPath), before);
});

Deno.test("stop --json: what was done, as one object", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await using owner = await startOwner(folder);
  const { stdout } = await stop(dir, "--json");
  assertEquals(JSON.parse(stdout), {
    type: "run_stopped",
    v: 1,
    run: RUN_ID,
    pid: owner.pid,
    endedAgents: false,
    agentsAlive: false,
    state: "stopped",
    resumeCommand: `panewright resume ${RUN_ID}`,
  });
});
