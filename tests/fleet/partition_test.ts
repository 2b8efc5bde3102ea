import { assertEquals } from "@std/assert";
import { processesOf } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { assertFenced, AT_WORK, eventsOf, fleetStage, PASSES, recordsIn } from "./fleet_stage.ts";
import { type Line, openLine } from "./line.ts";
import { noNamespaceReason, openNamespace } from "./namespace.ts";

/** Has a worker lose its line to the server in the middle of a job, and another one take it. */
async function loseLine(open: (port: number) => Line | Promise<Line>): Promise<void> {
  await using stage = await fleetStage();
  const { server } = JSON.parse(await Deno.readTextFile(stage.credentials["machine"] ?? ""));
  await using line = await open(Number(server.split(":").at(-1)));
  await stage.replay(AT_WORK);
  const first = await stage.workerBehind(line, "w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  await stage.replay(PASSES);
  await line.cut();
  stage.worker("w2");
  await until(async () => eventsOf(await stage.log("go-on"), "claimed").length === 2);
  // Its own processes may be there, and look at what else is; nothing that works for the run.
  const left = (await processesOf(`${stage.sandbox.root}/homes/w1`)).filter(({ command, pid }) =>
    pid !== first.pid && !/ \/proc\/| detached --by fleet --mirrored -- /.test(command)
  );
  assertEquals(left, []);
  await stage.reaches("go-on", "pass");
  await line.mend();
  await assertFenced(stage, first);
  await stage.end();
}

Deno.test("a worker whose line is cut: its agents end before another worker begins, and what it has sent meanwhile is refused", async () => {
  await loseLine(openLine);
});

Deno.test("a worker on another host whose cable is pulled is fenced in the same way", async (t) => {
  const reason = await noNamespaceReason();
  if (reason !== undefined) return void await t.step({ name: reason, ignore: true, fn: () => {} });
  await loseLine(openNamespace);
});
