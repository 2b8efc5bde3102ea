/** The option of a pane that says whose work it only shows, behind the mark of the session that opened it. */
export const SHOWS_OPTION = "@panewright_shows";

export function showsValue({ mark, shows }: { readonly mark: string; readonly shows: string }): string {
  return `${mark}/${shows}`;
}

/**
 * What {@linkcode SHOWS_OPTION} of a pane says: whose work it shows, and the mark of the session that opened it. Both are
 * empty for a pane that shows nobody's; in a person's session there may be panes of several runs.
 */
export function readShows(option: string): { readonly mark: string; readonly shows: string } {
  const [mark = "", shows = ""] = option.split("/");
  return { mark, shows };
}
