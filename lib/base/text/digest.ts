/**
 * The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal digits.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals((await sha256Hex("")).slice(0, 8), "e3b0c442");
 * ```
 */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
