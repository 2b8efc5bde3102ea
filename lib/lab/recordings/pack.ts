import { toText } from "@std/streams";
import { UsageError } from "../../base/errors.ts";
import { parseJson, type Recording, toSidecar } from "./recording.ts";

export const PACK_SUFFIX = ".ndjson.gz";

export function writePack(recordings: readonly Recording[]): Promise<Uint8Array> {
  const lines = recordings.toSorted((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
    .map(({ name, ansi, ...sidecar }) => `${JSON.stringify({ name, ...sidecar, ansi })}\n`);
  return new Response(new Blob(lines).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

export async function readPack(pack: Uint8Array, where: string): Promise<Recording[]> {
  let text: string;
  try {
    text = await toText(
      new Blob([pack as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip")),
    );
  } catch (error) {
    throw new UsageError(`Cannot read ${where}: it is not a gzip file`, { cause: error });
  }
  return text.split("\n").flatMap((line, index) => {
    if (line === "") return [];
    const place = `${where}, line ${index + 1}`;
    const value = parseJson(line, place) as Partial<Recording> | null;
    const sidecar = toSidecar(value, place);
    if (typeof value?.name !== "string" || typeof value.ansi !== "string") {
      throw new UsageError(`Cannot read ${place}: "name" and "ansi" must be strings`);
    }
    return [{ name: value.name, ...sidecar, ansi: value.ansi }];
  });
}
