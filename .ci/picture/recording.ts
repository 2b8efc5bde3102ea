/** A row of a terminal with its styles: parts that stand beside each other. */
export type PictureRow = readonly Part[];

/** A stretch of text in one style. */
export interface Part {
  /** From 0. */
  readonly column: number;
  readonly text: string;
  /** A colour of the palette from 0 to 15 or `#rrggbb`; missing for the terminal's own. */
  readonly color?: number | string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** What a terminal in which a job is done has shown, and the agents' panes meanwhile. Times count from the beginning. */
export interface Recording {
  /** Columns of both terminals. */
  readonly columns: number;
  /** Lines that stay, in their order, each with when it came. */
  readonly log: readonly { readonly atMs: number; readonly row: PictureRow }[];
  /** The line below them, whenever it was drawn. */
  readonly live: readonly { readonly atMs: number; readonly row: PictureRow }[];
  /** The pane of the role at work, whenever it has changed. */
  readonly panes: readonly { readonly atMs: number; readonly role: string; readonly rows: readonly PictureRow[] }[];
  /** When the job passed. */
  readonly endMs: number;
}
