import { UsageError } from "../../base/errors.ts";
import { sha256Hex } from "../../base/text/digest.ts";

export interface PublicKey {
  readonly id: string;
  readonly spki: string;
}

export interface SigningKey extends PublicKey {
  readonly secret: CryptoKey;
}

export interface KeyFiles {
  readonly id: string;
  readonly secret: string;
  readonly public: string;
}

/** What precedes the 32 bytes of an Ed25519 public key in its DER form (RFC 8410). */
const SPKI_PREFIX = Uint8Array.fromHex("302a300506032b6570032100");

export async function generateKeys(): Promise<KeyFiles> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
  const der = async (format: "spki" | "pkcs8", key: CryptoKey) =>
    new Uint8Array(await crypto.subtle.exportKey(format, key));
  const spki = await der("spki", pair.publicKey);
  return {
    id: await idOf(spki),
    secret: toPem("PRIVATE KEY", await der("pkcs8", pair.privateKey)),
    public: toPem("PUBLIC KEY", spki),
  };
}

export async function parsePublicKey(pem: string, where: string): Promise<PublicKey> {
  try {
    return await publicKeyOf(fromPem("PUBLIC KEY", pem).toBase64());
  } catch (cause) {
    throw notKey(where, "public", cause);
  }
}

export async function parseSigningKey(pem: string, where: string): Promise<SigningKey> {
  try {
    const secret = await crypto.subtle.importKey("pkcs8", fromPem("PRIVATE KEY", pem), "Ed25519", true, ["sign"]);
    const { x = "" } = await crypto.subtle.exportKey("jwk", secret);
    const point = Uint8Array.fromBase64(x, { alphabet: "base64url" });
    return { ...await publicKeyOf(new Uint8Array([...SPKI_PREFIX, ...point]).toBase64()), secret };
  } catch (cause) {
    throw notKey(where, "secret", cause);
  }
}

export async function publicKeyOf(spki: string): Promise<PublicKey> {
  await importPublicKey(spki);
  return { id: await idOf(Uint8Array.fromBase64(spki)), spki };
}

export async function sign(bytes: Uint8Array<ArrayBuffer>, { secret }: SigningKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", secret, bytes));
}

export async function isSignedBy(
  bytes: Uint8Array<ArrayBuffer>,
  { signature, key }: { readonly signature: Uint8Array<ArrayBuffer>; readonly key: PublicKey },
): Promise<boolean> {
  return await crypto.subtle.verify("Ed25519", await importPublicKey(key.spki), signature, bytes);
}

function importPublicKey(spki: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("spki", Uint8Array.fromBase64(spki), "Ed25519", true, ["verify"]);
}

async function idOf(spki: Uint8Array<ArrayBuffer>): Promise<string> {
  return (await sha256Hex(spki)).slice(0, 32);
}

function toPem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${der.toBase64().replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
}

function fromPem(label: string, pem: string): Uint8Array<ArrayBuffer> {
  const [, body] = new RegExp(`^\\s*-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]{1,4096})-----END ${label}-----\\s*$`)
    .exec(pem) ?? [];
  if (body === undefined) throw new SyntaxError(`there is no "${label}" in it`);
  return Uint8Array.fromBase64(body);
}

function notKey(where: string, kind: "public" | "secret", cause: unknown): UsageError {
  return new UsageError(`Cannot use ${where} as a ${kind} key: it is not an Ed25519 key in a PEM file`, {
    cause,
    hint: "Make a pair of keys with: panewright rules key FILE",
  });
}
