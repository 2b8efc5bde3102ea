import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { followLines } from "../../../lib/base/follow/follow_lines.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { recordedLogs } from "./support.ts";

Deno.test("a log whose folders appear with its first line is followed, to what came after its writer's end", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  const [log] = recordedLogs();
  assert(log);
  const ended = new AbortController();
  const path = `${folder}/2026/11/20/rollout.jsonl`;
  const following = Array.fromAsync(followLines(path, ended.signal));
  await systemClock.sleep(30);
  Deno.mkdirSync(`${folder}/2026/11/20`, { recursive: true });
  for (let at = 0; at < log.bytes.length; at += 1500) {
    Deno.writeFileSync(path, log.bytes.subarray(at, at + 1500), { append: true });
    if (at % 6000 === 0) await systemClock.sleep(5);
  }
  Deno.writeTextFileSync(path, "no line end", { append: true });
  ended.abort();
  assertEquals((await following).flatMap(({ lines }) => lines), [...log.lines, "no line end"]);
});

Deno.test("seed 004, watching: a new line is given out at once, also of a folder that is made again", async () => {
  await using temp = await tempDir();
  const folder = `${temp.path}/sub`;
  const ended = new AbortController();
  const lines = followLines(`${folder}/log`, ended.signal);
  for (const line of ["one", "two"]) {
    const next = lines.next();
    await systemClock.sleep(30);
    const start = systemClock.now();
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${folder}/log`, `${line}\n`);
    assertEquals((await next).value?.lines, [line]);
    assert(systemClock.now() - start < 900);
    Deno.removeSync(folder, { recursive: true });
  }
  ended.abort();
  assertEquals((await lines.next()).done, true);
});
