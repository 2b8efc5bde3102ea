/**
 * What a caught value says, for the end of a message of ours; the name of an error that has no message. Deno's advice to
 * start it with another flag is for nobody: panewright may use all files but those of the system below /dev, /proc, /sys.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const refused = new Error('Requires all access to "/dev/full", run again with the --allow-all flag');
 * assertEquals(errorText(refused), 'panewright does not use "/dev/full": it is the system\'s own');
 * assertEquals([errorText(new Error("no such file")), errorText(new TypeError()), errorText(7)], ["no such file", "TypeError", "7"]);
 * ```
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, path] = /^Requires all access to (".*"), run again with/.exec(error.message) ?? [];
  return path === undefined ? error.message || error.name : `panewright does not use ${path}: it is the system's own`;
}
