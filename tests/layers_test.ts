import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { relative, resolve } from "@std/path/posix";

const LIB = new URL("../lib", import.meta.url).pathname;

/** From the top down; what shares a row stands beside each other. An import points down or stays in its own row. */
const LAYERS: readonly (readonly string[])[] = [
  ["page"],
  ["cli"],
  ["mod.ts"],
  ["api"],
  ["lab"],
  ["config"],
  ["jobs"],
  ["run"],
  ["turn"],
  ["agents"],
  ["policy", "tmux"],
  ["screen", "shell"],
  ["journal"],
  ["base"],
];

/** Each file of lib with the files of lib that it imports: by value, by type, or when it is run. */
const IMPORTS = await readImports();

Deno.test("an import points down, or stays in its layer", () => {
  const level = (file: string) => LAYERS.findIndex((names) => names.includes(file.split("/")[0]!));
  const wrong = [...IMPORTS].flatMap(([file, others]) =>
    others.filter((other) => level(file) < 0 || level(other) < level(file)).map((other) => `${file} -> ${other}`)
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
    for (const other of IMPORTS.get(file) ?? []) visit(other, [...path, file]);
    finished.add(file);
  };
  for (const file of IMPORTS.keys()) visit(file, []);
  assertEquals(circles, []);
});

async function readImports(): Promise<ReadonlyMap<string, readonly string[]>> {
  const imports = new Map<string, readonly string[]>();
  for await (const { path } of walk(LIB, { exts: [".ts", ".tsx"], includeDirs: false })) {
    const code = (await Deno.readTextFile(path)).replaceAll(/^ *\*.*$/gm, "");
    const found = code.matchAll(/(?:\bfrom |^import |\bimport\()"(\.[^"]*\.tsx?)"/gm);
    imports.set(relative(LIB, path), [...found].map(([, to]) => relative(LIB, resolve(path, "..", to!))));
  }
  return imports;
}
