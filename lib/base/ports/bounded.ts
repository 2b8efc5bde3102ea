import { UsageError } from "../errors.ts";
import { abortable } from "./abortable.ts";
import { joinBytes } from "./bytes.ts";

export interface BoundedOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * Reads all of a file or a pipe that a person has named. A device may never end.
 *
 * @throws {UsageError} when there is more than `maxBytes`
 * @throws the signal's reason, or what the system says
 */
export async function readBounded(
  path: string,
  { maxBytes, signal }: BoundedOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return await abortable(async () => {
    const file = await Deno.open(path);
    return await joinBounded(file.readable, { maxBytes, what: path });
  }, signal);
}

/**
 * All bytes of a stream.
 *
 * @throws {UsageError} when there are more than `maxBytes`; `what` names the stream
 */
export async function joinBounded(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, what }: { readonly maxBytes: number; readonly what: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw new UsageError(`Cannot read ${what}: it is larger than ${maxBytes / 1024 ** 2} MiB`);
    pieces.push(piece);
  }
  return joinBytes(pieces);
}
