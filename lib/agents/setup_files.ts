import { readRegularText } from "../base/ports/regular_file.ts";
import type { SetupLook } from "./setup.ts";

/** A CLI's own settings are a few kilobytes; what it keeps of its use may be more. */
const MAX_SETTINGS_BYTES = 32 * 1024 * 1024;

/** The machine's files, as a look at a CLI's login and settings reads them. */
export const SETUP_FILES: Pick<SetupLook, "readText" | "kindOf"> = {
  readText(path) {
    try {
      // Many keep these files elsewhere, and link to them.
      return readRegularText(Deno.realPathSync(path), { maxBytes: MAX_SETTINGS_BYTES });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  },
  kindOf(path) {
    try {
      return Deno.statSync(path).isDirectory ? "folder" : "file";
    } catch {
      return undefined;
    }
  },
};
