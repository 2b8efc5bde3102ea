import { joinBytes } from "./bytes.ts";

export interface Tail {
  push(bytes: Uint8Array): void;
  /** What was kept, cut between characters. */
  text(): string;
  truncated(): boolean;
}

/** Keeps the last bytes that it is given. */
export function keepTail(limitBytes: number): Tail {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let dropped = false;
  return {
    push(bytes) {
      // A copy: a program's output comes in buffers of 64 KiB, however short each piece is.
      const piece = bytes.slice();
      chunks.push(piece);
      size += piece.length;
      while (chunks.length > 1 && size - chunks[0]!.length >= limitBytes) {
        size -= chunks.shift()!.length;
        dropped = true;
      }
    },
    text() {
      const bytes = joinBytes(chunks);
      let start = Math.max(0, bytes.length - limitBytes);
      if (start > 0) { while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++; }
      return new TextDecoder().decode(bytes.subarray(start));
    },
    truncated: () => dropped || size > limitBytes,
  };
}
