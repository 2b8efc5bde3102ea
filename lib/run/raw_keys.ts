import { replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { type Role, ROLES } from "../base/roles.ts";
import { isObject } from "../base/schema.ts";
import { compareText } from "../base/text/order.ts";

/** The ways in which keys come from outside. */
export const RAW_KEYS_WAYS = ["http"] as const;

/** The most that one request may type, in UTF-16 units. */
export const MAX_RAW_KEYS = 4096;

/** How long keys that were left may be pressed, in milliseconds: the screen that they were meant for is gone soon. */
export const RAW_KEYS_LIFE_MS = 5000;

/** Keys for a role's terminal, left for the process that executes the run. */
export interface LeftKeys {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  readonly by: typeof RAW_KEYS_WAYS[number];
  /** Who sends them, as the sender says. */
  readonly who?: string;
  /** Milliseconds since the epoch. */
  readonly leftAtMs: number;
}

const NAME = /^\d{15}-[0-9a-f]{8}$/;

/**
 * Leaves keys; they are pressed in the order in which they were left.
 *
 * @param folder as `keysFolderOf` has it
 * @throws {Deno.errors.NotFound} when no process takes any
 */
export async function leaveRawKeys(folder: string, keys: Omit<LeftKeys, "id">): Promise<LeftKeys> {
  const id = `${String(keys.leftAtMs).padStart(15, "0")}-${crypto.randomUUID().slice(0, 8)}`;
  await replaceFile(`${folder}/${id}.json`, JSON.stringify({ ...keys, id }));
  return { ...keys, id };
}

/**
 * Takes the keys that were left, in their order: they are gone then, so that none is pressed twice. What cannot be read
 * is taken away.
 */
export function takeRawKeys(folder: string): readonly LeftKeys[] {
  return namesIn(folder).flatMap((name) => {
    const path = `${folder}/${name}.json`;
    const keys = readKeys(path);
    return removed(path) && keys?.id === name ? [keys] : [];
  });
}

/**
 * Takes keys back that nobody has taken.
 *
 * @returns whether they were there
 */
export function takeBackRawKeys(folder: string, id: string): boolean {
  return NAME.test(id) && removed(`${folder}/${id}.json`);
}

function namesIn(folder: string): readonly string[] {
  try {
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5)).filter((name) =>
      NAME.test(name)
    ).toSorted(compareText);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readKeys(path: string): LeftKeys | undefined {
  try {
    const read: unknown = JSON.parse(readRegularText(path, { maxBytes: 8 * MAX_RAW_KEYS }));
    return isLeftKeys(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isLeftKeys(value: unknown): value is LeftKeys {
  return isObject(value) && ROLES.some((role) => role === value.role) && typeof value.id === "string" &&
    typeof value.text === "string" && value.text.length <= MAX_RAW_KEYS && typeof value.leftAtMs === "number" &&
    RAW_KEYS_WAYS.some((way) => way === value.by) && (value.who === undefined || typeof value.who === "string");
}

function removed(path: string): boolean {
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
