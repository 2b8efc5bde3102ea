/**
 * The first line of a text that says something.
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
