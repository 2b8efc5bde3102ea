import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import { type AnswerWay, type DialogAnswer, wayToOption } from "../pane/dialog_keys.ts";

const PLAIN_YES: Readonly<Partial<Record<DialogKind, RegExp>>> = {
  command: /^Yes$/,
  file_write: /^Yes$/,
  file_edit: /^Yes$/,
  // Leaving the plan mode is what is asked for; these are followed by a question for each step (2.1.328 without a plan
  // file).
  plan: /^Yes(?:, (?:and )?manually approve edits|, and switch to default \(ask each time\) for this session)?$/,
};

const PLAIN_NO = /^No(?:, and tell Claude what to do differently|, keep planning)?$/;

/**
 * How a permission dialog or a plan of Claude Code is answered: with the digit of the plain yes; with the digit of the
 * plain no, or Esc where it has none (2.0.53 to 2.1.328). Other kinds of dialog are never answered.
 */
export function claudeAnswerWay(dialog: DialogInfo, answer: DialogAnswer): AnswerWay | undefined {
  const yes = PLAIN_YES[dialog.kind];
  if (yes === undefined) return undefined;
  if (answer === "accept") return wayToOption(dialog, yes, "number");
  const way = wayToOption(dialog, PLAIN_NO, "number");
  return way?.by === "keys" ? way : { by: "keys", keys: ["Escape"] };
}
