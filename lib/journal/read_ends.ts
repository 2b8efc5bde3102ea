import { openRegularFile, type RegularFile } from "../base/ports/regular_file.ts";

const END_BYTES = 16 * 1024;

/**
 * The first two records of a long journal and its last one, as text: all that a list needs of a run that is over.
 *
 * @returns `undefined` where only the whole journal tells: it is short, or the records are long
 */
export function readEnds(path: string): string | undefined {
  using file = openRegularFile(path, { access: "read" });
  const { size } = file.stat();
  if (size < 2 * END_BYTES) return undefined;
  const head = readAt(file, 0);
  const tail = readAt(file, size - END_BYTES);
  const opened = head.indexOf("\n") + 1;
  const started = head.indexOf("\n", opened) + 1;
  const lastAt = tail.lastIndexOf("\n", tail.length - 2) + 1;
  if (opened === 0 || started === 0 || lastAt === 0 || !tail.endsWith("\n")) return undefined;
  return head.slice(0, started) + tail.slice(lastAt);
}

function readAt(file: RegularFile, offset: number): string {
  const bytes = new Uint8Array(END_BYTES);
  return new TextDecoder().decode(bytes.subarray(0, file.readAt(offset, bytes)));
}
