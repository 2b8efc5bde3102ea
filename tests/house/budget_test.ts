// deno-lint-ignore-file no-console -- what it prints is for people who ask what something costs
/**
 * What the house weighs, by room, held to `budget.json`: a figure there may only be raised by a commit that says why.
 * Everything is counted from the sources; nothing is a list that somebody keeps.
 */
import { assertEquals } from "@std/assert";
import { linesOfCode, loadedBy, readSources, roomOf } from "./source_tree.ts";
import BUDGET from "./budget.json" with { type: "json" };

const FILES = await readSources();

interface Weight {
  files: number;
  lines: number;
  code: number;
  imports: number;
}

/** The modules from which each feature is reached: what nothing else reaches is what the feature costs. */
const COMMANDS = [...FILES.keys()].filter((path) => /^cli\/commands\/[^/]+\.ts$/.test(path));

Deno.test("budget: no room weighs more than budget.json allows", () => {
  const rooms: Record<string, Weight> = {};
  for (const { path, text, imports } of FILES.values()) {
    const room = rooms[roomOf(path)] ??= { files: 0, lines: 0, code: 0, imports: 0 };
    room.files++;
    room.lines += text.split("\n").length - 1;
    room.code += linesOfCode(text);
    room.imports += imports.filter((other) => roomOf(other) !== roomOf(path)).length;
  }
  console.table(rooms);
  const allowed: Readonly<Record<string, number>> = BUDGET.lines;
  const over = Object.entries(rooms)
    .filter(([room, { lines }]) => lines > (allowed[room] ?? 0))
    .map(([room, { lines }]) => `${room}: ${lines} lines, ${allowed[room] ?? 0} allowed`);
  assertEquals(over, []);
  const code = Object.values(rooms).reduce((sum, room) => sum + room.code, 0);
  assertEquals(code <= BUDGET.code, true, `${code} lines of code, ${BUDGET.code} allowed`);
});

Deno.test("budget: what a command alone needs is told", () => {
  const users = new Map<string, Set<string>>();
  for (const command of COMMANDS) {
    for (const path of loadedBy(command, FILES)) users.set(path, (users.get(path) ?? new Set()).add(command));
  }
  const alone: Record<string, { files: number; lines: number }> = {};
  for (const [path, commands] of users) {
    if (commands.size !== 1) continue;
    const cost = alone[[...commands][0]!] ??= { files: 0, lines: 0 };
    cost.files++;
    cost.lines += FILES.get(path)!.text.split("\n").length - 1;
  }
  console.table(Object.fromEntries(Object.entries(alone).toSorted(([, a], [, b]) => b.lines - a.lines)));
  assertEquals(COMMANDS.length > 20, true);
});

Deno.test("budget: no function has more than 80 lines", () => {
  const long = [...FILES.values()].flatMap(({ path, text }) =>
    functionsOf(text).filter(({ lines }) => lines > 80).map(({ name, lines }) => `${path}: ${name}, ${lines} lines`)
  );
  const allowed: readonly string[] = BUDGET.longFunctions;
  assertEquals(long.filter((one) => !allowed.some((path) => one.startsWith(`${path}:`))), []);
});

Deno.test("budget: no file imports more than 20 others", () => {
  const many = [...FILES.values()].filter(({ imports }) => imports.length > 20).map(({ path }) => path);
  const allowed: readonly string[] = BUDGET.manyImports;
  assertEquals(many.filter((path) => !allowed.includes(path)), []);
});

/** The functions of a formatted text: each ends at the first brace that stands as far left as its first line. */
function functionsOf(text: string): readonly { readonly name: string; readonly lines: number }[] {
  const rows = text.split("\n");
  return rows.flatMap((row, start) => {
    const found = row.match(/^(\s*)(?:export )?(?:async )?function\*? (\w+)/) ??
      row.match(/^(\s*)(?:export )?const (\w+) = (?:async )?\([^)]*\)[^=]*=> \{$/);
    if (found === null) return [];
    const end = rows.findIndex((other, index) =>
      index > start && other.startsWith(`${found[1]}}`) && !other.endsWith("{")
    );
    return [{ name: found[2]!, lines: end - start + 1 }];
  });
}
