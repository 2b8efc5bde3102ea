import type { ScreenMeta } from "../../screen/screen.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../base/status.ts";
import { flag, present, text } from "../../base/schema.ts";

export interface TimelineHeader {
  readonly provider: string;
  readonly version?: string;
  readonly cols: number;
  readonly rows: number;
  readonly startedAtSeconds?: number;
}

export interface RecordedStatus {
  readonly status: TerminalStatus;
  readonly rule: string;
}

export interface Frame {
  readonly atSeconds: number;
  readonly capture: string;
  readonly meta: ScreenMeta;
  readonly status?: RecordedStatus;
}

export interface Timeline {
  readonly header: TimelineHeader;
  readonly frames: readonly Frame[];
  readonly endSeconds: number;
}

type TimelineEvent = readonly [atSeconds: number, code: "o" | "m" | "r", data: string];

const REDRAW_START = "\x1b[0m\x1b[H\x1b[2J";
// deno-lint-ignore no-control-regex -- control sequences are what this is about
const REDRAW_END = /\x1b\[0m\x1b\[\d{1,5};\d{1,5}H\x1b\[\?25[hl]$/;

export function encodeRedraw(capture: string, meta: Pick<ScreenMeta, "cursor" | "cursorVisible">): string {
  const [x, y] = meta.cursor ?? [0, 0];
  const visibility = meta.cursorVisible === false ? "l" : "h";
  return `${REDRAW_START}${capture.replaceAll("\n", "\r\n")}\x1b[0m\x1b[${y + 1};${x + 1}H\x1b[?25${visibility}`;
}

export function decodeRedraw(data: string): string | undefined {
  if (!data.startsWith(REDRAW_START)) return undefined;
  // Searched in the last characters only: a hostile line must not cost a match attempt at every position.
  const tailFrom = Math.max(REDRAW_START.length, data.length - 40);
  const end = REDRAW_END.exec(data.slice(tailFrom));
  if (!end) return undefined;
  return data.slice(REDRAW_START.length, tailFrom + end.index).replaceAll("\r\n", "\n");
}

type MarkedMeta = Omit<ScreenMeta, "cols" | "rows">;

/** What of a screen stands in markers of its own, by the name of the marker. */
const META: { readonly [Name in keyof MarkedMeta]-?: (value: unknown) => boolean } = {
  title: text,
  cursor: (value) =>
    Array.isArray(value) && value.length === 2 && value.every((part) => Number.isInteger(part) && part >= 0),
  cursorVisible: flag,
  alternate: flag,
  command: text,
  dead: flag,
};

/** What a marker says of a frame: its status, or one name of its meta, `undefined` where that is not known any more. */
export function decodeMarker(label: string): Pick<Frame, "status"> | MarkedMeta | "foreign" | "malformed" {
  const [head = "", name = ""] = /^([A-Za-z]{1,20}): /.exec(label) ?? [];
  const told = label.slice(head.length);
  if (name === "status") {
    const [, word, rule] = /^([a-z_]{1,30}) \(([^]{1,200})\)$/.exec(told) ?? [];
    const status = TERMINAL_STATUSES.find((known) => known === word);
    return status === undefined || rule === undefined ? "malformed" : { status: { status, rule } };
  }
  if (!Object.hasOwn(META, name)) return "foreign";
  try {
    const value: unknown = JSON.parse(told);
    const isRight = value === null || META[name as keyof MarkedMeta](value);
    return isRight ? { [name]: value ?? undefined } : "malformed";
  } catch {
    return "malformed";
  }
}

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
  for (const name of Object.keys(META) as (keyof MarkedMeta)[]) {
    const value = JSON.stringify(meta[name]);
    if (value !== JSON.stringify(before[name])) events.push([at, "m", `${name}: ${value ?? null}`]);
  }
  const { status } = frame;
  if (status && (status.status !== previous?.status?.status || status.rule !== previous.status.rule)) {
    events.push([at, "m", `status: ${status.status} (${status.rule})`]);
  }
  const redraw = encodeRedraw(frame.capture, meta);
  // A resized terminal has lost its content, even if the rows are the same.
  const resized = events[0]?.[1] === "r";
  if (!previous || resized || redraw !== encodeRedraw(previous.capture, previous.meta)) events.push([at, "o", redraw]);
  return events;
}

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

export function encodeEvents(events: readonly TimelineEvent[]): string {
  return events.map((event) => JSON.stringify(event) + "\n").join("");
}

export function encodeEnd(atSeconds: number): TimelineEvent {
  return [Math.round(atSeconds * 1000) / 1000, "m", "end"];
}
