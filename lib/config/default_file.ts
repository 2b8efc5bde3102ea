export const DEFAULT_CONFIG_FILE = "panewright.jsonc";

export async function defaultConfigFile(folder: string): Promise<string | undefined> {
  try {
    await Deno.stat(`${folder}/${DEFAULT_CONFIG_FILE}`);
    return DEFAULT_CONFIG_FILE;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : DEFAULT_CONFIG_FILE;
  }
}
