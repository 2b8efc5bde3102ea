import { lstatOrUndefined } from "../../base/ports/files.ts";
import type { Role } from "../../base/roles.ts";
import { ownLines } from "../../base/text/markdown.ts";
import { type ExistingNames, possibleNamesIn } from "../../base/text/paths_in.ts";

const MAX_WORDS = 1000;
const MAX_WORD_LENGTH = 255;

const OTHERS: ReadonlySet<string> = new Set([".git", ".panewright", ".tmp"]);

/**
 * Looks up which words of a review, written like no path, name something in the working directory: `Makefile`, or a
 * folder in backticks. Only these words are looked for, and no link is followed.
 */
export function lookUpNames(
  workdir: string,
  { role, text }: { readonly role: Role; readonly text: string },
): { readonly names?: ExistingNames } {
  if (!role.endsWith("_review")) return {};
  const words = new Set(ownLines(text).flatMap(possibleNamesIn).map((word) => word.text).filter(isPossible));
  const files: string[] = [];
  const folders: string[] = [];
  for (const word of [...words].slice(0, MAX_WORDS)) {
    const info = lookUp(workdir, word);
    if (info !== undefined) (info.isFile ? files : folders).push(word);
  }
  return files.length + folders.length === 0 ? {} : { names: { files, folders } };
}

function isPossible(word: string): boolean {
  return word.length <= MAX_WORD_LENGTH && !OTHERS.has(word.split("/")[0] ?? "");
}

function lookUp(workdir: string, word: string): Deno.FileInfo | undefined {
  return lookUpAs(workdir, word) ?? lookUpAs(workdir, word.normalize("NFD"));
}

function lookUpAs(workdir: string, word: string): Deno.FileInfo | undefined {
  const [first = "", ...rest] = word.split("/");
  const info = tryLstat(`${workdir}/${first}`);
  if (rest.length === 0) return info;
  // Below a link may be anything.
  return info?.isDirectory ? tryLstat(`${workdir}/${word}`) : undefined;
}

function tryLstat(path: string): Deno.FileInfo | undefined {
  try {
    return lstatOrUndefined(path);
  } catch {
    // What cannot be looked at is no evidence.
    return undefined;
  }
}
