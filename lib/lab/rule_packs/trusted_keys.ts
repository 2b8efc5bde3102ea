import { UsageError } from "../../base/errors.ts";
import { mapOf, object, oneOf, text } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { type PublicKey, publicKeyOf } from "./keys.ts";
import { readOwnJson, replaceOwnFile } from "./store.ts";

export interface TrustedKey extends PublicKey {
  readonly name: string;
  readonly trustedAt?: string;
}

/**
 * The keys that are built in: those with which a release's makers sign packs. There are none yet. Whoever builds
 * releases adds the public half of a key here, as `rules trust` shows it, and keeps the secret half away from the
 * repository and from what builds it.
 */
const RELEASE_KEYS: readonly TrustedKey[] = [];

const isStore = object({ version: oneOf(1), keys: mapOf(object({ spki: text, name: text, trustedAt: text })) });

export async function readTrustedKeys(folder: string): Promise<ReadonlyMap<string, TrustedKey>> {
  const path = keysPath(folder);
  const keys = new Map(RELEASE_KEYS.map((key) => [key.id, key]));
  try {
    const value = readOwnJson(path);
    if (value === undefined) return keys;
    if (!isStore(value)) throw new Error("it is damaged");
    for (const [id, { spki, name, trustedAt }] of Object.entries(value.keys)) {
      const key = await publicKeyOf(spki);
      if (key.id !== id) throw new Error("it is damaged");
      keys.set(id, { ...key, name, trustedAt });
    }
    return keys;
  } catch (cause) {
    throw new UsageError(`Cannot read ${path}, which says whose rules you trust: ${errorText(cause)}`, {
      cause,
      hint: "Remove it, then trust the keys again with: panewright rules trust KEYFILE",
    });
  }
}

export async function writeTrustedKeys(folder: string, keys: Iterable<TrustedKey>): Promise<void> {
  const own = [...keys].flatMap(({ id, spki, name, trustedAt }) =>
    trustedAt === undefined ? [] : [[id, { spki, name, trustedAt }]]
  );
  const value = { version: 1, keys: Object.fromEntries(own) };
  await replaceOwnFile(keysPath(folder), `${JSON.stringify(value, undefined, 2)}\n`);
}

function keysPath(folder: string): string {
  return `${folder}/keys.json`;
}
