import { readRegularFile } from "../base/ports/regular_file.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { decodeUtf8 } from "../base/text/utf8.ts";

const MAX_INPUT_BYTES = 1024 * 1024;

export interface InputFile {
  readonly sha256: string;
  readonly text: string;
}

export interface InputFiles {
  readonly known: ReadonlyMap<string, InputFile>;
  read(path: string): Promise<string>;
}

export function inputFiles(): InputFiles {
  const known = new Map<string, InputFile>();
  return {
    known,
    async read(path) {
      const bytes = readRegularFile(path, { maxBytes: MAX_INPUT_BYTES });
      const text = decodeUtf8(bytes);
      known.set(path, { sha256: await sha256Hex(bytes), text });
      return text;
    },
  };
}
