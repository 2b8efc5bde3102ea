import { joinBytes } from "../../base/ports/bytes.ts";

/** The id that git gives to the content of a file. */
export async function blobId(bytes: Uint8Array, digits: number): Promise<string> {
  const whole = joinBytes([new TextEncoder().encode(`blob ${bytes.length}\0`), bytes]);
  return new Uint8Array(await crypto.subtle.digest(digits === 64 ? "SHA-256" : "SHA-1", whole)).toHex();
}
