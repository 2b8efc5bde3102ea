import { isObject } from "../base/schema.ts";
import { RIGHTS, type Rights } from "./names.ts";

// The server lets each user publish under their own subjects only. Yet whoever may read has it answer to a subject of their
// choice, as if it were an inbox, with what stands in a stream: so anybody's words could stand under anybody's name. What
// people and workers say is signed, therefore, with the subject that it is for.

/** What the fleet's admin has signed: whose key this is, and what they may do. */
interface Grant {
  readonly name: string;
  readonly rights: Rights;
  /** The public key, base64url. */
  readonly key: string;
}

/** What a user signs with. */
export interface Signer {
  /** The private key, PKCS #8, base64url. */
  readonly key: string;
  readonly grant: string;
}

/** What was sealed, and by whom. */
export interface Unsealed {
  readonly by: string;
  readonly rights: Rights;
  readonly text: string;
}

const ALGORITHM = "Ed25519";
const HEAD = "pw1";

const encoder = new TextEncoder();

/** A new pair of keys, base64url. */
export async function newKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  return {
    privateKey: encodeBase64Url(new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey))),
    publicKey: encodeBase64Url(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))),
  };
}

/** What an admin gives a user: it proves to everybody whose key that is. */
export async function grantOf(grant: Grant, { adminKey }: { readonly adminKey: string }): Promise<string> {
  const text = JSON.stringify(grant);
  const signature = await sign(text, await privateKeyOf(adminKey));
  return encodeBase64Url(encoder.encode(`${signature} ${text}`));
}

function encodeBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

async function privateKeyOf(text: string): Promise<CryptoKey> {
  return await crypto.subtle.importKey("pkcs8", decodeBase64Url(text), ALGORITHM, false, ["sign"]);
}

async function publicKeyOf(text: string): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", decodeBase64Url(text), ALGORITHM, false, ["verify"]);
}

async function sign(text: string, key: CryptoKey): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, encoder.encode(text))));
}

async function isSignedBy(key: CryptoKey, { text, signature }: { readonly text: string; readonly signature: string }) {
  return await crypto.subtle.verify(ALGORITHM, key, decodeBase64Url(signature), encoder.encode(text));
}

/** Signs what this user says, and tells whose words others are. */
export interface Seals {
  seal(text: string, subject: string): Promise<string>;
  /** @returns undefined for what nobody of this fleet has said under this subject */
  unseal(data: string, subject: string): Promise<Unsealed | undefined>;
}

/**
 * @param own who this user is
 * @param fleet the public key of the fleet's admin
 */
export async function openSeals(own: Signer, fleet: string): Promise<Seals> {
  const [ownKey, fleetKey] = [await privateKeyOf(own.key), await publicKeyOf(fleet)];
  const known = new Map<string, (Grant & { readonly verifies: CryptoKey }) | undefined>();
  const grantIn = async (text: string) => {
    if (!known.has(text)) known.set(text, await readGrant(text, fleetKey).catch(() => undefined));
    return known.get(text);
  };
  return {
    async seal(text, subject) {
      return `${HEAD} ${own.grant} ${await sign(`${subject}\n${text}`, ownKey)}\n${text}`;
    },
    async unseal(data, subject) {
      const at = data.indexOf("\n");
      const [head, grantText = "", signature = "", ...rest] = data.slice(0, Math.max(0, at)).split(" ");
      if (head !== HEAD || rest.length > 0) return undefined;
      const grant = await grantIn(grantText);
      const text = data.slice(at + 1);
      try {
        if (grant === undefined || !await isSignedBy(grant.verifies, { text: `${subject}\n${text}`, signature })) {
          return undefined;
        }
      } catch {
        return undefined;
      }
      return { by: grant.name, rights: grant.rights, text };
    },
  };
}

async function readGrant(encoded: string, fleetKey: CryptoKey) {
  const [signature = "", ...words] = new TextDecoder().decode(decodeBase64Url(encoded)).split(" ");
  const text = words.join(" ");
  if (!await isSignedBy(fleetKey, { text, signature })) return undefined;
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { key, name, rights } = value;
  if (typeof key !== "string" || typeof name !== "string" || !RIGHTS.some((one) => one === rights)) return undefined;
  return { key, name, rights: rights as Rights, verifies: await publicKeyOf(key) };
}
