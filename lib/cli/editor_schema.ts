import { dirname, resolve } from "@std/path/posix";
import type { LoadedSettings } from "../config/load.ts";
import { configJsonSchema } from "../config/schema.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { makePanewrightFolder } from "../run/run_folder.ts";

/** Where an editor finds the JSON Schema of a config that `init` wrote: in the folder that git ignores by itself. */
export const EDITOR_SCHEMA = ".panewright/config.schema.json";

export async function writeEditorSchema(folder: string): Promise<void> {
  await makePanewrightFolder(folder);
  await replaceFile(`${folder}/${EDITOR_SCHEMA}`, schemaText());
}

/**
 * Writes the JSON Schema anew that a config names, where it is not that of this version: no clone has what git ignores.
 * A folder that cannot be written to is left as it is.
 */
export async function keepEditorSchema(
  { config, file }: Pick<LoadedSettings, "config" | "file">,
  { cwd }: { readonly cwd: string },
): Promise<void> {
  if (file === undefined || config.$schema?.replace(/^\.\//, "") !== EDITOR_SCHEMA) return;
  const folder = dirname(resolve(cwd, file));
  if (isThere(`${folder}/${EDITOR_SCHEMA}`)) return;
  await writeEditorSchema(folder).catch(() => {});
}

function isThere(path: string): boolean {
  try {
    return readRegularText(path, { maxBytes: 16 * 1024 * 1024 }) === schemaText();
  } catch {
    return false;
  }
}

function schemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}
