/** The config file that is read where none is named. */
export const DEFAULT_CONFIG_FILE = "panewright.jsonc";

/**
 * {@linkcode DEFAULT_CONFIG_FILE}, if it is in the folder, or cannot be looked at for another reason than that it is
 * missing.
 */
export async function defaultConfigFile(folder: string): Promise<string | undefined> {
  try {
    await Deno.stat(`${folder}/${DEFAULT_CONFIG_FILE}`);
    return DEFAULT_CONFIG_FILE;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : DEFAULT_CONFIG_FILE;
  }
}
