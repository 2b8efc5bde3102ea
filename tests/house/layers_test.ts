import { assertEquals } from "@std/assert";
import { readSources, roomOf } from "./source_tree.ts";

/** From the top down; what shares a row stands beside each other. An import points down or stays in its own row. */
const LAYERS: readonly (readonly string[])[] = [
  ["page"],
  ["cli"],
  ["mod.ts"],
  ["api", "fleet"],
  ["lab"],
  ["config"],
  ["lanes"],
  ["jobs"],
  ["run"],
  ["turn"],
  ["agents"],
  ["evidence"],
  ["workspace"],
  ["policy", "tmux", "sandbox"],
  ["screen", "shell"],
  ["journal"],
  ["base"],
];

const FILES = await readSources();

Deno.test("an import points down, or stays in its layer", () => {
  const level = (file: string) => LAYERS.findIndex((names) => names.includes(roomOf(file)));
  const wrong = [...FILES.values()].flatMap(({ path, imports }) =>
    imports.filter((other) => level(path) < 0 || level(other) < level(path)).map((other) => `${path} -> ${other}`)
  );
  assertEquals(wrong, []);
});

Deno.test("no file imports itself, in whatever roundabout way", () => {
  const circles: string[][] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file]);
    if (start >= 0 || finished.has(file)) return;
    for (const other of FILES.get(file)?.imports ?? []) visit(other, [...path, file]);
    finished.add(file);
  };
  for (const file of FILES.keys()) visit(file, []);
  assertEquals(circles, []);
});

Deno.test("rooms that share a row do not import each other", () => {
  const rowOf = (file: string) => LAYERS.findIndex((names) => names.includes(roomOf(file)));
  const across = [...FILES.values()].flatMap(({ path, imports }) =>
    imports.filter((other) => rowOf(other) === rowOf(path) && roomOf(other) !== roomOf(path))
      .map((other) => `${path} -> ${other}`)
  );
  assertEquals(across, []);
});
