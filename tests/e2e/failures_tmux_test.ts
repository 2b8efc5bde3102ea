import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { listProcesses, processTree } from "../../lib/base/ports/process_table.ts";
import { readRecords } from "../support/journal_records.ts";
import { installCli } from "../support/clis.ts";
import { reviewProject } from "./review_project.ts";
import {
  assertEndedInGoodOrder,
  passAfter,
  type PrintedFact,
  setUpFailureStage,
  type StartedRun,
} from "./failures_stage.ts";

const SERVER_IS_GONE = "the tmux server is gone";

/** tmux (3.3a) often does not know how a pane's program has ended. */
const HOW_IT_ENDED = /^(?:killed by signal 9|tmux does not say how)$/;

async function killServer(run: StartedRun): Promise<void> {
  Deno.kill(Number(await run.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
}

for (
  const [how, end] of [
    ["kill-server", async (run: StartedRun) => void await run.tmux("kill-server")],
    ["kill -9", killServer],
  ] as const
) {
  Deno.test(`tmux server killed by ${how} in the middle of a turn: the run ends, names the role, leaves nothing`, async () => {
    await using stage = await setUpFailureStage();
    await using run = stage.run();
    await run.untilTesterWorks();
    await end(run);
    await assertEndedInGoodOrder(run, { stage, words: ["tester", SERVER_IS_GONE] });
  });
}

Deno.test("tmux server killed while the agents start: the run ends, says so, leaves nothing", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  await run.fact("agent_starting");
  await killServer(run);
  await assertEndedInGoodOrder(run, { stage, words: ["Cannot ", SERVER_IS_GONE] });
});

Deno.test("tmux server killed during the project's test command: what needs no agent any more passes", async () => {
  await using stage = await setUpFailureStage({
    tester: passAfter(100),
    config: { project_test_cmd: ["sleep", "2"] },
  });
  await using run = stage.run();
  await run.fact("test_command_started");
  await killServer(run);
  await assertEndedInGoodOrder(run, { stage, code: 0, words: [] });
});

Deno.test("pane killed in the middle of a turn: the run ends, names the role, leaves nothing", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  await run.untilTesterWorks();
  // The tester has the only pane, and a server ends with its last one.
  await run.tmux("new-window", "-d", "--", "sleep", "600");
  await run.tmux("kill-pane", "-t", (await run.testerPane()).paneId);
  await assertEndedInGoodOrder(run, { stage, words: ["tester", "the pane is gone"] });
});

Deno.test("agent killed in the middle of a turn: it is started again, told so, and the run passes", async () => {
  await using stage = await setUpFailureStage({
    tester: passAfter(1500),
    config: { limits: { max_rounds: 1, max_agent_restarts: 2 } },
  });
  await using run = stage.run();
  for (const restart of [1, 2]) {
    const isLast = ({ role, status }: PrintedFact) => role === "tester" && status === "processing";
    while (run.facts().filter((fact) => fact.type === "status_changed" && isLast(fact)).length < restart) {
      await systemClock.sleep(20);
    }
    const ready = run.facts().findLast(({ type, role }) => type === "agent_ready" && role === "tester");
    Deno.kill(Number(ready!["pid"]), "SIGKILL");
    await run.fact("agent_lost", (fact) => fact["restart"] === restart);
  }
  await assertEndedInGoodOrder(run, { stage, code: 0, words: [] });
  const lost = run.facts().filter(({ type }) => type === "agent_lost");
  assertEquals(lost.map(({ role, maxRestarts }) => [role, maxRestarts]), [["tester", 2], ["tester", 2]]);
  for (const { reason } of lost) assertMatch(String(reason), HOW_IT_ENDED);
  const records = await readRecords(`${await run.folder()}/journal.ndjson`);
  const ofTester = (type: string) => records.findLast((record) => record.type === type && record["role"] === "tester");
  const timeOf = (type: string) => Date.parse(String(ofTester(type)?.["at"]));
  const untilLostMs = timeOf("agent_lost") - timeOf("turn_started");
  const seconds = Number(ofTester("response_received")?.["seconds"]);
  assert(seconds * 1000 >= untilLostMs, `${seconds} s do not have the ${untilLostMs} ms of the agents that were lost`);
  const messages = [...Deno.readDirSync(`${await run.folder()}/messages`)].map(({ name }) => name).sort();
  assertEquals(messages, ["r1-tester-2.md", "r1-tester-3.md", "r1-tester.md"]);
  const told = await Deno.readTextFile(`${await run.folder()}/messages/r1-tester-2.md`);
  assert(told.startsWith("Another agent was ended while it worked on the task below"));
});

