import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { killServer } from "../../../lib/tmux/server.ts";
import { callCli } from "../../support/call_cli.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import { agentReady, reviewStarted, writeRun } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const ID = "20261120-072605-3fa9";

async function attach(dir: TempDir, args: readonly string[], options: FakeIoOptions = {}) {
  return await callCli(["attach", ID, ...args], { cwd: dir.path, ...options });
}

/** A run whose session is there, with one pane that is the programmer's. */
async function withSession(test: (dir: TempDir, socket: string) => Promise<void>): Promise<void> {
  await using dir = await tempDir();
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket });
  try {
    await client.run(["new-session", "-d", "-s", "panewright", "--", "sleep", "600"]);
    const { stdout } = await client.run(["list-panes", "-a", "-F", "#{pane_id}"]);
    const events = agentReady({ socket }).map((event) =>
      event.type === "agent_ready" ? { ...event, terminalId: stdout.trim() } : event
    );
    await writeRun({ workdir: dir.path, id: ID, events: [reviewStarted(dir.path, ID), ...events] });
    await test(dir, socket);
  } finally {
    await killServer(client);
  }
}

Deno.test("attach --print: the command that shows the session, or a role's window first, or only shows", async () => {
  await withSession(async (dir, socket) => {
    const print = async (...args: readonly string[]) => (await attach(dir, ["--print", ...args])).stdout;
    assertEquals(await print(), `tmux -L ${socket} attach-session -t '=panewright'\n`);
    assertEquals(
      await print("programmer"),
      `tmux -L ${socket} select-window -t %0 ';' attach-session -t '=panewright'\n`,
    );
    assertMatch(await print("--read-only"), / ';' attach-session -r -t '=panewright'\n$/);
    for (const args of [[], ["programmer"]]) {
      const io = fakeIo({ cwd: dir.path });
      await runCli(["attach", "--print", ...args], io);
      assertEquals(io.written.stdout, await print(...args), "the run need not be named");
    }
  });
});

Deno.test("attach: one view at a time: a role, named once or twice, or all roles, or the one at work", async () => {
  await withSession(async (dir, socket) => {
    const print = (...args: readonly string[]) => attach(dir, ["--print", ...args]);
    const programmer = `tmux -L ${socket} select-window -t %0 ';' attach-session -t '=panewright'\n`;
    assertEquals((await print("--role", "programmer")).stdout, programmer);
    assertEquals((await print("programmer", "--role=programmer")).stdout, programmer);
    const cases = [
      [["--follow", "--overview"], "Cannot attach with --overview and --follow: one view is shown at a time"],
      [["tester", "--follow"], "Cannot attach with the role tester and --follow"],
      [["tester", "--role", "analyst"], "Cannot attach with the role analyst and the role tester"],
      [["--role", "testr"], 'Cannot use --role "testr": it must be one of '],
    ] as const;
    for (const [args, told] of cases) {
      const { code, stderr } = await print(...args);
      assertEquals(code, 2);
      assertStringIncludes(stderr, told);
    }
  });
});

Deno.test("attach: from within the very tmux server it would show itself, and is refused", async () => {
  await withSession(async (dir, socket) => {
    const env = { TMUX: `/tmp/tmux-1000/${socket},123,0` };
    const { code, stderr } = await attach(dir, [], { terminal: true, env });
    assertEquals(code, 2);
    assertStringIncludes(stderr, "tmux switch-client -t '=panewright'");
  });
});

Deno.test("attach: a run whose session is gone", async () => {
  await using dir = await tempDir();
  await writeRun({ workdir: dir.path, id: ID, events: [reviewStarted(dir.path, ID), ...agentReady()] });
  const { code, stderr } = await attach(dir, [], { terminal: true });
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot attach to run ${ID}: its tmux session no longer exists`);
  assertStringIncludes(stderr, `panewright logs ${ID}`);
});
