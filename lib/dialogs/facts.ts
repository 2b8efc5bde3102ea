import type { AnswerOutcome } from "../providers/terminal/answer_dialog.ts";
import type { DialogAnswer } from "../providers/terminal/dialog_keys.ts";
import type { Role } from "../roles.ts";
import type { DialogKind } from "../screen/dialog.ts";

/** What a desk tells about the dialogs of a turn. */
export type DialogFact = DialogWaiting | DialogClosed | DialogAnswered;

/** An agent is at a dialog that only a person may answer; told once for each dialog. */
export interface DialogWaiting {
  readonly type: "dialog_waiting";
  readonly turnId: string;
  readonly role: Role;
  readonly terminalId: string;
  readonly kind: DialogKind;
  /** The command, the files: what the dialog is about, as far as its screen tells. */
  readonly subject: string | undefined;
  /** Tells this dialog from another. */
  readonly fingerprint: string;
  /** Why it is not answered automatically, as a full sentence. */
  readonly reason: string;
  /** The id under which `panewright answer` takes a yes or no; missing where only the pane does. */
  readonly question?: string;
  readonly timeoutSeconds: number;
}

/** A dialog that waited for a person is closed, or is not waited for any longer. */
export interface DialogClosed {
  readonly type: "dialog_closed";
  readonly turnId: string;
  readonly role: Role;
  readonly question?: string;
  /** How long it waited. */
  readonly seconds: number;
}

/** A dialog was given an answer. */
export interface DialogAnswered {
  readonly type: "dialog_answered";
  readonly turnId: string;
  readonly role: Role;
  readonly terminalId: string;
  readonly kind: DialogKind;
  readonly subject: string | undefined;
  readonly answer: DialogAnswer;
  /** Which rule decided, or `person`. */
  readonly rule: string;
  readonly result: AnswerOutcome["result"];
}
