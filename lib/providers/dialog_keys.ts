import type { DialogInfo, DialogOption } from "../screen/dialog.ts";

/** Keys to press, by tmux's names; never none. */
export type Keys = readonly [string, ...string[]];

/** The answers that can be given to a dialog: yes to this one thing, or no. Neither is remembered by the CLI. */
export type DialogAnswer = "accept" | "decline";

/** How CLIs write keys in their dialogs, and what tmux calls them. */
const KEY_NAMES: Readonly<Record<string, string>> = { "esc": "Escape", "shift+tab": "BTab" };

/**
 * The key that picks a choice of a dialog by its label: the key that the dialog names for it, or its number. Where no
 * choice has such a label, or more than one has, or it has no key, there is none: position alone proves nothing.
 *
 * @param prefer which one to take where a choice has both
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const dialog = {
 *   kind: "command",
 *   heading: "",
 *   subject: undefined,
 *   fingerprint: "",
 *   options: [
 *     { label: "Yes, always", number: 1, selected: true },
 *     { label: "Yes", number: 2, selected: false },
 *     { label: "No", number: 3, key: "esc", selected: false },
 *   ],
 * } as const;
 * assertEquals(keysForOption(dialog, /^Yes$/, "number"), ["2"]);
 * assertEquals(keysForOption(dialog, /^No$/, "key"), ["Escape"]);
 * assertEquals(keysForOption(dialog, /^Yes/, "number"), undefined);
 * ```
 */
export function keysForOption(dialog: DialogInfo, label: RegExp, prefer: "key" | "number"): Keys | undefined {
  const [option, ...others] = dialog.options.filter((one) => label.test(one.label));
  if (option === undefined || others.length > 0) return undefined;
  const key = prefer === "key" ? keyOf(option) ?? numberOf(option) : numberOf(option) ?? keyOf(option);
  return key === undefined ? undefined : [key];
}

function keyOf({ key }: DialogOption): string | undefined {
  return key === undefined ? undefined : KEY_NAMES[key] ?? key;
}

/** A key press is one digit: a choice beyond the ninth has none. */
function numberOf({ number }: DialogOption): string | undefined {
  return number === undefined || number > 9 ? undefined : String(number);
}
