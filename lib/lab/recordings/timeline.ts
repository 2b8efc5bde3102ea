import type { ScreenMeta } from "../../screen/screen.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../base/status.ts";
import { present } from "../../base/schema.ts";

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

const META_NAMES = ["title", "cursor", "cursorVisible", "alternate", "command", "dead"] as const satisfies readonly (
  keyof MarkedMeta
)[];

type Marker =
  | { readonly kind: "status"; readonly status: RecordedStatus }
  | { readonly kind: "meta"; readonly name: typeof META_NAMES[number]; readonly value: MarkedMeta[keyof MarkedMeta] };

function encodeMarker(marker: Marker): string {
  return marker.kind === "status"
    ? `status: ${marker.status.status} (${marker.status.rule})`
    : `${marker.name}: ${JSON.stringify(marker.value ?? null)}`;
}

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

export function encodeTimeline({ header, frames, endSeconds }: Timeline): string {
  let previous: Frame | undefined;
  let text = encodeHeader(header);
  for (const frame of frames) {
    text += encodeEvents(encodeFrame(frame, { header, previous }));
    previous = frame;
  }
  return text + encodeEvents([encodeEnd(endSeconds)]);
}
