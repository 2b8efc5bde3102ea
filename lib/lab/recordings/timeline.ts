import type { ScreenMeta } from "../../screen/screen.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../base/status.ts";
import { present } from "../../base/schema.ts";

/** The facts about a recording as a whole. */
export interface TimelineHeader {
  /** Provider id, such as `"codex"`. */
  readonly provider: string;
  /** Version of the recorded CLI. */
  readonly version?: string;
  /** Columns and rows of the pane when the recording began. */
  readonly cols: number;
  readonly rows: number;
  /** Seconds since 1970. */
  readonly startedAtSeconds?: number;
}

/** The status that the rules gave. */
export interface RecordedStatus {
  readonly status: TerminalStatus;
  /** The rule that decided. */
  readonly rule: string;
}

/** What a pane showed from one moment until the next frame. */
export interface Frame {
  /** Seconds since the recording began. */
  readonly atSeconds: number;
  /** The rows, joined by LF, with their ANSI sequences. */
  readonly capture: string;
  readonly meta: ScreenMeta;
  readonly status?: RecordedStatus;
}

/** A recorded session: what one pane showed over time. */
export interface Timeline {
  readonly header: TimelineHeader;
  /** In chronological order; no two at the same time. */
  readonly frames: readonly Frame[];
  /** When the recording ended: the last frame was shown until then. */
  readonly endSeconds: number;
}

/** One event of an asciicast v2 file: output, marker or resize. */
type TimelineEvent = readonly [atSeconds: number, code: "o" | "m" | "r", data: string];

