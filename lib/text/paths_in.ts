/**
 * The file paths in a line: words with a slash or a file extension, such as `lib/mod.ts`, `./run.sh` or `README.md`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(pathsIn("see `lib/mod.ts:12` and README.md, 3/4 done, e.g. https://x.io/y"), ["lib/mod.ts", "README.md"]);
 * ```
 */
export function pathsIn(line: string): string[] {
  return line.split(/[\s`'"()[\]{}<>,;*|]+/).flatMap((word) => {
    if (word.length > 300 || word.includes("://")) return [];
    const path = word.replace(/(?::\d{1,7}){1,2}[:.]?$/, "").replace(/[:.!?]{1,3}$/, "");
    const named = /^[\w@.~/+-]+$/.test(path) && /[A-Za-z]/.test(path);
    const hasExtension = /[\w/-]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(path) && !/^(?:e\.g|i\.e)$/i.test(path);
    const hasFolder = /[\w.~@-]\/[\w.@-]/.test(path) || /^\/[\w.@-]/.test(path);
    return named && (hasExtension || (hasFolder && !isPairOfWords(path))) ? [path] : [];
  });
}

function isPairOfWords(path: string): boolean {
  return /^[A-Za-z]+\/[A-Za-z]+$/.test(path) && !/^(?:src|lib|tests?|app|pkg|cmd|docs?|bin|spec|main)\//i.test(path);
}
