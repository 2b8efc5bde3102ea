import { assertEquals, assertNotMatch } from "@std/assert";
import { panewrightCommands, parseEvents } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

for (const panewright of await panewrightCommands()) {
  Deno.test(`demo shows a job of two rounds in under a minute (from ${panewright.name})`, async () => {
    await using sandbox = await createSandbox();
    const { code, stdout, stderr } = await runProgram([...panewright.argv, "demo", "--json"], {
      cwd: sandbox.project,
      env: { ...sandbox.env, ...panewright.env },
      timeoutMs: 60_000,
    });
    assertEquals(code, 0, stderr);
    assertNotMatch(stderr, /^\s+at .+:\d+:\d+\)?$/m);
    const events = parseEvents(stdout);
    assertEquals(
      events.filter((event) => event.type === "round_finished").map((event) => event.verdict),
      ["FAIL", "PASS"],
    );
    const last = events.at(-1);
    assertEquals([last?.type, last?.outcome, last?.rounds], ["run_finished", "pass", 2]);
    await sandbox.assertNothingLeft();
  });
}