Deno.test("agent killed in the middle of a turn: the run ends, names the role, keeps the screen, leaves nothing", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  await run.untilTesterWorks();
  Deno.kill((await run.testerPane()).pid, "SIGKILL");
  await assertEndedInGoodOrder(run, { stage, words: ["tester", "its program has ended ("] });
  const screen = `${await run.folder()}/evidence/r1-tester.ansi`;
  assertNotEquals((await Deno.readTextFile(screen)).trim(), "");
  const explained = await stage.command(...stage.panewright.argv, "explain", screen);
  assertEquals(explained.code, 0, explained.stderr);
});

Deno.test("agent killed below the script that started it: the run ends, names the role, leaves nothing", async () => {
  await using stage = await setUpFailureStage();
  const wrapper = `${stage.sandbox.root}/wrapper`;
  const [program, ...args] = stage.panewright.argv;
  await Deno.writeTextFile(wrapper, `#!/bin/sh\n"${program}" ${args.join(" ")} "$@"\n`, { mode: 0o755 });
  await stage.configure({
    providers: { replay: { command: [wrapper], args: ["--script", `${stage.sandbox.root}/replay.json`] } },
  });
  await using run = stage.run();
  await run.untilTesterWorks();
  const { pid } = await run.testerPane();
  const child = processTree(await listProcesses(), pid).at(-1);
  assert(child !== undefined && child.pid !== pid);
  Deno.kill(child.pid, "SIGKILL");
  await assertEndedInGoodOrder(run, { stage, words: ["tester", "its program has ended"] });
});

Deno.test("agent killed while another one works: the run ends when its turn comes, and names it", async () => {
  await using stage = await setUpFailureStage({
    tester: [{ think: 2000 }, { respond: ["RESULT: FAIL", "Something is missing."] }, { stream: "It fails." }],
    config: { limits: { max_rounds: 2, max_agent_restarts: 0 } },
  });
  await using run = stage.run();
  await run.untilTesterWorks();
  const { terminalId } = await run.fact("agent_ready", ({ role }) => role === "programmer");
  Deno.kill(Number(await run.tmux("display-message", "-p", "-t", String(terminalId), "#{pane_pid}")), "SIGKILL");
  await assertEndedInGoodOrder(run, { stage, words: ["programmer", "its program has ended"] });
});

Deno.test("agent killed: the native program below Codex' npm launcher; the run ends, names the role, leaves nothing", async () => {
  await using project = await reviewProject({
    thinkMs: 60_000,
    config: {
      providers: { codex: { command: [`${(await installCli("codex")).binFolder}/codex`] } },
      start_agent: "tester",
      limits: { max_agent_restarts: 0 },
    },
  });
  const { sandbox } = project;
  await using run = project.watch("run");
  await run.untilTesterWorks();
  const { pid } = await run.testerPane();
  const native = processTree(await listProcesses(), pid).find((one) => one.parentPid === pid);
  assert(native !== undefined, "the launcher has no child");
  const killedMs = systemClock.now();
  Deno.kill(native.pid, "SIGKILL");
  await assertEndedInGoodOrder(run, {
    stage: { sandbox },
    words: ["tester", "its program has ended"],
  });
  assert(systemClock.now() - killedMs < 15_000);
});
