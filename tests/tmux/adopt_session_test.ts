import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { findProcess } from "../../lib/base/ports/process_table.ts";
import { isServerRunning } from "../../lib/tmux/server.ts";
import { adoptSession } from "../../lib/tmux/adopt_session.ts";
import { endMarkedProcesses, type KnownPane } from "../../lib/tmux/pane_processes.ts";
import { tmuxSandbox, until } from "./support.ts";

const SLEEP = ["sleep", "100"] as const;

function listWindows(sandbox: Awaited<ReturnType<typeof tmuxSandbox>>): Promise<string> {
  return sandbox.client.run(["list-windows", "-t", "=test", "-F", "#{window_name}"]).then(({ stdout }) =>
    stdout.trim()
  );
}

Deno.test("of an earlier process's panes those whose very program lives are kept, and the rest is closed", async () => {
  await using sandbox = await tmuxSandbox();
  const session = await sandbox.open();
  const open = async (name: string): Promise<KnownPane> =>
    session.knownPane(await session.openPane({ name, argv: SLEEP, cwd: sandbox.home }));
  const [kept, dead, other, unknown] = [await open("kept"), await open("dead"), await open("other"), await open("new")];
  Deno.kill(dead.pid, "SIGKILL");
  const panes = [kept, dead, { ...other, startTime: "1" }];
  const adopted = await adoptSession(sandbox.client, { name: "test", mark: session.mark, panes });
  assert(adopted !== undefined);
  assertEquals([...adopted.alive], [kept.paneId]);
  assertEquals(await listWindows(sandbox), "kept");
  assertEquals(await findProcess(other.pid), undefined);
  assertEquals(await findProcess(unknown.pid), undefined);
  await adopted.session.openPane({ name: "again", argv: SLEEP, cwd: sandbox.home });
  assertEquals(await listWindows(sandbox), "kept\nagain");
  await adopted.session.close();
  assertEquals([await isServerRunning(sandbox.client), await findProcess(kept.pid)], [false, undefined]);
});

Deno.test("in a person's session only what came from the run is closed", async () => {
  await using sandbox = await tmuxSandbox();
  await sandbox.client.run(["new-session", "-d", "-s", "test", "-n", "person", ...SLEEP]);
  const session = await sandbox.open({ existing: true });
  const pane = session.knownPane(await session.openPane({ name: "kept", argv: SLEEP, cwd: sandbox.home }));
  await session.openPane({ name: "unknown", argv: SLEEP, cwd: sandbox.home });
  const viewer = await session.openPane({ name: "viewer", argv: ["true"], cwd: sandbox.home, shows: "tester" });
  const isDead = () => sandbox.client.run(["display-message", "-p", "-t", viewer.paneId, "#{pane_dead}"]);
  await until(async () => (await isDead()).stdout, (text) => text === "1\n");
  await using other = await sandbox.open({ existing: true });
  await other.openPane({ name: "other run", argv: SLEEP, cwd: sandbox.home, shows: "tester" });
  const options = { name: "test", existing: true, mark: session.mark, panes: [pane] };
  const adopted = await adoptSession(sandbox.client, options);
  assertEquals([[...adopted?.alive ?? []], await listWindows(sandbox)], [[pane.paneId], "person\nkept\nother run"]);
  await adopted?.session.close();
  assertEquals(await listWindows(sandbox), "person\nother run");
});

Deno.test("a session whose first panes have ended gets no placeholder beside those that live", async () => {
  await using sandbox = await tmuxSandbox();
  const session = await sandbox.open();
  const open = (name: string, shows?: string) =>
    session.openPane({ name, argv: SLEEP, cwd: sandbox.home, ...(shows === undefined ? {} : { shows }) });
  await open("one", "analyst");
  await open("two", "tester");
  const kept = session.knownPane(await open("kept"));
  const adopted = await adoptSession(sandbox.client, { name: "test", mark: session.mark, panes: [kept] });
  assertEquals([[...adopted?.alive ?? []], await listWindows(sandbox)], [[kept.paneId], "kept"]);
});

Deno.test("a session that is gone is not adopted, and what outlived it is ended by its mark", async () => {
  await using sandbox = await tmuxSandbox();
  const session = await sandbox.open();
  const argv = ["sh", "-c", "trap '' HUP; setsid sleep 100 & wait"] as const;
  const pane = session.knownPane(await session.openPane({ name: "one", argv, cwd: sandbox.home }));
  await sandbox.client.run(["kill-server"]);
  await until(() => isServerRunning(sandbox.client), (running) => !running);
  assertEquals(await adoptSession(sandbox.client, { name: "test", mark: session.mark, panes: [pane] }), undefined);
  await endMarkedProcesses(session.mark, { clock: systemClock });
  assertEquals(await findProcess(pane.pid), undefined);
});
