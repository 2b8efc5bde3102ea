import { PanewrightError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { parseScreen, type Screen, type ScreenMeta } from "../../screen/screen.ts";
import {
  encodeEnd,
  encodeEvents,
  encodeFrame,
  encodeHeader,
  type Frame,
  type RecordedStatus,
  type TimelineHeader,
} from "./timeline.ts";
import { present } from "../../base/schema.ts";

export interface RecorderOptions {
  readonly about: Omit<TimelineHeader, "cols" | "rows">;
  readonly capture: () => Promise<Screen>;
  readonly write: (lines: string) => void;
  readonly classify: (screen: Screen) => RecordedStatus;
  readonly scrub: (text: string, cols: number | undefined) => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  readonly durationMs?: number;
  readonly onProgress?: (progress: RecordingProgress) => void;
}

export interface RecordingProgress {
  readonly atSeconds: number;
  readonly frames: number;
  readonly status: RecordedStatus;
}

export interface RecordingResult {
  readonly frames: number;
  readonly seconds: number;
  readonly ended: "command_ended" | "pane_gone" | "duration" | "stopped";
  readonly distortedFrames: number;
}

/** Only changes are written, with secrets replaced, and each frame in one piece. */
export async function recordPane(options: RecorderOptions): Promise<RecordingResult> {
  const { about, capture, clock, durationMs = Infinity, intervalMs, onProgress, signal, write } = options;
  const startedMs = clock.now();
  const secondsNow = () => (clock.now() - startedMs) / 1000;
  let screen = await capture();
  const header: TimelineHeader = { ...about, cols: screen.cols ?? 80, rows: screen.height ?? screen.rows.length };
  write(encodeHeader(header));

  const frames = new FrameMaker(options);
  let previous: Frame | undefined;
  let written = 0;
  const finish = (ended: RecordingResult["ended"]): RecordingResult => {
    write(encodeEvents([encodeEnd(secondsNow())]));
    return { frames: written, seconds: secondsNow(), ended, distortedFrames: frames.distorted };
  };
  for (;;) {
    const frame = frames.make(screen, secondsNow());
    const events = encodeFrame(frame, { header, previous });
    if (events.length > 0) {
      write(encodeEvents(events));
      previous = frame;
      written++;
    }
    onProgress?.({ atSeconds: frame.atSeconds, frames: written, status: frame.status });
    if (screen.dead === true) return finish("command_ended");
    const elapsedMs = clock.now() - startedMs;
    if (elapsedMs >= durationMs) return finish("duration");
    const untilNextMs = intervalMs - elapsedMs % intervalMs;
    try {
      await clock.sleep(Math.max(1, Math.min(untilNextMs, durationMs - elapsedMs)), signal);
      screen = await capture();
    } catch (error) {
      if (signal.aborted) return finish("stopped");
      if (error instanceof PanewrightError) return finish("pane_gone");
      throw error;
    }
  }
}

class FrameMaker {
  distorted = 0;
  readonly #options: Pick<RecorderOptions, "classify" | "scrub">;
  #seen: string | undefined;
  #frame: Frame & { readonly status: RecordedStatus } | undefined;

  constructor(options: Pick<RecorderOptions, "classify" | "scrub">) {
    this.#options = options;
  }

  make(screen: Screen, atSeconds: number): Frame & { readonly status: RecordedStatus } {
    const { rows, height, styled: _, ...known } = screen;
    const text = rows.map(({ raw }) => raw).join("\n");
    const meta: ScreenMeta = { ...known, ...present({ rows: height }) };
    const seen = JSON.stringify([text, meta]);
    if (this.#frame !== undefined && seen === this.#seen) return this.#frame = { ...this.#frame, atSeconds };
    this.#seen = seen;

    const { classify, scrub } = this.#options;
    const { status, rule } = classify(screen);
    const capture = scrub(text, meta.cols);
    const title = meta.title === undefined ? undefined : scrub(meta.title, undefined);
    const scrubbedMeta = { ...meta, ...present({ title }) };
    if (capture !== text || title !== meta.title) {
      if (classify(parseScreen(capture, scrubbedMeta)).status !== status) this.distorted++;
    }
    return this.#frame = { atSeconds, capture, meta: scrubbedMeta, status: { status, rule } };
  }
}
