import { assertEquals, assertMatch } from "@std/assert";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

const MAIN = new URL("../tmux_nights/main.ts", import.meta.url).pathname;

Deno.test("a night of eight jobs in the real tmux, with every class of faults once: all are done", async () => {
  await using sandbox = await createSandbox();
  const argv = [Deno.execPath(), "run", "--quiet", "--no-check", "--allow-all", MAIN, "--from", "1"] as const;
  const { code, stdout, stderr } = await runProgram(argv, {
    ...{ cwd: sandbox.project, env: sandbox.env, timeoutMs: 600_000 },
  });
  assertEquals([code, stderr], [0, ""], stdout);
  const [, hours] = /^night 1: 8 tasks, 0 do not hold; ([0-9.]+) h/m.exec(stdout) ?? [];
  assertMatch(hours ?? stdout, /^[0-9.]+$/);
  await sandbox.assertNothingLeft();
});
