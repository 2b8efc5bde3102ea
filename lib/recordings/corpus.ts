import { walk } from "@std/fs";
import { abortable } from "../ports/abortable.ts";
import { UsageError } from "../errors.ts";
import { PACK_SUFFIX, readPack } from "./pack.ts";
import { parseJson, type Recording, toSidecar } from "./recording.ts";

/** A recording, and where it was found. */
export interface CorpusEntry {
  /** Path of the capture, or of the pack followed by `#` and the recording's name. */
  readonly file: string;
  readonly recording: Recording;
}

const CAPTURE = /\.(?:ansi|txt)$/;

/**
 * Reads a capture, and its sidecar where there is one: `NAME.json` beside `NAME.ansi` or `NAME.txt`.
 *
 * @throws {UsageError} when the sidecar is malformed
 */
export async function readCapture(path: string, { signal }: Pick<ReadOptions, "signal"> = {}): Promise<Recording> {
  const ansi = await abortable(() => Deno.readTextFile(path), signal);
  const name = (path.split("/").at(-1) ?? path).replace(CAPTURE, "");
  if (!CAPTURE.test(path)) return { name, ansi };
  const sidecarPath = path.replace(CAPTURE, ".json");
  try {
    const text = await abortable(() => Deno.readTextFile(sidecarPath), signal);
    return { name, ...toSidecar(parseJson(text, sidecarPath), sidecarPath), ansi };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { name, ansi };
    throw error;
  }
}

/** Options of {@linkcode readCorpus}. */
export interface ReadOptions {
  /** Whether captures without a sidecar count as well. A capture that is named itself always does. @default {false} */
  readonly captures?: boolean;
  /** A file may be a pipe that nobody writes to. */
  readonly signal?: AbortSignal;
}

/**
 * The recordings of a capture, a pack, or everything below a folder in the order of their paths: packs (`*.ndjson.gz`),
 * and captures (`*.ansi`, `*.txt`) with their sidecars. Symbolic links are not followed.
 *
 * @throws {UsageError} when there is no such file, or a pack or sidecar is malformed
 */
export async function* readCorpus(path: string, options: ReadOptions = {}): AsyncGenerator<CorpusEntry> {
  const files = await filesAt(path);
  const known = new Set(files);
  for (const file of files) {
    if (file.endsWith(PACK_SUFFIX)) {
      for (const recording of await readPack(await abortable(() => Deno.readFile(file), options.signal), file)) {
        yield { file: `${file}#${recording.name}`, recording };
      }
    } else if (
      file === path || CAPTURE.test(file) && (options.captures || known.has(file.replace(CAPTURE, ".json")))
    ) {
      yield { file, recording: await readCapture(file, options) };
    }
  }
}

/**
 * A file, or the files below a folder, in the order of their paths. Symbolic links below it are not followed.
 *
 * @throws {UsageError} when there is no such file or folder
 */
export async function filesAt(path: string): Promise<readonly string[]> {
  const info = await Deno.stat(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`Cannot read ${path}: there is no such file or folder`);
  });
  if (!info.isDirectory) return [path];
  const paths: string[] = [];
  for await (const entry of walk(path, { includeDirs: false, includeSymlinks: false })) paths.push(entry.path);
  return paths.sort();
}
