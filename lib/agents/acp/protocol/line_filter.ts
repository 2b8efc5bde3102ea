import { joinBytes } from "../../../base/ports/bytes.ts";

export type FilteredLine =
  | {
    readonly type: "line";
    readonly text: string;
    /** Whether all of it was UTF-8; otherwise `text` has U+FFFD in the place of what was not. */
    readonly isUtf8: boolean;
  }
  /** A line over the limit, of which only the beginning was kept. */
  | { readonly type: "too_long"; readonly head: string; readonly bytes: number };

const HEAD_BYTES = 1024;

const LINE_END = 0x0a;

/**
 * Cuts bytes into lines, however they are split into chunks, and never keeps more than the limit: what comes of a line
 * after that is counted and dropped. Empty lines are passed over.
 */
export class LineFilter {
  /** The beginning of the line that has not ended; grows by doubling, so that small chunks cost no more than large. */
  #kept = new Uint8Array();
  #bytes = 0;
  readonly #maxBytes: number;

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): FilteredLine[] {
    const lines: FilteredLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      this.#add(chunk.subarray(start, end));
      lines.push(...this.end());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  end(): FilteredLine[] {
    const length = this.#bytes;
    const bytes = this.#kept.subarray(0, length);
    this.#kept = new Uint8Array();
    this.#bytes = 0;
    if (length > this.#maxBytes) return [{ type: "too_long", head: decode(bytes).text, bytes: length }];
    const line = decode(bytes);
    return line.text.trim() === "" ? [] : [{ type: "line", ...line }];
  }

  keptBytes(): number {
    return this.#kept.buffer.byteLength;
  }

  #add(bytes: Uint8Array): void {
    const before = this.#bytes;
    this.#bytes += bytes.length;
    if (before > this.#maxBytes || bytes.length === 0) return;
    if (this.#bytes > this.#maxBytes) {
      this.#kept = joinBytes([this.#kept.subarray(0, before), bytes]).slice(0, HEAD_BYTES);
      return;
    }
    if (this.#bytes > this.#kept.length) {
      const larger = new Uint8Array(Math.max(this.#bytes, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, before));
      this.#kept = larger;
    }
    this.#kept.set(bytes, before);
  }
}

function decode(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  const trimmed = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(trimmed), isUtf8: true };
  } catch {
    return { text: new TextDecoder().decode(trimmed), isUtf8: false };
  }
}
