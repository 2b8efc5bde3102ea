import { openRegularFile, type RegularFile } from "../ports/regular_file.ts";
import { LineSplitter } from "./line_splitter.ts";

export interface TailRead {
  /** The lines completed since the last read, without line ends. */
  readonly lines: readonly string[];
  /**
   * Set when `lines` do not continue where the last ones ended: the file was replaced, or truncated and written anew.
   * The remaining lines of the old file come in a read of their own, before this one.
   */
  readonly restarted?: "replaced" | "truncated";
}

/** Bytes before the current position; they are compared to notice a file that was written anew. */
const ANCHOR_BYTES = 64;

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the lines of a file as another program writes them. It reads bytes and decodes whole lines only:
 * a write may end anywhere, even inside a character. A last line without a line end waits for its rest.
 *
 * The file need not exist yet, and may be removed, replaced or truncated at any time.
 */
export class LineTail implements Disposable {
  #file: RegularFile | undefined;
  #identity = "";
  #offset = 0;
  #anchor: Uint8Array = new Uint8Array();
  readonly #splitter = new LineSplitter();
  #disposed = false;

  constructor(readonly path: string) {}

  /**
   * Reads what is new. One call at a time; after disposal it finds nothing.
   *
   * @throws when the file exists but cannot be read
   */
  async read(): Promise<TailRead> {
    const now = await statOrNothing(this.path);
    if (this.#file !== undefined && (now === undefined || identityOf(now) !== this.#identity)) {
      // Unlinked or replaced: what was written before can still be read through the open file.
      const lines = this.#readOn();
      if (lines.length > 0) return { lines };
      this.#close();
      if (now === undefined) return { lines: [] };
      return { ...this.#openAndRead(), restarted: "replaced" };
    }
    if (now === undefined) return { lines: [] };
    if (this.#file === undefined) return this.#openAndRead();
    if (now.size === this.#offset) return { lines: [] };
    if (now.size < this.#offset || !this.#isSameContent()) {
      this.#close();
      return { ...this.#openAndRead(), restarted: "truncated" };
    }
    return { lines: this.#readOn() };
  }

  /** The unfinished last line, for a writer that ended in the middle of it. */
  unfinishedLine(): string {
    return this.#splitter.unfinished();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#close();
  }

  #openAndRead(): TailRead {
    if (this.#disposed) return { lines: [] };
    let file: RegularFile;
    try {
      file = openRegularFile(this.path, { access: "read", followLinks: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return { lines: [] };
      throw error;
    }
    this.#file = file;
    this.#identity = identityOf(file.stat());
    return { lines: this.#readOn() };
  }

  #readOn(): string[] {
    const lines: string[] = [];
    const file = this.#file!;
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = file.readAt(this.#offset, chunk);
      if (count === 0) break;
      const bytes = chunk.subarray(0, count);
      this.#offset += count;
      this.#anchor = lastBytes(this.#anchor, bytes);
      for (const line of this.#splitter.push(bytes)) lines.push(line);
    }
    return lines;
  }

  /** Whether the bytes before the current position are unchanged. */
  #isSameContent(): boolean {
    const file = this.#file!;
    const found = new Uint8Array(this.#anchor.length);
    if (file.readAt(this.#offset - found.length, found) < found.length) return false;
    return found.every((byte, index) => byte === this.#anchor[index]);
  }

  #close(): void {
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
    this.#offset = 0;
    this.#anchor = new Uint8Array();
    this.#splitter.reset();
  }
}

function lastBytes(before: Uint8Array, after: Uint8Array): Uint8Array {
  if (after.length >= ANCHOR_BYTES) return after.slice(-ANCHOR_BYTES);
  const both = new Uint8Array([...before, ...after]);
  return both.slice(-ANCHOR_BYTES);
}

function identityOf(info: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${info.dev} ${info.ino}`;
}

async function statOrNothing(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    // A parent folder that has become a file counts as removed.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
