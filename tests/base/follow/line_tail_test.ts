import { assert, assertEquals } from "@std/assert";
import { LineTail } from "../../../lib/base/follow/line_tail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { recordedLogs } from "./support.ts";

function append(path: string, bytes: Uint8Array | string): void {
  const data = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  Deno.writeFileSync(path, data, { append: true });
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

Deno.test("a recorded log that grows in pieces of any length is read whole, each line once", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  for (const { name, bytes, lines } of recordedLogs()) {
    for (const seed of [1, 2, 3]) {
      const random = seeded(seed);
      const path = `${folder}/${seed}-${name}`;
      using tail = new LineTail(path);
      const found: string[] = [];
      for (let at = 0; at < bytes.length;) {
        const length = random() < 0.5 ? 1 + Math.floor(random() * 3) : Math.floor(random() * 3000);
        append(path, bytes.subarray(at, at + length));
        at += length;
        if (random() < 0.7) found.push(...(await tail.read()).lines);
      }
      found.push(...(await tail.read()).lines);
      assertEquals(found, [...lines], `${name}, seed ${seed}`);
      assertEquals(tail.unfinishedLine(), "");
    }
  }
});

Deno.test("a file that appears later, with its folders, is read from its beginning", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  using tail = new LineTail(`${folder}/a/b/log.jsonl`);
  assertEquals(await tail.read(), { lines: [] });
  Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
  assertEquals(await tail.read(), { lines: [] });
  append(tail.path, "one\ntwo");
  assertEquals(await tail.read(), { lines: ["one"] });
  assertEquals(tail.unfinishedLine(), "two");
  append(tail.path, "\n");
  assertEquals(await tail.read(), { lines: ["two"] });
  assertEquals(await tail.read(), { lines: [] });
});

Deno.test("of a file that is replaced nothing is lost, neither of the old one nor of the new", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  using tail = new LineTail(`${folder}/log`);
  append(tail.path, "one\n");
  assertEquals(await tail.read(), { lines: ["one"] });
  append(tail.path, "two\n");
  append(`${folder}/new`, "three\n");
  Deno.renameSync(`${folder}/new`, tail.path);
  assertEquals(await tail.read(), { lines: ["two"] });
  assertEquals(await tail.read(), { lines: ["three"], restarted: "replaced" });
  append(tail.path, "four\n");
  assertEquals(await tail.read(), { lines: ["four"] });
});

Deno.test("of a file that is removed the rest is read, and what is made in its place as well", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  using tail = new LineTail(`${folder}/log`);
  append(tail.path, "one\n");
  await tail.read();
  append(tail.path, "two\n");
  Deno.removeSync(tail.path);
  assertEquals(await tail.read(), { lines: ["two"] });
  assertEquals(await tail.read(), { lines: [] });
  append(tail.path, "three\n");
  assertEquals(await tail.read(), { lines: ["three"] });
});

Deno.test("a file that is cut short and written anew is read from its beginning, also when it is longer then", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  using tail = new LineTail(`${folder}/log`);
  append(tail.path, "one\ntwo\nhalf");
  assertEquals((await tail.read()).lines, ["one", "two"]);
  Deno.writeTextFileSync(tail.path, "new\n");
  assertEquals(await tail.read(), { lines: ["new"], restarted: "truncated" });
  Deno.writeTextFileSync(tail.path, "other\nand longer\n");
  assertEquals(await tail.read(), { lines: ["other", "and longer"], restarted: "truncated" });
});

Deno.test("a line of megabytes is read whole", async () => {
  await using temp = await tempDir();
  const folder = temp.path;
  using tail = new LineTail(`${folder}/log`);
  const long = "é".repeat(2_000_000);
  append(tail.path, `${long}\nnext\n`);
  const { lines } = await tail.read();
  assert(lines[0] === long);
  assertEquals(lines.slice(1), ["next"]);
});

Deno.test("a tail that is disposed of in the middle of a read leaves nothing open, and reads nothing more", async () => {
  await using temp = await tempDir();
  append(`${temp.path}/log`, "one\n");
  const tail = new LineTail(`${temp.path}/log`);
  const reading = tail.read().catch(() => undefined);
  tail[Symbol.dispose]();
  await reading;
  assertEquals(await tail.read(), { lines: [] });
});
