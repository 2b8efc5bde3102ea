import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import type { TmuxClient } from "../../lib/tmux/client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import { isServerRunning } from "../../lib/tmux/server.ts";
import { isPaneAlive, tmuxSandbox } from "./support.ts";

Deno.test("a session that is missing, taken or badly named is refused with what to do", async () => {
  await using sandbox = await tmuxSandbox();
  const missing = await assertRejects(
    () => sandbox.open({ name: "work", existing: true }),
    UsageError,
    "does not exist",
  );
  assertStringIncludes(missing.hint ?? "", `tmux -L ${sandbox.client.socket} list-sessions`);
  await assertRejects(() => sandbox.open({ name: "a:b" }), UsageError, '":"');
  await using _session = await sandbox.open();
  await assertRejects(() => sandbox.open({ name: "second" }), UsageError, "already running");
});

/** What tmux answers whose server is gone, but for its words. */
const LOST = { code: 1, stdout: "", timedOut: false, truncated: false };

Deno.test("a server that another client has ended while it started is started again", async () => {
  await using sandbox = await tmuxSandbox();
  let starts = 0;
  const client: TmuxClient = {
    ...sandbox.client,
    runAll: (commands, options) =>
      commands[0]?.[0] === "new-session" && ++starts < 3
        ? Promise.resolve({ ...LOST, stderr: "server exited unexpectedly\n" })
        : sandbox.client.runAll(commands, options),
  };
  await using _session = await openSession(client, { name: "test" });
  assertEquals([starts, await isServerRunning(sandbox.client)], [3, true]);

  await using other = await tmuxSandbox();
  const refusing = {
    ...other.client,
    runAll: () => Promise.resolve({ ...LOST, stderr: "server exited unexpectedly" }),
  };
  await assertRejects(() => openSession(refusing, { name: "test" }), Error, "Cannot open tmux session test");
});

Deno.test("the person's tmux.conf is not read by a server of our own", async () => {
  await using sandbox = await tmuxSandbox();
  // The first line alone ends a detached server at once (tmux 3.3a).
  const conf =
    "set -g window-size manual\nset -g remain-on-exit off\nset -g base-index 7\nset -g default-command false\n";
  await Deno.writeTextFile(`${sandbox.home}/.tmux.conf`, conf);
  await using session = await sandbox.open();
  const pane = await session.openPane({ name: "a", argv: ["sleep", "9"], cwd: sandbox.home });
  assert(await isPaneAlive(sandbox.client, pane));
});