/** Resets drawing, goes to the first column of the first row, and clears the screen. */
const REDRAW_START = "\x1b[0m\x1b[H\x1b[2J";
/** Places the cursor, shown or hidden; an unknown cursor is shown in the corner. */
// deno-lint-ignore no-control-regex -- control sequences are what this is about
const REDRAW_END = /\x1b\[0m\x1b\[\d{1,5};\d{1,5}H\x1b\[\?25[hl]$/;

/** A screen as one output event that redraws all of it: a player needs no earlier event, and a reader no emulator. */
export function encodeRedraw(capture: string, meta: Pick<ScreenMeta, "cursor" | "cursorVisible">): string {
  const [x, y] = meta.cursor ?? [0, 0];
  const visibility = meta.cursorVisible === false ? "l" : "h";
  return `${REDRAW_START}${capture.replaceAll("\n", "\r\n")}\x1b[0m\x1b[${y + 1};${x + 1}H\x1b[?25${visibility}`;
}

/** The capture that an output event was made from; `undefined` when it does not redraw the whole screen. */
export function decodeRedraw(data: string): string | undefined {
  if (!data.startsWith(REDRAW_START)) return undefined;
  // Searched in the last characters only: a hostile line must not cost a match attempt at every position.
  const tailFrom = Math.max(REDRAW_START.length, data.length - 40);
  const end = REDRAW_END.exec(data.slice(tailFrom));
  if (!end) return undefined;
  return data.slice(REDRAW_START.length, tailFrom + end.index).replaceAll("\r\n", "\n");
}

/** What markers say about a screen besides its rows; its size has events of its own. */
type MarkedMeta = Omit<ScreenMeta, "cols" | "rows">;

const META_NAMES = ["title", "cursor", "cursorVisible", "alternate", "command", "dead"] as const satisfies readonly (
  keyof MarkedMeta
)[];

/** What one marker says; a `meta` value of `undefined` is no longer known. */
type Marker =
  | { readonly kind: "status"; readonly status: RecordedStatus }
  | { readonly kind: "meta"; readonly name: typeof META_NAMES[number]; readonly value: MarkedMeta[keyof MarkedMeta] };

/**
 * A marker's label, for people in a player's list and for panewright: `status: processing (title-spinner)`, `title:
 * "proj"`,
 * `cursor: [2,47]`.
 */
function encodeMarker(marker: Marker): string {
  return marker.kind === "status"
    ? `status: ${marker.status.status} (${marker.status.rule})`
    : `${marker.name}: ${JSON.stringify(marker.value ?? null)}`;
}

/** @returns `"foreign"` for a label of another tool, `"malformed"` for an invalid one of ours */
export function decodeMarker(label: string): Marker | "foreign" | "malformed" {
  const found = /^([A-Za-z]{1,20}): /.exec(label);
  if (!found) return "foreign";
  const value = label.slice(found[0].length);
  if (found[1] === "status") return decodeStatus(value);
  const name = META_NAMES.find((known) => known === found[1]);
  if (name === undefined) return "foreign";
  try {
    const parsed: unknown = JSON.parse(value);
    if (parsed === null) return { kind: "meta", name, value: undefined };
    return isMetaValue(name, parsed) ? { kind: "meta", name, value: parsed } : "malformed";
  } catch {
    return "malformed";
  }
}

function decodeStatus(value: string): Marker | "malformed" {
  const found = /^([a-z_]{1,30}) \(([^]{1,200})\)$/.exec(value);
  const status = TERMINAL_STATUSES.find((known) => known === found?.[1]);
  if (!found || status === undefined) return "malformed";
  return { kind: "status", status: { status, rule: found[2]! } };
}

function isMetaValue(name: typeof META_NAMES[number], value: unknown): value is MarkedMeta[keyof MarkedMeta] {
  switch (name) {
    case "title":
    case "command":
      return typeof value === "string";
    case "cursorVisible":
    case "alternate":
    case "dead":
      return typeof value === "boolean";
    case "cursor":
      return Array.isArray(value) && value.length === 2 && value.every((part) => Number.isInteger(part) && part >= 0);
  }
}

/**
 * A frame as events, given the previous frame: a resize, what changed as markers, and a redraw when rows or cursor did.
 * None when nothing changed.
 */
export function encodeFrame(
  frame: Frame,
  { header, previous }: { readonly header: TimelineHeader; readonly previous?: Frame | undefined },
): readonly TimelineEvent[] {
  const at = Math.round(frame.atSeconds * 1000) / 1000;
  const { meta } = frame;
  const before: ScreenMeta = previous?.meta ?? { cols: header.cols, rows: header.rows };
  const events: TimelineEvent[] = [];
  if (meta.cols !== undefined && meta.rows !== undefined && (meta.cols !== before.cols || meta.rows !== before.rows)) {
    events.push([at, "r", `${meta.cols}x${meta.rows}`]);
  }
  const mark = (marker: Marker) => events.push([at, "m", encodeMarker(marker)]);
  for (const name of META_NAMES) {
    if (JSON.stringify(meta[name]) !== JSON.stringify(before[name])) mark({ kind: "meta", name, value: meta[name] });
  }
  const { status } = frame;
  if (status && (status.status !== previous?.status?.status || status.rule !== previous.status.rule)) {
    mark({ kind: "status", status });
  }
  const redraw = encodeRedraw(frame.capture, meta);
  // A resized terminal has lost its content, even if the rows are the same.
  const resized = events[0]?.[1] === "r";
  if (!previous || resized || redraw !== encodeRedraw(previous.capture, previous.meta)) events.push([at, "o", redraw]);
  return events;
}

/** The first line of a recording, with its line end. Keys that are not asciicast v2 are under `panewright`. */
export function encodeHeader(header: TimelineHeader): string {
  const { provider, version, cols, rows, startedAtSeconds } = header;
  const title = version === undefined ? provider : `${provider} ${version}`;
  return JSON.stringify({
    version: 2,
    width: cols,
    height: rows,
    ...(startedAtSeconds === undefined ? {} : { timestamp: Math.floor(startedAtSeconds) }),
    title: `${title}, ${cols}x${rows}`,
    env: { TERM: "xterm-256color" },
    panewright: { format: 1, provider, ...present({ version }) },
  }) + "\n";
}

/** Events as lines of a recording, each with its line end. */
export function encodeEvents(events: readonly TimelineEvent[]): string {
  return events.map((event) => JSON.stringify(event) + "\n").join("");
}

/** The end of a recording as an event: it says how long the last frame was shown. */
export function encodeEnd(atSeconds: number): TimelineEvent {
  return [Math.round(atSeconds * 1000) / 1000, "m", "end"];
}

/** A whole recording as text. */
export function encodeTimeline({ header, frames, endSeconds }: Timeline): string {
  let previous: Frame | undefined;
  let text = encodeHeader(header);
  for (const frame of frames) {
    text += encodeEvents(encodeFrame(frame, { header, previous }));
    previous = frame;
  }
  return text + encodeEvents([encodeEnd(endSeconds)]);
}
