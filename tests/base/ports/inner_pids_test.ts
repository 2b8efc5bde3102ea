import { assertEquals } from "@std/assert";
import { listInnerPids, listProcesses, processTree } from "../../../lib/base/ports/process_table.ts";

Deno.test("a process in a sandbox is known by the id that it has inside, and one outside has no other", async () => {
  const child = new Deno.Command("bwrap", {
    args: ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "sh", "-c", "echo $$; read line"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const own = Number(new TextDecoder().decode(value));
  const pids = processTree(await listProcesses(), child.pid).map(({ pid }) => pid);
  const inner = await listInnerPids(pids);
  assertEquals([...inner.values()].filter((pid) => pid === own).length, 1);
  assertEquals(inner.has(child.pid), false);
  assertEquals(await listInnerPids([]), new Map());
  await child.stdin.close();
  await reader.cancel();
  await child.status;
});
