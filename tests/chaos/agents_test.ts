import { assert, assertEquals, assertMatch } from "@std/assert";
import { findProcess } from "../../lib/base/ports/process_table.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { watchAgents } from "./agents.ts";

/** A sandbox with a tmux server that has two panes, and their processes. */
async function withPanes(test: (stage: { sandbox: Sandbox; panes: readonly number[] }) => Promise<void>) {
  await using sandbox = await createSandbox();
  const tmux = async (...args: string[]) => {
    const options = { cwd: sandbox.project, env: sandbox.env, timeoutMs: 600_000 };
    const { code, stdout, stderr } = await runProgram(["tmux", "-L", "chaos", ...args], options);
    assertEquals(code, 0, stderr);
    return stdout;
  };
  await tmux("-f", "/dev/null", "new-session", "-d", "sleep", "600");
  await tmux("set-option", "-g", "remain-on-exit", "on");
  await Deno.copyFile("/bin/sleep", `${sandbox.root}/codex`);
  await tmux("new-window", "-d", "sh", "-c", `sleep 600 & ${sandbox.root}/codex 600; true`);
  const panes = (await tmux("list-panes", "-a", "-F", "#{pane_pid}")).trim().split("\n").map(Number);
  await test({ sandbox, panes });
}

Deno.test("nothing is hit and nobody is dead where nothing runs", async () => {
  await using sandbox = await createSandbox();
  const agents = watchAgents(sandbox);
  assertEquals(await agents.kill({ target: "tmux", afterMs: 0 }), undefined);
  assertEquals(await agents.kill({ target: "agent", afterMs: 0, pick: 3 }), undefined);
  await agents.noteDeaths();
  assertEquals(agents.deaths, []);
});

Deno.test("one agent is killed, and only that one is noted as dead", () =>
  withPanes(async ({ sandbox, panes }) => {
    const agents = watchAgents(sandbox);
    await agents.noteDeaths();
    assertEquals(agents.deaths, []);
    assertEquals(await agents.kill({ target: "agent", afterMs: 0, pick: 0 }), `agent ${panes[0]}`);
    await agents.noteDeaths();
    await agents.noteDeaths();
    assertEquals(agents.deaths.map(({ pid }) => pid), [panes[0]]);
    assert(await findProcess(panes[1]!) !== undefined);
  }));

Deno.test("of an agent the launcher or the native program is hit, and never a command that it runs", async () => {
  for (const [pick, isNative] of [[1, false], [9, true], [17, false]] as const) {
    await withPanes(async ({ sandbox, panes }) => {
      const hit = await watchAgents(sandbox).kill({ target: "agent", afterMs: 0, pick });
      assertMatch(hit ?? "", isNative ? new RegExp(`^process \\d+ of agent ${panes[1]}$`) : /^agent \d+$/);
    });
  }
});

Deno.test("with the tmux server its agents die", () =>
  withPanes(async ({ sandbox, panes }) => {
    const agents = watchAgents(sandbox);
    assertMatch(await agents.kill({ target: "tmux", afterMs: 0 }) ?? "", /^tmux server \d+$/);
    await agents.noteDeaths();
    assertEquals(agents.deaths.map(({ pid }) => pid).sort(), [...panes].sort());
    assertEquals(await agents.kill({ target: "tmux", afterMs: 0 }), undefined);
  }));
