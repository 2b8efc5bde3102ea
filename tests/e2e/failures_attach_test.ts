import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { openPersonTerminal, type PersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";
import { type FailureStage, passAfter, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

/** A person's terminal of a given size in which the run's panes are shown by tmux itself. */
async function attach(
  stage: FailureStage,
  run: StartedRun,
  place: { readonly name: string; readonly columns: number; readonly rows: number },
): Promise<PersonTerminal> {
  const runId = String((await run.fact("run_started"))["runId"]);
  const argv = ["env", "-u", "TMUX", "tmux", "-L", `panewright-${runId}`, "attach-session", "-t", "=panewright"];
  return await openPersonTerminal(stage, { ...place, argv });
}

/** The sizes of all panes, each once. */
async function paneSizes(run: StartedRun): Promise<readonly string[]> {
  const sizes = await run.tmux("list-panes", "-a", "-F", "#{pane_width}x#{pane_height}");
  return [...new Set(sizes.split("\n"))];
}

async function untilClients(run: StartedRun, count: number): Promise<void> {
  const clients = async () =>
    (await run.tmux("list-clients", "-F", "#{client_control_mode}")).split("\n").filter((line) => line === "0").length;
  await until(clients, (found) => found === count);
}

Deno.test("terminal resized by an attached person, a second one attaches, and both detach: the panes keep their size and the run passes", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(6000) });
  await using run = stage.run();
  await run.untilTesterWorks();
  {
    await using one = await attach(stage, run, { name: "one", columns: 60, rows: 15 });
    await untilClients(run, 1);
    await one.shows(/\S/);
    for (const [columns, rows] of [[60, 15], [200, 60], [30, 8]] as const) {
      await one.resize(columns, rows);
      await systemClock.sleep(300);
      assertEquals(await paneSizes(run), ["120x40"]);
    }
    await using two = await attach(stage, run, { name: "two", columns: 150, rows: 50 });
    await untilClients(run, 2);
    assertEquals(await paneSizes(run), ["120x40"]);
    assertStringIncludes(await run.tmux("list-sessions"), "(attached)");
    // The outer tmux gives on the key that the inner one takes for its own. A terminal whose program has ended is gone.
    await one.press("C-b", "d");
    await untilClients(run, 1);
    await two.press("C-b", "d");
    await untilClients(run, 0);
    assertEquals(await paneSizes(run), ["120x40"]);
  }
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  await stage.sandbox.assertNothingLeft();
});
