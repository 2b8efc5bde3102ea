import { dirname } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { faultOfEnvironment, killSelf } from "../../base/ports/fault.ts";
import { replaceFile, type ReplaceFileOptions } from "../../base/ports/own_files.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder, stateFolder } from "../../base/ports/state_folder.ts";
import { tryLockFile } from "../../base/ports/lock_file.ts";
import { flag, listOf, mapOf, object, oneOf, optional, text, type ValueOf } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";

export const MAX_PACK_BYTES = 8 * 1024 * 1024;

const isInstalled = object({
  sha256: (value): value is string => text(value) && /^[0-9a-f]{64}$/.test(value),
  version: text,
  key: text,
  installedAt: text,
  from: text,
  checkedBy: text,
  downgrade: optional(flag),
});

const isLeft = object({ sha256: text, version: text, leftAt: text });
const isIndex = object({ version: oneOf(1), packs: mapOf(listOf(isInstalled)), left: mapOf(listOf(isLeft)) });

export type InstalledPack = ValueOf<typeof isInstalled>;
export type LeftPack = ValueOf<typeof isLeft>;
export type RulesIndex = Omit<ValueOf<typeof isIndex>, "version">;

export const NO_PACKS: RulesIndex = { packs: {}, left: {} };

/** An index of a hundred packs has 50 KiB. */
const MAX_INDEX_BYTES = 1024 * 1024;

const KEEP_HINT = "Go back to the built-in rules with: panewright rules rollback --to-built-in";

export function rulesFolder(env: (name: string) => string | undefined): string | undefined {
  const folder = stateFolder(env);
  return folder === undefined ? undefined : `${folder}/rules`;
}

export function readIndex(folder: string): RulesIndex {
  const path = indexPath(folder);
  try {
    const value = readOwnJson(path);
    if (value === undefined) return NO_PACKS;
    if (!isIndex(value)) throw new SyntaxError("it is damaged");
    return { packs: value.packs, left: value.left };
  } catch (cause) {
    // A program that Deno was told to keep out of the state folder has none. One that may read it, and may not ask who
    // owns what is there, must not take the built-in rules instead.
    if (cause instanceof Deno.errors.NotCapable && !mayRead(path)) return NO_PACKS;
    const reason = cause instanceof SyntaxError ? "it is damaged" : errorText(cause);
    throw new UsageError(`Cannot read ${path}, which says what rules you use: ${reason}`, { cause, hint: KEEP_HINT });
  }
}

function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

export async function writeIndex(folder: string, index: RulesIndex): Promise<void> {
  const fault = faultOfEnvironment("rules");
  if (fault?.when === "before") killSelf();
  await replaceOwnFile(indexPath(folder), `${JSON.stringify({ version: 1, ...index }, undefined, 2)}\n`, {
    beforeRename: () => {
      if (fault?.when === "in") killSelf();
    },
  });
  if (fault?.when === "after") killSelf();
  await removeLeftovers(folder, index);
}

async function removeLeftovers(folder: string, { packs }: RulesIndex): Promise<void> {
  const named = new Set(Object.values(packs).flat().map(({ sha256 }) => sha256));
  for await (const { name } of Deno.readDir(packsFolder(folder))) {
    if (!/^[0-9a-f]{64}\.(?:json|ndjson)$/.test(name) || !named.has(name.slice(0, 64))) {
      await Deno.remove(`${packsFolder(folder)}/${name}`);
    }
  }
  for await (const { name } of Deno.readDir(folder)) {
    if (/^(?:installed|keys)\.json\./.test(name)) await Deno.remove(`${folder}/${name}`);
  }
}

interface PackFileName {
  readonly sha256: string;
  readonly file: "json" | "ndjson";
}

export async function writePackFile(folder: string, text: string, name: PackFileName): Promise<void> {
  await replaceOwnFile(packPath(folder, name), text);
}

export function readPackFile(folder: string, name: PackFileName): Uint8Array<ArrayBuffer> {
  const path = packPath(folder, name);
  assertOwn(packsFolder(folder));
  assertOwn(path);
  return readRegularFile(path, { maxBytes: MAX_PACK_BYTES });
}

export async function lockRules(folder: string): Promise<Disposable> {
  try {
    makeOwnFolder(dirname(folder));
    makeOwnFolder(folder);
    makeOwnFolder(packsFolder(folder));
    const lock = await tryLockFile(`${folder}/lock`, `process ${Deno.pid}`);
    if (lock !== undefined) return lock;
  } catch (cause) {
    throw new UsageError(`Cannot change ${folder}, which holds the rules you use: ${errorText(cause)}`, { cause });
  }
  throw new UsageError(`Cannot change ${folder}: another process changes your rules`, { hint: "Try again." });
}

export function readOwnJson(path: string): unknown {
  try {
    assertOwn(dirname(path));
    assertOwn(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return JSON.parse(new TextDecoder().decode(readRegularFile(path, { maxBytes: MAX_INDEX_BYTES })));
}

export async function replaceOwnFile(
  path: string,
  text: string,
  options: Pick<ReplaceFileOptions, "beforeRename"> = {},
): Promise<void> {
  try {
    await replaceFile(path, text, { durable: true, ...options });
  } catch (cause) {
    throw new UsageError(`Cannot write ${path}: ${errorText(cause)}`, { cause });
  }
}

function indexPath(folder: string): string {
  return `${folder}/installed.json`;
}

function packsFolder(folder: string): string {
  return `${folder}/packs`;
}

function packPath(folder: string, { sha256, file }: PackFileName): string {
  return `${packsFolder(folder)}/${sha256}.${file}`;
}
