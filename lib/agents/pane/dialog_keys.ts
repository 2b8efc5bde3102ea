import type { DialogInfo, DialogOption } from "../../screen/dialog.ts";

/** Keys to press, by tmux's names; never none. */
type Keys = readonly [string, ...string[]];

/** The answers that can be given to a dialog: yes to this one thing, or no. Neither is remembered by the CLI. */
export type DialogAnswer = "accept" | "decline";

/**
 * How a choice of a dialog is taken: by keys that take it at once, or by moving the selection to it and pressing Enter.
 */
export type AnswerWay =
  | { readonly by: "keys"; readonly keys: Keys }
  /** `option`: its place among the dialog's options, from 0. */
  | { readonly by: "selection"; readonly option: number };

const KEY_NAMES: Readonly<Record<string, string>> = { "esc": "Escape", "shift+tab": "BTab" };

/**
 * How the choice with a certain label is taken: with the key that the dialog names for it, or its number; without
 * either, by the selection. If no choice has the label, or more than one, there is no way: position alone proves
 * nothing.
 */
export function wayToOption(dialog: DialogInfo, label: RegExp, prefer: "key" | "number"): AnswerWay | undefined {
  const [option, ...others] = dialog.options.filter((one) => label.test(one.label));
  if (option === undefined || others.length > 0) return undefined;
  const key = prefer === "key" ? keyOf(option) ?? numberOf(option) : numberOf(option) ?? keyOf(option);
  if (key !== undefined) return { by: "keys", keys: [key] };
  const hasSelection = dialog.options.filter(({ selected }) => selected).length === 1;
  return hasSelection ? { by: "selection", option: dialog.options.indexOf(option) } : undefined;
}

export function keysOfWay(way: AnswerWay, options: readonly DialogOption[]): readonly string[] {
  if (way.by === "keys") return way.keys;
  const distance = way.option - options.findIndex(({ selected }) => selected);
  return [...Array.from({ length: Math.abs(distance) }, () => distance > 0 ? "Down" : "Up"), "Enter"];
}

function keyOf({ key }: DialogOption): string | undefined {
  return key === undefined ? undefined : KEY_NAMES[key] ?? key;
}

/** A key press is one digit: a choice beyond the ninth has none. */
function numberOf({ number }: DialogOption): string | undefined {
  return number === undefined || number > 9 ? undefined : String(number);
}
