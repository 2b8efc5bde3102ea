/**
 * What a caught value says, for the end of a message of ours; the name of an error that has no message.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals([errorText(new Error("no such file")), errorText(new TypeError()), errorText(7)], ["no such file", "TypeError", "7"]);
 * ```
 */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
