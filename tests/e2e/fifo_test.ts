import { assertEquals } from "@std/assert";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import { until } from "../support/until.ts";
import { type FailureStage, passAfter, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

async function mkfifo(...paths: readonly string[]): Promise<void> {
  assertEquals((await new Deno.Command("mkfifo", { args: [...paths] }).output()).code, 0);
}

async function endOf(run: StartedRun): Promise<number> {
  let ended = false;
  run.program.ended.then(() => ended = true);
  await until(() => ended, Boolean, () => `it does not end:\n${run.program.output.stdout}`);
  return (await run.program.ended).code;
}

function testerPath({ sandbox }: FailureStage): string {
  return responsePathFor(sandbox.project, "tester");
}

Deno.test("FIFOs that an agent makes beside its response and in its place: the run takes its response and passes", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(1500) });
  await using run = stage.run();
  await run.untilTesterWorks();
  const path = testerPath(stage);
  // The agent's own rename puts its response in the place of the second one.
  await mkfifo(`${path}.other.partial`, path);
  assertEquals(await endOf(run), 0);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("FIFOs in the response folder: a signal ends the run and its agents", async () => {
  await using stage = await setUpFailureStage();
  await using run = stage.run();
  await run.untilTesterWorks();
  await mkfifo(testerPath(stage), `${testerPath(stage)}.partial`);
  // What is told of a poll after that, so that the folder's change has been seen.
  await until(async () => (await run.tmux("list-panes", "-a", "-F", "#{pane_id}")) !== "");
  run.program.kill("SIGINT");
  assertEquals(await endOf(run), 130);
  await stage.sandbox.assertNothingLeft();
});
