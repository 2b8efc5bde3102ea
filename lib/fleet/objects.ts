import { RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { sha256Hex } from "../base/text/digest.ts";
import type { Fleet } from "./connect.ts";

/**
 * Keeps bytes under their SHA-256. What is there already is not sent again.
 *
 * @returns that hash, hexadecimal
 */
export async function putObject({ objects }: Pick<Fleet, "objects">, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await sha256Hex(bytes);
  const known = await objects.info(hash);
  if (known === null || known.deleted) await objects.putBlob({ name: hash }, bytes);
  return hash;
}

/** @throws {RuntimeError} when it is not there, or is not what its name says: whoever may put objects could change one */
export async function getObject(
  { objects }: Pick<Fleet, "objects">,
  hash: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const problem = (what: string) => new RuntimeError(`Cannot take object ${hash.slice(0, 12)} from the fleet: ${what}`);
  let bytes: Uint8Array | null;
  try {
    bytes = await objects.getBlob(hash);
  } catch (cause) {
    throw problem(errorText(cause));
  }
  if (bytes === null) throw problem("it is not there");
  const own = new Uint8Array(bytes);
  if (await sha256Hex(own) !== hash) throw problem("its bytes are not those that its hash names");
  return own;
}

/** Files by the hashes of what they have. */
export async function* contentsOf(
  fleet: Pick<Fleet, "objects">,
  files: Readonly<Record<string, string>>,
): AsyncGenerator<readonly [string, Uint8Array<ArrayBuffer>]> {
  for (const [path, hash] of Object.entries(files)) yield [path, await getObject(fleet, hash)];
}
