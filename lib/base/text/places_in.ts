/** A place in a file that a text names. */
interface NamedPlace {
  /** As it is written. */
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
}

/**
 * The places in files that the output of compilers, linters and test programs names: `src/a.ts:3:7`, `a.cs(3,7)`,
 * `file:///w/a.ts:3:7`, `File "a.py", line 3`; each once, in their order.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(placesIn('at f (src/a.ts:3:7)\nFile "b.py", line 4\n12:30:05 http://x.org:80/'), [
 *   { path: "src/a.ts", line: 3 },
 *   { path: "b.py", line: 4 },
 * ]);
 * ```
 */
export function placesIn(text: string): readonly NamedPlace[] {
  const found = new Map<string, NamedPlace>();
  for (const row of text.split("\n")) {
    for (const { groups = {} } of row.slice(0, MAX_ROW_LENGTH).matchAll(PLACE)) {
      const path = groups["path"] ?? groups["python"] ?? "";
      const line = Number(groups["line"] ?? groups["at"] ?? groups["pythonLine"]);
      if (!/[A-Za-z]/.test(path) || path.startsWith("//")) continue;
      found.set(`${path}:${line}`, found.get(`${path}:${line}`) ?? { path, line });
    }
  }
  return [...found.values()];
}

/** Longer rows are not written for people. */
const MAX_ROW_LENGTH = 1000;

/** A name has at most 200 characters, so that no text makes the search long. */
const PLACE =
  /File "(?<python>[^"\n]{1,200})", line (?<pythonLine>\d{1,7})|(?<![\w.\/@+-]|file:\/\/)(?:file:\/\/(?=\/))?(?<path>[\w.\/@+-]{1,200}\.\w{1,10})(?::(?<line>\d{1,7})(?!\d)|\((?<at>\d{1,7})[,)])/g;
