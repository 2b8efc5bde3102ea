/**
 * What a dialog asks for, as the layout of its provider calls it; `other` where none of the layout's kinds fits. What a
 * kind means for a permission, and that a kind without such a meaning is for a person, says `lib/policy`.
 */
export type DialogKind = string;

/** One choice of a dialog. */
export interface DialogOption {
  /** Without marker, number and key, wrapped rows joined. */
  readonly label: string;
  /** The key that answers it at once, as the dialog itself names it: `y`, `esc`. */
  readonly key?: string;
  /** The digit that the dialog prints before it. */
  readonly number?: number;
  /** Whether Enter would choose it. */
  readonly selected: boolean;
}

/** A dialog that waits for an answer, as far as the screen shows it. */
export interface DialogInfo {
  /** What it asks for. */
  readonly kind: DialogKind;
  /** The sentence that asks. */
  readonly heading: string;
  /**
   * What it is about: the command with its rows joined where they are wrapped, the folder, or the files, one on each
   * line.
   */
  readonly subject: string | undefined;
  /**
   * Whether nothing of it is missing: it is neither cut nor longer than the screen, and can be read in few ways only.
   */
  readonly subjectComplete: boolean;
  /**
   * What the subject may be as well: the screen does not always tell whether a row ends at a line end of the command's
   * own or at the edge. Who decides by the subject must be content with each of them. At most 31, and none where it is
   * not complete.
   */
  readonly otherReadings: readonly string[];
  /** Its choices, from above. */
  readonly options: readonly DialogOption[];
  /** Same dialog, same fingerprint: heading, subject and labels, but not which option is selected. */
  readonly fingerprint: string;
}
