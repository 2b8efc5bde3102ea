import type { Redactor } from "../../../base/redact/redactor.ts";
import type { PaneCapture } from "../../../tmux/capture.ts";
import { plainRow } from "../../../base/text/ansi.ts";
import { sanitizeLine } from "../../../base/text/sanitize.ts";
import { styledRows } from "../../../base/text/styled_rows.ts";
import type { PaneFrame } from "../../output/screen_event.ts";

/**
 * UTF-16 units of a frame's text, so that two frames never are too much for a client's queue. Screens of agents have a
 * tenth of it; one of 220×50 cells, each with a style of its own, has twice as much.
 */
const MAX_TEXT = 128 * 1024;

/** UTF-16 units of a title. */
const MAX_TITLE = 200;

export function paneFrame({ text, facts }: PaneCapture, redactor: Redactor): PaneFrame {
  const { cols: columns, rows, cursor, cursorVisible, title, dead } = facts;
  const shown = redactor.rows(styledRows(text)).join("\n");
  const isPlain = shown.length > MAX_TEXT;
  return {
    columns,
    rows,
    ...(cursor === undefined || !cursorVisible ? {} : { cursor: { column: cursor[0], row: cursor[1] } }),
    title: sanitizeLine(redactor.outgoing(title)).slice(0, MAX_TITLE).toWellFormed(),
    isDead: dead,
    text: isPlain ? shown.split("\n").map(plainRow).join("\n").slice(0, MAX_TEXT).toWellFormed() : shown,
    isPlain,
  };
}
