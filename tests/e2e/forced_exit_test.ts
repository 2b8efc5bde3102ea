import { assertEquals, assertLess } from "@std/assert";
import { systemClock } from "../../lib/ports/clock.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

Deno.test("a second Ctrl-C leaves at once, and takes the panes along", async () => {
  const panewright = await panewrightFromSource();
  await using sandbox = await createSandbox();
  await using program = startProgram([...panewright.argv, "demo"], {
    cwd: sandbox.project,
    env: { ...sandbox.env, ...panewright.env },
  });
  while (!program.output.stderr.includes("tester: ready")) await systemClock.sleep(20);
  program.kill("SIGINT");
  await systemClock.sleep(5);
  program.kill("SIGINT");
  const pressedAtMs = systemClock.now();
  assertEquals((await program.ended).code, 130);
  assertLess(systemClock.now() - pressedAtMs, 1000);
  await sandbox.assertNothingLeft();
});
