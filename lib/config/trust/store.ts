import { dirname } from "@std/path/posix";
import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder, stateFolder } from "../../base/ports/state_folder.ts";
import { errorText } from "../../base/text/error_text.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const trustedConfig = z.strictObject({
  trustedAt: z.string(),
  /**
   * The SHA-256 of the config file and of each file that it names, by their paths relative to the config file. Empty:
   * the file was missing. Null: the person is still to write it, and its first text counts.
   */
  files: z.record(z.string(), z.union([digest, z.literal(""), z.null()])),
  items: z.record(z.string(), digest),
});

/** By the config's path; what a folder has agents obey by the folder's, with a slash at its end. */
const store = z.strictObject({ version: z.literal(1), configs: z.record(z.string().startsWith("/"), trustedConfig) });

export type TrustedConfig = z.output<typeof trustedConfig>;

type TrustedConfigs = Readonly<Record<string, TrustedConfig>>;

const MAX_STORE_BYTES = 16 * 1024 * 1024;

type Environment = (name: string) => string | undefined;

/** Where a person's trust is kept: `trust.json` of the state folder; `undefined` where there is none. */
export function trustStorePath(env: Environment): string | undefined {
  return storeIn(env, "trust.json");
}

/** Where it is kept what was used by `--trust`: runs that began so may continue with it as it was. */
export function usedStorePath(env: Environment): string | undefined {
  return storeIn(env, "used.json");
}

/** All stores of the person that one belongs to. */
export function storesBeside(path: string): readonly string[] {
  return STORES.map((name) => `${dirname(path)}/${name}`);
}

const STORES = ["trust.json", "used.json"] as const;

function storeIn(env: Environment, name: typeof STORES[number]): string | undefined {
  const folder = stateFolder(env);
  return folder === undefined ? undefined : `${folder}/${name}`;
}

export function readEntry(path: string | undefined, key: string): TrustedConfig | undefined {
  const configs = path === undefined ? {} : readTrust(path);
  return Object.hasOwn(configs, key) ? configs[key] : undefined;
}

export function readTrust(path: string): TrustedConfigs {
  try {
    assertOwn(dirname(path));
    assertOwn(path);
    const bytes = readRegularFile(path, { maxBytes: MAX_STORE_BYTES });
    return store.parse(JSON.parse(new TextDecoder().decode(bytes))).configs;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return {};
    const reason = cause instanceof z.ZodError || cause instanceof SyntaxError ? "it is damaged" : errorText(cause);
    throw new UsageError(`Cannot read ${path}, which says what you trust: ${reason}`, {
      cause,
      hint: "Remove it, then trust your configurations again with: panewright trust DIR",
    });
  }
}

export async function changeTrust(path: string, change: (configs: TrustedConfigs) => TrustedConfigs): Promise<void> {
  const configs = change(readTrust(path));
  try {
    makeOwnFolder(dirname(path));
    await replaceFile(path, `${JSON.stringify({ version: 1, configs }, undefined, 2)}\n`, { durable: true });
  } catch (cause) {
    throw new UsageError(`Cannot write ${path}, which says what you trust: ${errorText(cause)}`, { cause });
  }
}
