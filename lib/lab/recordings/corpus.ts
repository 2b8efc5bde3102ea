import { walk } from "@std/fs";
import { readBounded } from "../../base/ports/bounded.ts";
import { UsageError } from "../../base/errors.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { errorText } from "../../base/text/error_text.ts";
import { PACK_SUFFIX, readPack } from "./pack.ts";
import { parseJson, type Recording, toSidecar } from "./recording.ts";
import { present } from "../../base/schema.ts";

export interface CorpusEntry {
  readonly file: string;
  readonly recording: Recording;
}

const CAPTURE = /\.(?:ansi|txt)$/;

export async function readCapture(path: string, { signal }: Pick<ReadOptions, "signal"> = {}): Promise<Recording> {
  const ansi = new TextDecoder().decode(await readNamed(path, signal));
  const name = (path.split("/").at(-1) ?? path).replace(CAPTURE, "");
  if (!CAPTURE.test(path)) return { name, ansi };
  const sidecarPath = path.replace(CAPTURE, ".json");
  const text = readSidecar(sidecarPath);
  return text === undefined ? { name, ansi } : { name, ...toSidecar(parseJson(text, sidecarPath), sidecarPath), ansi };
}

const MAX_BYTES = 64 * 1024 ** 2;

/** Nobody has named it, so that it is a regular file or none. */
function readSidecar(path: string): string | undefined {
  try {
    return readRegularText(path, { maxBytes: MAX_BYTES });
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new UsageError(`Cannot read ${path}: ${errorText(cause)}`, { cause });
  }
}

async function readNamed(path: string, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await readBounded(path, { maxBytes: MAX_BYTES, ...present({ signal }) });
  } catch (cause) {
    if (cause instanceof UsageError || signal?.aborted === true) throw cause;
    throw new UsageError(`Cannot read ${path}: ${errorText(cause)}`, { cause });
  }
}

interface ReadOptions {
  readonly captures?: boolean;
  /** A file may be a pipe that nobody writes to. */
  readonly signal?: AbortSignal;
}

export async function* readCorpus(path: string, options: ReadOptions = {}): AsyncGenerator<CorpusEntry> {
  const files = await filesAt(path);
  const known = new Set(files);
  for (const file of files) {
    if (file.endsWith(PACK_SUFFIX)) {
      for (const recording of await readPack(await readNamed(file, options.signal), file)) {
        yield { file: `${file}#${recording.name}`, recording };
      }
    } else if (
      file === path || CAPTURE.test(file) && (options.captures || known.has(file.replace(CAPTURE, ".json")))
    ) {
      yield { file, recording: await readCapture(file, options) };
    }
  }
}

export async function filesAt(path: string): Promise<readonly string[]> {
  const info = await Deno.stat(path).catch((error) => {
    const problem = error instanceof Deno.errors.NotFound ? "there is no such file or folder" : errorText(error);
    throw new UsageError(`Cannot read ${path}: ${problem}`, { cause: error });
  });
  if (!info.isDirectory) return [path];
  const paths: string[] = [];
  for await (const entry of walk(path, { includeDirs: false, includeSymlinks: false })) {
    if (entry.isFile) paths.push(entry.path);
  }
  return paths.sort();
}
