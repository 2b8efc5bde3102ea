import { walk } from "@std/fs";
import { relative, resolve } from "@std/path/posix";

const LIB = new URL("../../lib", import.meta.url).pathname;

/** A source file of lib, by its path below lib. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files of lib that it imports: by value, by type, or when it is run. */
  readonly imports: readonly string[];
}

/** All source files of lib, with their imports. */
export async function readSources(): Promise<ReadonlyMap<string, SourceFile>> {
  const files = new Map<string, SourceFile>();
  for await (
    const { path } of walk(LIB, { exts: [".ts", ".tsx", ".css"], includeDirs: false, skip: [/node_modules/] })
  ) {
    const text = await Deno.readTextFile(path);
    const found = text.replaceAll(/^ *\*.*$/gm, "").matchAll(/(?:\bfrom |^import |\bimport\()"(\.[^"]*\.tsx?)"/gm);
    const imports = new Set([...found].map(([, to]) => relative(LIB, resolve(path, "..", to!))));
    const name = relative(LIB, path);
    files.set(name, { path: name, text, imports: [...imports] });
  }
  return files;
}

/** The room in which a file stands; a file directly in lib is its own. */
export function roomOf(path: string): string {
  return path.split("/")[0]!;
}

/** Lines that are neither blank nor only a comment. */
export function linesOfCode(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line)).length;
}

/** All files that a file loads, itself included. */
export function loadedBy(start: string, files: ReadonlyMap<string, SourceFile>): ReadonlySet<string> {
  const seen = new Set([start]);
  for (const path of seen) for (const other of files.get(path)?.imports ?? []) seen.add(other);
  return seen;
}
