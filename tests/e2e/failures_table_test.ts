import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("each line of the table of failures in docs/troubleshooting.md has a test whose name has its words", async () => {
  const page = await Deno.readTextFile(`${ROOT}docs/troubleshooting.md`);
  const section = page.split(/^## /m).find((part) => part.startsWith("When the surroundings fail"));
  const rows = section?.split("\n").filter((line) => line.startsWith("| **")) ?? [];
  assert(rows.length >= 8);
  const tests: string[] = [];
  for (const folder of ["tests/e2e", "tests/turn"]) {
    for await (const { name } of Deno.readDir(`${ROOT}${folder}`)) {
      if (/^failures_.*test\.ts$|^failures_test\.ts$/.test(name)) {
        tests.push(await Deno.readTextFile(`${ROOT}${folder}/${name}`));
      }
    }
  }
  const named = rows.flatMap((row) => [...row.matchAll(/\*\*(.+?)\*\*/g)].map(([, words]) => words ?? ""));
  const unproved = named.filter((words) => !tests.some((text) => new RegExp(`["\`]${escape(words)}`).test(text)));
  assertEquals(unproved, []);
});

function escape(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
