import { sanitizeLine } from "./sanitize.ts";

/**
 * The first line of a text that has words, without the Markdown marks before them; "" when there is none.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(firstLine("\n# Add a flag\n\nIt is long."), "Add a flag");
 * ```
 */
export function firstLine(text: string): string {
  for (const line of text.split("\n")) {
    const said = line.replace(/^[#>*\s-]+/, "").trim();
    if (said !== "") return said;
  }
  return "";
}

/**
 * The last lines of a text that are not blank, each safe for a row of a person's terminal.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(lastLines("one\r\n\ntwo\u0007\n", 5), ["one", "two\\x07"]);
 * ```
 */
export function lastLines(text: string, count: number): readonly string[] {
  const inked = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return inked.slice(-count).map((line) => sanitizeLine(line.trimEnd()));
}

/**
 * A text as one line: between its words there is one space, whatever it had there.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(oneLine(" Fix\n\n the\tlogin. "), "Fix the login.");
 * ```
 */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
