import { walk } from "@std/fs";
import { UsageError } from "../../errors.ts";
import { PACK_SUFFIX, readPack } from "./pack.ts";
import { parseJson, type Recording, toSidecar } from "./recording.ts";

/** A recording, and where it was found. */
export interface CorpusEntry {
  /** Path of the capture, or of the pack followed by `#` and the recording's name. */
  readonly file: string;
  readonly recording: Recording;
}

const CAPTURE = /\.(?:ansi|txt)$/;

async function readSidecarText(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Reads a capture, and its sidecar where there is one: `NAME.json` beside `NAME.ansi` or `NAME.txt`.
 *
 * @throws {PanewrightError} when the sidecar is malformed
 */
export async function readCapture(path: string): Promise<Recording> {
  const ansi = await Deno.readTextFile(path);
  const name = (path.split("/").at(-1) ?? path).replace(CAPTURE, "");
  if (!CAPTURE.test(path)) return { name, ansi };
  const sidecarPath = path.replace(CAPTURE, ".json");
  const text = await readSidecarText(sidecarPath);
  return { name, ...(text === undefined ? {} : toSidecar(parseJson(text, sidecarPath), sidecarPath)), ansi };
}

/** Options of {@linkcode readCorpusPath}. */
export interface ReadOptions {
  /** Whether captures count that have no sidecar. @default {false} */
  readonly captures?: boolean;
}

/**
 * The recordings of a capture, a pack, or everything below a folder.
 *
 * @throws {UsageError} when there is no such file
 * @throws {PanewrightError} when a pack or sidecar is malformed
 */
export async function* readCorpusPath(path: string, options: ReadOptions = {}): AsyncGenerator<CorpusEntry> {
  const isDirectory = await Deno.stat(path).then((info) => info.isDirectory, (error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`Cannot read ${path}: there is no such file or folder`);
  });
  if (isDirectory) yield* readCorpus(path, options);
  else if (path.endsWith(PACK_SUFFIX)) yield* readPackEntries(path);
  else yield { file: path, recording: await readCapture(path) };
}

async function* readPackEntries(path: string): AsyncGenerator<CorpusEntry> {
  for (const recording of await readPack(await Deno.readFile(path), path)) {
    yield { file: `${path}#${recording.name}`, recording };
  }
}

/**
 * Every recording below a folder, in the order of their paths: packs (`*.ndjson.gz`), and captures (`*.ansi`, `*.txt`)
 * that have a sidecar unless `captures` is set. Symbolic links are not followed.
 *
 * @throws {PanewrightError} when a pack or sidecar is malformed
 */
export async function* readCorpus(folder: string, options: ReadOptions = {}): AsyncGenerator<CorpusEntry> {
  const paths: string[] = [];
  for await (const entry of walk(folder, { includeDirs: false, includeSymlinks: false })) paths.push(entry.path);
  const known = new Set(paths);
  for (const path of paths.toSorted()) {
    if (path.endsWith(PACK_SUFFIX)) {
      yield* readPackEntries(path);
    } else if (CAPTURE.test(path) && (options.captures || known.has(path.replace(CAPTURE, ".json")))) {
      yield { file: path, recording: await readCapture(path) };
    }
  }
}
