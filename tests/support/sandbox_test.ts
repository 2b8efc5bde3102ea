import { assertEquals, assertRejects } from "@std/assert";
import { runProgram, startProgram } from "./program.ts";
import { createSandbox } from "./sandbox.ts";

Deno.test("assertNothingLeft() is content with a sandbox whose programs have ended", async () => {
  await using sandbox = await createSandbox();
  const { code, stdout } = await runProgram(["env"], { cwd: sandbox.project, env: sandbox.env, timeoutMs: 600_000 });
  assertEquals(code, 0);
  assertEquals(stdout.split("\n").filter((line) => line !== "").sort(), sandboxLines(sandbox.env));
  await sandbox.assertNothingLeft();
});

Deno.test("assertNothingLeft() names a process that still runs", async () => {
  await using sandbox = await createSandbox();
  await using _left = startProgram(["sleep", "600"], { cwd: "/", env: sandbox.env });
  await assertRejects(() => sandbox.assertNothingLeft(), Error, "sleep 600");
});

Deno.test("assertNothingLeft() names a tmux server that still runs, and the sandbox ends it", async () => {
  const { env } = await (async () => {
    await using sandbox = await createSandbox();
    const { code } = await runProgram(["tmux", "-L", "left", "new-session", "-d"], {
      cwd: sandbox.project,
      env: sandbox.env,
      timeoutMs: 600_000,
    });
    assertEquals(code, 0);
    await assertRejects(() => sandbox.assertNothingLeft(), Error, "tmux server: ");
    return sandbox;
  })();
  await assertRejects(() => Deno.stat(env.TMUX_TMPDIR ?? ""), Deno.errors.NotFound);
});

Deno.test("assertNothingLeft() names a temporary file", async () => {
  await using sandbox = await createSandbox();
  await Deno.writeTextFile(`${sandbox.env.TMPDIR}/left.txt`, "");
  await assertRejects(() => sandbox.assertNothingLeft(), Error, "left.txt");
});

function sandboxLines(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`).sort();
}
