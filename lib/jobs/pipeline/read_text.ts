import { UsageError } from "../../base/errors.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { errorText } from "../../base/text/error_text.ts";
import { decodeUtf8 } from "../../base/text/utf8.ts";

/** The most that a task or a prompt may have: 8 MiB. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;

export function readText(path: string): string {
  try {
    return decodeUtf8(readRegularFile(path, { maxBytes: MAX_TEXT_BYTES }));
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file" : errorText(cause);
    throw new UsageError(`Cannot read ${path}: ${reason}`, { cause });
  }
}
