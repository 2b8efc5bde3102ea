import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import type { ScreenMeta } from "../../screen/screen.ts";
import { decodeMarker, decodeRedraw, type Frame, type Timeline, type TimelineHeader } from "./timeline.ts";

export interface ReadTimeline extends Timeline {
  readonly warnings: readonly string[];
}

const Size = z.int().min(1).max(10_000);
const Header = z.object({
  version: z.literal(2, { error: "it must be 2 (asciicast v2)" }),
  width: Size,
  height: Size,
  timestamp: z.number().optional(),
  panewright: z.object({
    format: z.literal(1, { error: "this panewright reads format 1" }),
    provider: z.string(),
    version: z.string().optional(),
  }, { error: "it is missing: this is not a recording by panewright" }),
});

const RESIZE = /^(\d{1,5})x(\d{1,5})$/;

/**
 * A last line without a line end is what a killed recorder leaves behind: it is dropped with a warning. Events and
 * markers of other tools are skipped, as players skip them.
 */
export function readTimeline(text: string, name = "the recording"): ReadTimeline {
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  const failAt = (line: number) => (problem: string): never => {
    throw new UsageError(`Cannot read ${name}, line ${line}: ${problem}`, {
      hint: "A recording is an asciicast v2 file that `panewright record` wrote.",
    });
  };
  const [headerLine] = lines;
  if (headerLine === undefined) return failAt(1)(torn ? "the header is truncated" : "the file is empty");
  const header = readHeader(headerLine, failAt(1));
  const frames: Frame[] = [];
  let now: Partial<Frame> & Pick<Frame, "atSeconds" | "meta"> = {
    atSeconds: 0,
    meta: { cols: header.cols, rows: header.rows },
  };
  let [isChanged, isDrawn] = [false, false];
  const closeFrame = () => {
    const { capture } = now;
    if (isChanged && capture !== undefined) frames.push({ ...now, capture });
    [isChanged, isDrawn] = [false, false];
  };
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue;
    const { atSeconds, meta, ...change } = readEvent(line, now.atSeconds, failAt(index + 1));
    if (atSeconds !== now.atSeconds) closeFrame();
    now = { ...now, ...change, atSeconds, meta: present({ ...now.meta, ...meta }) };
    isChanged ||= meta !== undefined || Object.keys(change).length > 0;
    isDrawn ||= change.capture !== undefined;
  }
  // In a truncated file, markers at the end may belong to a redraw that is lost: they make no frame.
  if (!torn || isDrawn) closeFrame();
  const warnings = torn ? [`The last line of ${name} is truncated; it was dropped.`] : [];
  return { header, frames, endSeconds: now.atSeconds, warnings };
}

function readHeader(line: string, fail: (problem: string) => never): TimelineHeader {
  const parsed = Header.safeParse(parseJson(line, fail));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(`the header's ${issue?.path.join(".") || "value"} is wrong: ${issue?.message ?? "unknown"}`);
  }
  const { width, height, timestamp, panewright: { provider, version } } = parsed.data;
  return { provider, cols: width, rows: height, ...present({ version, startedAtSeconds: timestamp }) };
}

export function parseJson(line: string, fail: (problem: string) => never): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return fail("it is not JSON");
  }
}

/** What an event changes of the frame before it. */
function readEvent(
  line: string,
  lastSeconds: number,
  fail: (problem: string) => never,
): Partial<Frame> & Pick<Frame, "atSeconds"> {
  const event = parseJson(line, fail);
  if (!Array.isArray(event) || event.length !== 3) return fail("an event is [seconds, code, data]");
  const [atSeconds, code, data] = event as readonly unknown[];
  if (typeof atSeconds !== "number" || !Number.isFinite(atSeconds) || atSeconds < 0) {
    return fail("the time is not a number of seconds");
  }
  if (atSeconds < lastSeconds) return fail(`the time goes back from ${lastSeconds} to ${atSeconds}`);
  if (typeof code !== "string" || typeof data !== "string") return fail("code and data must be text");
  switch (code) {
    case "o": {
      const capture = decodeRedraw(data) ?? fail("the output does not redraw the whole screen");
      return { atSeconds, capture };
    }
    case "r": {
      const [, cols, rows] = RESIZE.exec(data) ?? fail("a size is COLUMNSxROWS");
      return { atSeconds, meta: { cols: Number(cols), rows: Number(rows) } };
    }
    case "m": {
      const marker = decodeMarker(data);
      if (marker === "malformed") return fail(`the marker ${JSON.stringify(data.slice(0, 60))} is not valid`);
      if (marker === "foreign") return { atSeconds };
      return { atSeconds, ...("status" in marker ? marker : { meta: marker as ScreenMeta }) };
    }
    default:
      return { atSeconds };
  }
}
