// deno-lint-ignore-file no-control-regex -- control characters are the subject here
const OSC_OR_STRING = /\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?/g;
const CSI = /\x1b\[[0-?]*[ -/]*[@-~]?/g;
const OTHER_ESCAPE = /\x1b[ -/]*[0-~]?/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;

/**
 * Text that agents and programs wrote, reduced to what may go into a prompt or a journal: line ends are `\n`, of a line
 * that was overwritten with carriage returns the last state is kept, escape sequences and control characters are gone.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(plainText("\x1b[31mred\x1b[0m\r\n10%\r100%\n"), "red\n100%\n");
 * ```
 */
export function plainText(text: string): string {
  const bare = text.replace(OSC_OR_STRING, "").replace(CSI, "").replace(OTHER_ESCAPE, "").replaceAll("\r\n", "\n");
  return bare.split("\n").map(lastOverwrite).join("\n").replace(CONTROL, "");
}

function lastOverwrite(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}
