import type { Frame } from "./render.ts";

export function drawFrame(previous: Frame | undefined, next: Frame): string {
  const known = previous?.rows.length === next.rows.length ? previous : undefined;
  let output = known === undefined ? "\x1b[2J" : "";
  next.rows.forEach((row, index) => {
    if (known?.rows[index] !== row) output += `\x1b[${index + 1};1H\x1b[2K${row}`;
  });
  const cursorMoved = String(known?.cursor) !== String(next.cursor);
  const title = known?.title === next.title ? "" : `\x1b]0;${next.title}\x07`;
  if (output === "" && !cursorMoved) return title;
  const cursor = next.cursor === undefined ? "" : `\x1b[${next.cursor[1] + 1};${next.cursor[0] + 1}H\x1b[?25h`;
  return `${title}\x1b[?25l${output}${cursor}`;
}
