/** Bytes that are not UTF-8 text; the message says where they cease to be, and can follow a file's name. */
class NotUtf8Error extends TypeError {
  override name = "NotUtf8Error";
}

/**
 * The text of bytes, without a byte order mark.
 *
 * @throws {NotUtf8Error} when they are not UTF-8
 * @example
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * assertEquals(decodeUtf8(new TextEncoder().encode("größer")), "größer");
 * const latin1 = Uint8Array.from([0x61, 0x0a, 0x62, 0xe9, 0x0a]);
 * assertThrows(() => decodeUtf8(latin1), TypeError, "it is not UTF-8 text: byte 0xE9 in line 2, column 2");
 * ```
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NotUtf8Error(`it is not UTF-8 text: ${firstFlaw(bytes)}`);
  }
}

function firstFlaw(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return "it is UTF-16; save it as UTF-8";
  const { before, byte } = intactPart(bytes);
  const lines = before.split("\n");
  const hex = byte.toString(16).toUpperCase().padStart(2, "0");
  return `byte 0x${hex} in line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** What stands before the first byte that is not UTF-8, and that byte. */
function intactPart(bytes: Uint8Array): { readonly before: string; readonly byte: number } {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const encoder = new TextEncoder();
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, from)) {
    offset += encoder.encode(text.slice(from, at)).length;
    // A file may have that character itself.
    const isReal = REPLACEMENT_BYTES.every((byte, index) => bytes[offset + index] === byte);
    if (!isReal) return { before: text.slice(0, at), byte: bytes[offset] ?? 0 };
    offset += REPLACEMENT_BYTES.length;
    from = at + 1;
  }
  throw new TypeError("These bytes are UTF-8");
}

/** What a decoder writes for bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd] as const;
