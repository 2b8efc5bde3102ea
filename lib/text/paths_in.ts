/**
 * The file paths in a line: words of any script with a slash or a file extension, such as `lib/mod.ts`, `./run.sh`,
 * `README.md` or `römisch.sh`. They come in the normal form C, in which a name is spelled in one way only.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(pathsIn("see `lib/mod.ts:12` and README.md, 3/4 done, e.g. https://x.io/y"), ["lib/mod.ts", "README.md"]);
 * assertEquals(pathsIn("проверка.py и/или 日本.tsを見て"), ["проверка.py", "日本.ts"]);
 * ```
 */
export function pathsIn(line: string): string[] {
  return line.normalize("NFC").split(SEPARATORS).flatMap((word) => {
    if (word.length > 300 || word.includes("://")) return [];
    const path = withoutSuffix(word.replace(/(?::\d{1,7}){1,2}[:.]?$/, "").replace(/[:.!?]{1,3}$/, ""));
    const named = NAME.test(path) && /\p{L}/u.test(path);
    const hasExtension = EXTENSION.test(path) && !/^(?:e\.g|i\.e)$/i.test(path);
    const hasFolder = FOLDER.test(path);
    return named && (hasExtension || (hasFolder && !isPairOfWords(path))) ? [path] : [];
  });
}

/** Between words: white space, quotes, brackets, and the commas and stops of scripts whose names do not hold them. */
const SEPARATORS = /[\s`'"()[\]{}<>,;*|\p{Pi}\p{Pf}„‚、。，；：！？「」『』【】〈〉《》〔〕（）［］｛｝،؛؟।—]+/u;

/** Joiners (U+200C, U+200D) belong to words of Persian and the scripts of India. */
const NAME = /^[\p{L}\p{M}\p{N}\u200c\u200d_@.~/+-]+$/u;
const EXTENSION = /[\p{L}\p{M}\p{N}_/-]\.[A-Za-z][A-Za-z0-9]{0,9}$/u;
const FOLDER = /[\p{L}\p{M}\p{N}_.~@-]\/[\p{L}\p{M}\p{N}_.@-]|^\/[\p{L}\p{M}\p{N}_.@-]/u;

/** Some languages write what belongs to a word right after it: `日本.tsを`, `파일.ts에서`, `файл.ts-а`. */
function withoutSuffix(path: string): string {
  if (EXTENSION.test(path)) return path;
  return path.replace(/(\.[A-Za-z][A-Za-z0-9]{0,9})-?[\p{L}\p{M}]+$/u, (all, extension: string) => {
    const suffix = all.slice(extension.length);
    return /[A-Za-z]/.test(suffix) ? all : extension;
  });
}

/** `and/or`, `input/output`: prose, unless an extension or a second slash says that it is a path. */
function isPairOfWords(path: string): boolean {
  return /^[\p{L}\p{M}]+\/[\p{L}\p{M}]+$/u.test(path) &&
    !/^(?:src|lib|tests?|app|pkg|cmd|docs?|bin|spec|main)\//i.test(path);
}
