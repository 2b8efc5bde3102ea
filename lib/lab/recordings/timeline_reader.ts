import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import type { ScreenMeta } from "../../screen/screen.ts";
import {
  decodeMarker,
  decodeRedraw,
  type Frame,
  type RecordedStatus,
  type Timeline,
  type TimelineHeader,
} from "./timeline.ts";
import { present } from "../../base/schema.ts";

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
  const fail = (line: number, problem: string): never => {
    throw new UsageError(`Cannot read ${name}, line ${line}: ${problem}`, {
      hint: "A recording is an asciicast v2 file that `panewright record` wrote.",
    });
  };
  const [headerLine] = lines;
  if (headerLine === undefined) return fail(1, torn ? "the header is truncated" : "the file is empty");
  const header = readHeader(headerLine, (problem) => fail(1, problem));
  const state = new FrameCollector(header);
  for (const [index, line] of lines.entries()) {
    if (index > 0 && line.trim() !== "") applyEvent(state, line, (problem) => fail(index + 1, problem));
  }
  const warnings = torn ? [`The last line of ${name} is truncated; it was dropped.`] : [];
  return { header, frames: state.finish({ torn }), endSeconds: state.atSeconds, warnings };
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

function parseJson(line: string, fail: (problem: string) => never): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return fail("it is not JSON");
  }
}

function applyEvent(state: FrameCollector, line: string, fail: (problem: string) => never): void {
  const event = parseJson(line, fail);
  if (!Array.isArray(event) || event.length !== 3) return fail("an event is [seconds, code, data]");
  const [at, code, data] = event as readonly unknown[];
  if (typeof at !== "number" || !Number.isFinite(at) || at < 0) return fail("the time is not a number of seconds");
  if (at < state.atSeconds) return fail(`the time goes back from ${state.atSeconds} to ${at}`);
  if (typeof code !== "string" || typeof data !== "string") return fail("code and data must be text");
  state.advance(at);
  switch (code) {
    case "o": {
      const capture = decodeRedraw(data);
      if (capture === undefined) return fail("the output does not redraw the whole screen");
      return state.draw(capture);
    }
    case "r": {
      const size = RESIZE.exec(data);
      if (!size) return fail("a size is COLUMNSxROWS");
      return state.set({ cols: Number(size[1]), rows: Number(size[2]) });
    }
    case "m": {
      const marker = decodeMarker(data);
      if (marker === "malformed") return fail(`the marker ${JSON.stringify(data.slice(0, 60))} is not valid`);
      if (marker === "foreign") return;
      if (marker.kind === "status") return state.judge(marker.status);
      return state.set({ [marker.name]: marker.value });
    }
  }
}

class FrameCollector {
  atSeconds = 0;
  readonly #frames: Frame[] = [];
  #capture: string | undefined;
  #meta: ScreenMeta;
  #status: RecordedStatus | undefined;
  #changed = false;
  #drawn = false;

  constructor(header: TimelineHeader) {
    this.#meta = { cols: header.cols, rows: header.rows };
  }

  advance(atSeconds: number): void {
    if (atSeconds === this.atSeconds) return;
    this.#closeFrame();
    this.atSeconds = atSeconds;
  }

  draw(capture: string): void {
    this.#capture = capture;
    this.#changed = this.#drawn = true;
  }

  set(change: Readonly<Record<string, unknown>>): void {
    const entries = Object.entries({ ...this.#meta, ...change }).filter(([, value]) => value !== undefined);
    this.#meta = Object.fromEntries(entries);
    this.#changed = true;
  }

  judge(status: RecordedStatus): void {
    this.#status = status;
    this.#changed = true;
  }

  /** In a truncated file, markers at the end may belong to a redraw that is lost: they make no frame. */
  finish({ torn }: { readonly torn: boolean }): readonly Frame[] {
    if (!torn || this.#drawn) this.#closeFrame();
    return this.#frames;
  }

  #closeFrame(): void {
    if (this.#changed && this.#capture !== undefined) {
      this.#frames.push({
        atSeconds: this.atSeconds,
        capture: this.#capture,
        meta: this.#meta,
        ...(this.#status ? { status: this.#status } : {}),
      });
    }
    this.#changed = this.#drawn = false;
  }
}
