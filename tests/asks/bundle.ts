import type { PanewrightCommand } from "../support/panewright.ts";
import { denoDirectory } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";

/** The bundle of this repository. */
export const BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;

/** The program from a copy of its bundle: one that is built anew meanwhile changes nothing. */
export async function panewrightBundle(): Promise<PanewrightCommand & AsyncDisposable> {
  const folder = await tempDir();
  const copy = `${folder.path}/panewright.mjs`;
  await Deno.copyFile(BUNDLE, copy);
  return {
    name: "bundle",
    argv: [Deno.execPath(), "run", "--quiet", "--allow-all", copy],
    env: { DENO_DIR: denoDirectory(), DENO_NO_UPDATE_CHECK: "1" },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
