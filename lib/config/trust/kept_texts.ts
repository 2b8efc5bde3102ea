import { dirname, resolve } from "@std/path/posix";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { makeOwnFolder } from "../../base/ports/state_folder.ts";
import { createRedactor } from "../../base/redact/redactor.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { describeChanges } from "../../run/contract.ts";
import type { TrustSubject } from "./examine.ts";
import { readTrust, storesBeside, type TrustedConfig } from "./store.ts";

// What a person has trusted is known by its hash. Its text is kept beside that, without secrets, for one purpose: to show
// what has changed since. Nothing is decided by it.

const MAX_BYTES = 64 * 1024;
const MOST_ROWS = 60;

function folderOf(store: string): string {
  return `${dirname(store)}/trusted_texts`;
}

/** Keeps the texts of what is trusted now, and removes those of what no store has any longer. */
export async function keepTexts(store: string, { file, files }: Pick<TrustSubject, "file" | "files">): Promise<void> {
  const folder = folderOf(store);
  makeOwnFolder(folder);
  for (const [name, sha256] of Object.entries(files)) {
    const text = textOf(resolve(file, file.endsWith("/") ? "." : "..", name));
    // It is what was shown, or nothing.
    if (text === undefined || await sha256Hex(text) !== sha256) continue;
    await replaceFile(`${folder}/${sha256}`, createRedactor([]).text(text));
  }
  const all = storesBeside(store).flatMap((one) => Object.values(readTrust(one)));
  const known = new Set(all.flatMap((one) => Object.values(one.files)));
  for (const { name } of Deno.readDirSync(folder)) {
    if (!known.has(name)) await Deno.remove(`${folder}/${name}`).catch(() => {});
  }
}

/** How files differ from what was trusted, for people; empty where that is not known. */
export function diffSince(
  store: string | undefined,
  trusted: TrustedConfig | undefined,
  { changed, file }: { readonly file: string; readonly changed: readonly string[] },
): string {
  if (store === undefined || trusted === undefined) return "";
  const changes = changed.flatMap((name) => {
    const sha256 = trusted.files[name];
    const before = sha256 ? textOf(`${folderOf(store)}/${sha256}`) : undefined;
    const now = textOf(resolve(file, file.endsWith("/") ? "." : "..", name));
    return before === undefined || now === undefined ? [] : [{ path: name, before, now: createRedactor([]).text(now) }];
  });
  const rows = changes.length === 0 ? [] : describeChanges(changes).split("\n");
  const more = rows.length > MOST_ROWS ? [`… ${rows.length - MOST_ROWS} more lines`] : [];
  return [...rows.slice(0, MOST_ROWS), ...more].map((row) => `    ${sanitizeLine(row)}\n`).join("");
}

function textOf(path: string): string | undefined {
  try {
    return readRegularText(path, { maxBytes: MAX_BYTES });
  } catch {
    return undefined;
  }
}
