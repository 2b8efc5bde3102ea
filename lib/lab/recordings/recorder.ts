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

export async function recordPane(options: RecorderOptions): Promise<RecordingResult> {
  const { about, capture, clock, durationMs = Infinity, intervalMs, onProgress, signal, write } = options;
  const startedMs = clock.now();
  const secondsNow = () => (clock.now() - startedMs) / 1000;
  let screen = await capture();
  const header: TimelineHeader = { ...about, cols: screen.cols ?? 80, rows: screen.height ?? screen.rows.length };
  write(encodeHeader(header));

  let seen = "";
  let made: ReturnType<typeof makeFrame> | undefined;
  let distortedFrames = 0;
  let previous: Frame | undefined;
  let written = 0;
  const finish = (ended: RecordingResult["ended"]): RecordingResult => {
    write(encodeEvents([encodeEnd(secondsNow())]));
    return { frames: written, seconds: secondsNow(), ended, distortedFrames };
  };
  for (;;) {
    const atSeconds = secondsNow();
    const { styled: _, ...shown } = screen;
    const now = JSON.stringify(shown);
    if (made === undefined || now !== seen) {
      made = makeFrame(screen, options);
      if (made.isDistorted) distortedFrames++;
    }
    seen = now;
    const frame = { ...made.frame, atSeconds };
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

function makeFrame(screen: Screen, { classify, scrub }: Pick<RecorderOptions, "classify" | "scrub">) {
  const { rows, height, styled: _, ...known } = screen;
  const text = rows.map(({ raw }) => raw).join("\n");
  const { status, rule } = classify(screen);
  const title = known.title === undefined ? undefined : scrub(known.title, undefined);
  const meta: ScreenMeta = { ...known, ...present({ rows: height, title }) };
  const capture = scrub(text, meta.cols);
  const isOther = capture !== text || title !== known.title;
  const isDistorted = isOther && classify(parseScreen(capture, meta)).status !== status;
  return { frame: { capture, meta, status: { status, rule } }, isDistorted };
}
