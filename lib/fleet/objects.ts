import { RuntimeError } from "../base/errors.ts";
import { sha256Hex } from "../base/text/digest.ts";
import type { Fleet } from "./connect.ts";
import { OBJECTS } from "./names.ts";
import { readSubject } from "./read_subject.ts";

/** Who names an object has put it there, or found it there, less than this ago: until then nobody removes it. */
export const SAFE_OBJECT_MS = 24 * 3600_000;

/**
 * Keeps bytes under their SHA-256. What is there already, and stays for long enough to be named, is not sent again.
 *
 * @returns that hash, hexadecimal
 */
export async function putObject(
  { objects }: Pick<Fleet, "objects">,
  bytes: Uint8Array<ArrayBuffer>,
  { now = new Date() }: { readonly now?: Date } = {},
): Promise<string> {
  const hash = await sha256Hex(bytes);
  const known = await objects.info(hash);
  const isSafe = known !== null && !known.deleted && now.getTime() - Date.parse(known.mtime) < SAFE_OBJECT_MS / 2;
  if (!isSafe) await objects.putBlob({ name: hash }, bytes);
  return hash;
}

/**
 * What is kept under a hash. Its parts are read as messages are: the client's own way to read an object waits for good when a
 * server is lost meanwhile.
 *
 * @throws {RuntimeError} when it is not there, or is not what its name says: whoever may put objects could change one
 */
export async function getObject(
  fleet: Pick<Fleet, "manager" | "objects">,
  hash: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const problem = (what: string) => new RuntimeError(`Cannot take object ${hash.slice(0, 12)} from the fleet: ${what}`);
  const info = await fleet.objects.info(hash);
  if (info === null || info.deleted) throw problem("it is not there");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const asked = { stream: `OBJ_${OBJECTS}`, subject: `$O.${OBJECTS}.C.${info.nuid}`, after: 0 };
  for await (const { data } of readSubject(fleet, asked)) parts.push(new Uint8Array(data));
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  if (await sha256Hex(bytes) !== hash) throw problem("its bytes are not those that its hash names");
  return bytes;
}

/** Files by the hashes of what they have. */
export async function* contentsOf(
  fleet: Pick<Fleet, "manager" | "objects">,
  files: Readonly<Record<string, string>>,
): AsyncGenerator<readonly [string, Uint8Array<ArrayBuffer>]> {
  for (const [path, hash] of Object.entries(files)) yield [path, await getObject(fleet, hash)];
}
