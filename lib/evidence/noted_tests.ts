import { replaceFile } from "../base/ports/own_files.ts";
import { readRegularText, UnreadableFileError } from "../base/ports/regular_file.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { mapOf, object } from "../base/schema.ts";
import { parseJsonObject } from "../base/text/json.ts";
import { type ChangedTestFile, factsOf, TEST_FACTS, type TestFacts } from "./remarks.ts";
import type { PartOf } from "./test_files.ts";

// Where agents work in the checkout itself, no commit says what was there before: what is known of its tests is noted.

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_NOTE_BYTES = 64 * 1024 * 1024;
/** Of more files that decide about tests nothing is noted. */
const MOST_NOTED = 20_000;

const NOTE = object({ files: mapOf(TEST_FACTS) });

/** A folder, and the paths in it that are looked at. */
type NotedFolder = { readonly workdir: string; readonly paths: readonly string[]; readonly partOf: PartOf };

/** Notes what is known of the tests in a folder, unless that was done. */
export async function noteTests(file: string, folder: NotedFolder): Promise<void> {
  if (isNoted(file)) return;
  await replaceFile(file, JSON.stringify({ files: await testsIn(folder) }));
}

export function isNoted(file: string): boolean {
  return lstatOrUndefined(file) !== undefined;
}

/** What was changed of the tests since they were noted; `undefined` where the note cannot be read. */
export async function changedSinceNoted(
  file: string,
  folder: NotedFolder,
): Promise<readonly ChangedTestFile[] | undefined> {
  const note = parseJsonObject(readRegularText(file, { maxBytes: MAX_NOTE_BYTES }));
  if (!NOTE(note)) return undefined;
  const { files: before } = note;
  const after = await testsIn(folder);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .filter((path) => before[path]?.hash !== after[path]?.hash)
    .flatMap((path) => {
      const part = folder.partOf(path);
      return part === undefined ? [] : [{ path, part, before: before[path], after: after[path] }];
    });
}

async function testsIn({ partOf, paths, workdir }: NotedFolder): Promise<Readonly<Record<string, TestFacts>>> {
  const files: Record<string, TestFacts> = {};
  for (const path of paths.filter((one) => partOf(one) !== undefined).slice(0, MOST_NOTED)) {
    const text = readOrUndefined(`${workdir}/${path}`);
    if (text !== undefined) files[path] = await factsOf(path, text);
  }
  return files;
}

/** A link, a FIFO or what is no text says nothing. */
function readOrUndefined(path: string): string | undefined {
  try {
    return readRegularText(path, { maxBytes: MAX_FILE_BYTES });
  } catch (error) {
    const isNoText = [UnreadableFileError, Deno.errors.NotFound, TypeError].some((kind) => error instanceof kind);
    if (isNoText) return undefined;
    throw error;
  }
}
