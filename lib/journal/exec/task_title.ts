import { clip, displayWidth } from "../../base/text/display_width.ts";

const MAX_TITLE_COLUMNS = 60;

export function titleOf(text: string): string {
  const first = text.trim().split("\n", 1)[0] ?? "";
  const isLong = displayWidth(first) > MAX_TITLE_COLUMNS;
  return `"${isLong ? `${clip(first, MAX_TITLE_COLUMNS - 1)}…` : first}"`;
}
