/**
 * The HMAC-SHA256 of a text, as the bytes of both are in UTF-8.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals((await hmacSha256("key", "text")).toHex().slice(0, 8), "6afa9046");
 * ```
 */
export async function hmacSha256(key: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await imported(key), encode(text)));
}

/** Whether bytes are the HMAC-SHA256 of a text; how long the answer takes says nothing of where they differ. */
export async function isHmacSha256(
  mac: Uint8Array<ArrayBuffer>,
  { key, text }: { readonly key: string; readonly text: string },
): Promise<boolean> {
  return await crypto.subtle.verify("HMAC", await imported(key), mac, encode(text));
}

function imported(key: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", encode(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
