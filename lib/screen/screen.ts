/** What is known of a capture besides its text; everything that is missing counts as not known. */
export interface ScreenMeta {
  readonly cols?: number;
  readonly rows?: number;
  /** The pane's title (OSC 0/2), `#{pane_title}` in tmux. */
  readonly title?: string;
  /** Column and row of the cursor, both from 0. */
  readonly cursor?: readonly [x: number, y: number];
  readonly cursorVisible?: boolean;
  /** Whether the alternate screen is shown. */
  readonly alternate?: boolean;
  /** Whether the pane's process has ended. */
  readonly dead?: boolean;
  /** Name of the pane's foreground program, `#{pane_current_command}` in tmux. */
  readonly command?: string;
}
