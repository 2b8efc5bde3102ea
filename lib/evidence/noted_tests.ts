import { UnreadableFileError } from "../base/ports/regular_file.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { mapOf, object } from "../base/schema.ts";
import { parseJsonObject } from "../base/text/json.ts";
import { type ChangedTestFile, factsOf, TEST_FACTS, type TestFacts } from "./remarks.ts";
import { testPartOf } from "./test_files.ts";

// Where agents work in the checkout itself, no commit says what was there before: what is known of its tests is noted.

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_NOTE_BYTES = 64 * 1024 * 1024;
/** Of more files that decide about tests nothing is noted. */
const MOST_NOTED = 20_000;

const NOTE = object({ files: mapOf(TEST_FACTS) });

/** What is known of the files that decide about tests, by their paths. */
type Noted = Readonly<Record<string, TestFacts>>;

/** Notes what is known of the tests in a folder, unless that was done. */
export async function noteTests(
  file: string,
  { paths, workdir }: { readonly workdir: string; readonly paths: readonly string[] },
): Promise<void> {
  if (lstatOrUndefined(file) !== undefined) return;
  await replaceFile(file, JSON.stringify({ files: await testsIn(paths, workdir) }));
}

/** What was changed of the tests since they were noted; `undefined` where nothing was noted. */
export async function changedSinceNoted(
  file: string,
  { paths, workdir }: { readonly workdir: string; readonly paths: readonly string[] },
): Promise<readonly ChangedTestFile[] | undefined> {
  if (lstatOrUndefined(file) === undefined) return undefined;
  const note = parseJsonObject(readRegularText(file, { maxBytes: MAX_NOTE_BYTES }));
  if (!NOTE(note)) return undefined;
  const { files: before } = note;
  const after = await testsIn(paths, workdir);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .filter((path) => before[path]?.hash !== after[path]?.hash)
    .map((path) => ({ path, before: before[path], after: after[path] }));
}

async function testsIn(paths: readonly string[], workdir: string): Promise<Noted> {
  const files: Record<string, TestFacts> = {};
  for (const path of paths.filter((one) => testPartOf(one) !== undefined).slice(0, MOST_NOTED)) {
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
    if (error instanceof UnreadableFileError || error instanceof Deno.errors.NotFound || error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}
