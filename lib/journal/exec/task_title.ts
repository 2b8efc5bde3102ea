import { clip, displayWidth } from "../../base/text/display_width.ts";

/** A longer title is cut, in terminal columns. */
const MAX_TITLE_COLUMNS = 60;

/** What a task that is in no file is called: its first line, in quotes. */
export function titleOf(text: string): string {
  const first = text.trim().split("\n", 1)[0] ?? "";
  const isLong = displayWidth(first) > MAX_TITLE_COLUMNS;
  return `"${isLong ? `${clip(first, MAX_TITLE_COLUMNS - 1)}…` : first}"`;
}
