/** What of the words in a text exists in a folder, and what it is there. Plain data. */
export interface ExistingNames {
  readonly files: readonly string[];
  /** Folders, and links, which nobody has followed. */
  readonly folders: readonly string[];
}

/** A word that is written like no path, and may yet name something. */
interface Word {
  /** In the normal form C, in which a name is spelled in one way only. */
  readonly text: string;
  /** Whether it is said to be a name: it stands alone in backticks, or ends with a slash. */
  readonly isMarked: boolean;
}

/**
 * The file paths in a line: words of any script with a slash or a file extension, such as `lib/mod.ts`, `./run.sh`,
 * `README.md` or `römisch.sh`, and words that are known to be names. They come in the normal form C, in which a name is
 * spelled in one way only.
 *
 * @param isName tells of a word that is written like no path whether it names a file or a folder
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(pathsIn("see `lib/mod.ts:12` and README.md, 3/4 done, e.g. https://x.io/y"), ["lib/mod.ts", "README.md"]);
 * assertEquals(pathsIn("проверка.py и/или 日本.tsを見て"), ["проверка.py", "日本.ts"]);
 * assertEquals(pathsIn("a rule of Makefile", ({ text }) => text === "Makefile"), ["Makefile"]);
 * ```
 */
export function pathsIn(line: string, isName: (word: Word) => boolean = () => false): string[] {
  return tokensOf(line).flatMap((token) => token.isPath || isName(token) ? [token.text] : []);
}

/**
 * The words of a line that are written like no path and may name something by {@linkcode namesAmong}.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const words = (line: string) => possibleNamesIn(line).map(({ text }) => text);
 * assertEquals(words("the Makefile runs `lib` and test, see lib/mod.ts"), ["Makefile", "lib"]);
 * ```
 */
export function possibleNamesIn(line: string): readonly Word[] {
  return tokensOf(line).filter(({ isPath, isMarked, text }) => !isPath && (isMarked || !EVERYDAY_FILE.test(text)));
}

/**
 * Tells names by what exists in the working directory. A word that anybody uses, such as `test`, `lib` or `Docs`, is
 * often the name of a folder, and sometimes of a file, that was not meant: it counts only where it is marked as a name.
 * A file's name counts in prose, too, unless it is a word in small letters.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const isName = namesAmong({ files: ["Makefile", "build"], folders: ["test", "Docs"] });
 * assertEquals(pathsIn("Makefile: build and test, as Docs say", isName), ["Makefile"]);
 * assertEquals(pathsIn("see `build`, `test` and Docs/", isName), ["build", "test", "Docs"]);
 * assertEquals(pathsIn("`npm test`", isName), []);
 * ```
 */
export function namesAmong(names: ExistingNames): (word: Word) => boolean {
  const files = new Set(names.files);
  const folders = new Set(names.folders);
  return ({ text, isMarked }) =>
    (files.has(text) && (isMarked || !EVERYDAY_FILE.test(text))) ||
    (folders.has(text) && (isMarked || !EVERYDAY_FOLDER.test(text)));
}

/**
 * English, in which most names and reviews are: in another script a word that is there as a name is hardly by chance.
 */
const EVERYDAY_FILE = /^[a-z]+$/;
const EVERYDAY_FOLDER = /^[A-Za-z]?[a-z]*$/;

interface Token extends Word {
  readonly isPath: boolean;
}

function tokensOf(line: string): Token[] {
  const normal = line.normalize("NFC");
  const alone = new Set([...normal.matchAll(/`([^`\s]{1,300})`/g)].map(([, word = ""]) => word));
  return normal.split(SEPARATORS).flatMap((word): Token[] => {
    if (word.length > 300 || word.includes("://")) return [];
    const bare = word.replace(/(?::\d{1,7}){1,2}[:.]?$/, "").replace(/[:.!?]{1,3}$/, "");
    const path = withoutSuffix(bare);
    if (!NAME.test(path) || !/\p{L}/u.test(path)) return [];
    const hasExtension = EXTENSION.test(path) && !/^(?:e\.g|i\.e)$/i.test(path);
    const hasFolder = FOLDER.test(path);
    if (hasExtension || (hasFolder && !isPairOfWords(path))) return [{ text: path, isMarked: false, isPath: true }];
    const text = bare.replace(/\/$/, "");
    return [{ text, isMarked: text !== bare || alone.has(word), isPath: false }];
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
