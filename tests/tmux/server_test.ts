import { assert, assertEquals } from "@std/assert";
import { findSocketPath, isServerRunning, removeDeadSocket } from "../../lib/tmux/server.ts";
import { tmuxSandbox, until } from "./support.ts";

Deno.test("the socket of a server that was killed is removed, that of one that runs is not", async () => {
  await using sandbox = await tmuxSandbox();
  await removeDeadSocket(sandbox.client);
  const { client } = sandbox;
  await client.run(["new-session", "-d", "-s", "test", "--", "sleep", "1000"]);
  const socketPath = await findSocketPath(client);
  assert(socketPath !== undefined);
  await removeDeadSocket(client);
  assert(await isServerRunning(client));
  const { stdout } = await client.run(["display-message", "-p", "#{pid} #{pane_pid}"]);
  for (const pid of stdout.trim().split(" ").map(Number)) Deno.kill(pid, "SIGKILL");
  await until(() => isServerRunning(client), (running) => !running);
  assert((await Deno.lstat(socketPath)).isSocket);
  await removeDeadSocket(client);
  assertEquals(await Deno.lstat(socketPath).catch((error) => error instanceof Deno.errors.NotFound), true);
});
