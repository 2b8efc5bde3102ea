import { UsageError } from "../../errors.ts";
import { errorText } from "../../text/error_text.ts";

/**
 * Reads a text file.
 *
 * @throws {UsageError} when it cannot be read, or is not UTF-8 text
 */
export async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(path));
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? "there is no such file"
      : cause instanceof TypeError
      ? "it is not UTF-8 text"
      : errorText(cause);
    throw new UsageError(`Cannot read ${path}: ${reason}`, { cause });
  }
}
