import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import { type DialogAnswer, type Keys, keysForOption } from "../dialog_keys.ts";

/** The choice that accepts this one thing, by what is asked; every other yes remembers the answer or changes the mode. */
const PLAIN_YES: Readonly<Partial<Record<DialogKind, RegExp>>> = {
  command: /^Yes$/,
  file_write: /^Yes$/,
  file_edit: /^Yes$/,
  plan: /^Yes(?:, (?:and )?manually approve edits)?$/,
};

const PLAIN_NO = /^No(?:, and tell Claude what to do differently|, keep planning)?$/;

/**
 * The keys that answer a permission prompt or a plan of Claude Code: the digit of the plain yes; the digit of the plain
 * no, or Esc where there is none (2.0.53 to 2.1.328). Other kinds of dialog are never answered.
 */
export function claudeAnswerKeys(dialog: DialogInfo, answer: DialogAnswer): Keys | undefined {
  const yes = PLAIN_YES[dialog.kind];
  if (yes === undefined) return undefined;
  if (answer === "accept") return keysForOption(dialog, yes, "number");
  return keysForOption(dialog, PLAIN_NO, "number") ?? ["Escape"];
}
