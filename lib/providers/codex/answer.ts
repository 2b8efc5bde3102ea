import type { DialogInfo } from "../../screen/dialog.ts";
import { type DialogAnswer, type Keys, keysForOption } from "../dialog_keys.ts";

/** "Yes, proceed" in 0.53.0 to 0.169.0; the others remember the answer. */
const PLAIN_YES = /^Yes(?:, proceed)?$/;
const PLAIN_NO = /^No(?:, and tell Codex what to do differently)?$/;

/**
 * The keys that answer an approval of Codex: `y` or the digit of the plain yes, Esc for no, which ends the turn
 * (0.53.0 to 0.169.0). Other kinds of dialog are never answered.
 */
export function codexAnswerKeys(dialog: DialogInfo, answer: DialogAnswer): Keys | undefined {
  if (dialog.kind !== "command" && dialog.kind !== "patch") return undefined;
  return keysForOption(dialog, answer === "accept" ? PLAIN_YES : PLAIN_NO, "key");
}
