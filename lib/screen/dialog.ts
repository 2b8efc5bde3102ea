/** What a dialog asks for. */
export type DialogKind =
  | "command"
  | "patch"
  | "file_write"
  | "file_edit"
  | "question"
  | "plan"
  | "trust"
  | "login"
  | "update"
  | "hooks"
  | "other";

/** One choice of a dialog. */
export interface DialogOption {
  /** Without marker, number and key, wrapped rows joined. */
  readonly label: string;
  /** The key that answers it at once, as the dialog itself names it: `y`, `esc`. */
  readonly key?: string;
  /** The digit that the dialog prints before it. */
  readonly number?: number;
  readonly selected: boolean;
}

/** A dialog that waits for an answer, as far as the screen shows it. */
export interface DialogInfo {
  readonly kind: DialogKind;
  /** The sentence that asks. */
  readonly heading: string;
  /** What it is about, in full where it is visible: the command, the file, the folder. */
  readonly subject: string | undefined;
  readonly options: readonly DialogOption[];
  /** Same dialog, same fingerprint: heading, subject and labels, but not which option is selected. */
  readonly fingerprint: string;
}
