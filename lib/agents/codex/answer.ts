import type { DialogInfo } from "../../screen/dialog.ts";
import { type AnswerWay, type DialogAnswer, wayToOption } from "../pane/dialog_keys.ts";

/** "Yes, proceed" in 0.53.0 to 0.169.0; the others remember the answer. */
const PLAIN_YES = /^Yes(?:, proceed)?$/;
const PLAIN_NO = /^No(?:, and tell Codex what to do differently)?$/;

/**
 * How an approval of Codex is answered: with `y` or the digit of the plain yes; with Esc for no, which ends the turn
 * (0.53.0 to 0.169.0). Other kinds of dialog are never answered.
 */
export function codexAnswerWay(dialog: DialogInfo, answer: DialogAnswer): AnswerWay | undefined {
  if (dialog.kind !== "command" && dialog.kind !== "patch") return undefined;
  return wayToOption(dialog, answer === "accept" ? PLAIN_YES : PLAIN_NO, "key");
}
