import { basename } from "@std/path/posix";
import { clip, displayWidth } from "../../base/text/display_width.ts";

const MAX_TITLE_COLUMNS = 60;

export function titleOf(text: string): string {
  const first = text.trim().split("\n", 1)[0] ?? "";
  const isLong = displayWidth(first) > MAX_TITLE_COLUMNS;
  return `"${isLong ? `${clip(first, MAX_TITLE_COLUMNS - 1)}…` : first}"`;
}

/** The name of a task, for people: that of its file, without `.md`. */
export function plainName(file: string): string {
  return basename(file).replace(/\.md$/i, "");
}
