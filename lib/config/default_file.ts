import { isPlaceholder } from "../sandbox/placeholders.ts";

export const DEFAULT_CONFIG_FILE = "panewright.jsonc";

export async function defaultConfigFile(folder: string): Promise<string | undefined> {
  try {
    const path = `${folder}/${DEFAULT_CONFIG_FILE}`;
    return isPlaceholder(path, await Deno.stat(path)) ? undefined : DEFAULT_CONFIG_FILE;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : DEFAULT_CONFIG_FILE;
  }
}
