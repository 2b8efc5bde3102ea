import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { followLines, type FollowOptions } from "../../../lib/base/follow/follow_lines.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { recordedLogs } from "./support.ts";

async function collect(path: string, options: FollowOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const { lines } of followLines(path, options)) found.push(...lines);
  return found;
}

Deno.test("a log whose folders appear with its first line is followed, to what came after its writer's end", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  const [log] = recordedLogs();
  assert(log);
  const ended = new AbortController();
  const path = `${folder}/2026/11/20/rollout.jsonl`;
  const following = collect(path, { writerEnded: ended.signal, rescanMs: 200 });
  await systemClock.sleep(30);
  // Made and filled at once: the watch on the folder above sees none of what happens in the new ones.
  Deno.mkdirSync(`${folder}/2026/11/20`, { recursive: true });
  for (let at = 0; at < log.bytes.length; at += 1500) {
    Deno.writeFileSync(path, log.bytes.subarray(at, at + 1500), { append: true });
    if (at % 6000 === 0) await systemClock.sleep(5);
  }
  Deno.writeTextFileSync(path, "no line end", { append: true });
  ended.abort();
  assertEquals(await following, [...log.lines, "no line end"]);
});

Deno.test("seed 004, watching: a new line is given out at once, without waiting for the next rescan", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  const path = `${folder}/log`;
  const ended = new AbortController();
  const lines = followLines(path, { writerEnded: ended.signal, rescanMs: 60_000 });
  const first = lines.next();
  await systemClock.sleep(50);
  const start = systemClock.now();
  Deno.writeTextFileSync(path, "one\n");
  assertEquals((await first).value, { lines: ["one"] });
  assert(systemClock.now() - start < 1000);
  ended.abort();
  assertEquals((await lines.next()).done, true);
});

Deno.test("a folder that is removed and made again is watched again", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  const path = `${folder}/sub/log`;
  const ended = new AbortController();
  Deno.mkdirSync(`${folder}/sub`);
  Deno.writeTextFileSync(path, "one\n");
  const lines = followLines(path, { writerEnded: ended.signal, rescanMs: 200 });
  assertEquals((await lines.next()).value, { lines: ["one"] });
  const next = lines.next();
  await systemClock.sleep(30);
  Deno.removeSync(`${folder}/sub`, { recursive: true });
  await systemClock.sleep(30);
  Deno.mkdirSync(`${folder}/sub`);
  Deno.writeTextFileSync(path, "two\n");
  assertEquals((await next).value?.lines, ["two"]);
  ended.abort();
  assertEquals((await lines.next()).done, true);
});

Deno.test("an abort ends the reading with its reason", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  const stop = new AbortController();
  const following = collect(`${folder}/never`, { signal: stop.signal });
  await systemClock.sleep(20);
  stop.abort(new Error("stop"));
  await assertRejects(() => following, Error, "stop");
});
