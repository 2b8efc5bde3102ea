import type { TableEntry } from "./settings_table.ts";

const SWITCH_WORDS = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

/** The text of a variable as the value of its setting, or what the text should have been. */
export type ConvertedText =
  | { readonly value: string | number | boolean }
  | { readonly expected: string };

/**
 * Reads the text of a variable as a value of that kind. A switch is 1 or 0, as in the seeds, or true/false, yes/no, on/off.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(convertText("1", "switch"), { value: true });
 * assertEquals(convertText("2s", "seconds"), { expected: "a number, such as 2 or 0.5" });
 * ```
 */
export function convertText(text: string, kind: TableEntry["value"]["kind"]): ConvertedText {
  switch (kind) {
    case "seconds":
    case "count":
    case "bytes":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim())
        ? { value: Number(text) }
        : { expected: "a number, such as 2 or 0.5" };
    case "switch": {
      const value = SWITCH_WORDS.get(text.trim().toLowerCase());
      return value === undefined ? { expected: "1 or 0 (or true/false, yes/no, on/off)" } : { value };
    }
    case "choice":
    case "text":
    case "command":
    case "commands":
    case "shape":
      return { value: text };
  }
}
