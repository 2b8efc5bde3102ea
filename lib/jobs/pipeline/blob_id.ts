import { joinBytes } from "../../base/ports/bytes.ts";

/**
 * The id that git gives to the content of a file.
 *
 * @param digits of an id in the repository: 40, or 64 where it uses SHA-256
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(await blobId(new Uint8Array(), 40), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
 * ```
 */
export async function blobId(bytes: Uint8Array, digits: number): Promise<string> {
  const whole = joinBytes([new TextEncoder().encode(`blob ${bytes.length}\0`), bytes]);
  return new Uint8Array(await crypto.subtle.digest(digits === 64 ? "SHA-256" : "SHA-1", whole)).toHex();
}
