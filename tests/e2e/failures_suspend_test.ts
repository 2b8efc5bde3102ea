import { assert, assertEquals } from "@std/assert";
import { trySignal } from "../../lib/base/ports/process.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { listProcesses, processTree } from "../../lib/base/ports/process_table.ts";
import { setUpFailureStage, type StartedRun } from "./failures_stage.ts";

/** How long everything stands still: longer than `pause-after` of the control client, and than a poll may be late. */
const ASLEEP_MS = 12_000;

/** A tester that works so long from when it is awake: no step of it is over while it stands still. */
const worksFor = (seconds: number) => [
  ...Array.from({ length: seconds * 2 }, () => ({ think: 500 })),
  { respond: ["RESULT: PASS"] },
  { stream: "It passes." },
];

/** The processes of a run: panewright with all that came out of it, and its tmux server with the agents. */
async function processesOf(run: StartedRun): Promise<readonly number[]> {
  const server = Number(await run.tmux("display-message", "-p", "#{pid}"));
  const all = await listProcesses();
  return [run.pid, server].flatMap((root) => processTree(all, root).map(({ pid }) => pid));
}

for (
  const { what, isAll, seconds, limit } of [
    { what: "laptop suspended", isAll: true, seconds: 6, limit: 14 },
    { what: "panewright alone stopped (Ctrl-Z)", isAll: false, seconds: 14, limit: 8 },
  ]
) {
  Deno.test(`${what} for 12 s: no time limit counts it, and the run passes`, async () => {
    const handoff = { poll_seconds: 0.5, idle_grace_seconds: 5, response_timeout: limit };
    await using stage = await setUpFailureStage({ tester: worksFor(seconds), config: { handoff } });
    await using run = stage.run();
    await run.untilTesterWorks();
    const pids = isAll ? await processesOf(run) : [run.pid];
    assert(pids.includes(run.pid));
    try {
      for (const pid of pids) trySignal(pid, "SIGSTOP");
      await systemClock.sleep(ASLEEP_MS);
    } finally {
      for (const pid of pids) trySignal(pid, "SIGCONT");
    }
    const { code, stderr } = await run.ended();
    assertEquals(code, 0, stderr);
    assertEquals(run.facts().filter(({ type }) => type === "warning"), []);
    await stage.sandbox.assertNothingLeft();
  });
}
