import { joinBytes } from "../ports/bytes.ts";

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts bytes into lines, however they are split into chunks: a chunk may end anywhere, even inside a character. */
export class LineSplitter {
  #partial: Uint8Array[] = [];

  /**
   * The lines that this chunk completes, without line ends. Only the new bytes are searched, so that a line of
   * megabytes in small chunks takes time in proportion to its length.
   */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      lines.push(decode([...this.#partial, bytes.subarray(start, end)]));
      this.#partial = [];
      start = end + 1;
    }
    if (start < bytes.length) this.#partial.push(bytes.slice(start));
    return lines;
  }

  unfinished(): string {
    return decode(this.#partial);
  }

  reset(): void {
    this.#partial = [];
  }
}

function decode(pieces: readonly Uint8Array[]): string {
  const bytes = joinBytes(pieces);
  const { length } = bytes;
  const end = bytes[length - 1] === CARRIAGE_RETURN ? length - 1 : length;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
}
