import {
  encodeEnd,
  encodeEvents,
  encodeFrame,
  encodeHeader,
  type Frame,
  type Timeline,
} from "../../../lib/lab/recordings/timeline.ts";

/**
 * The recorded sessions of the project's own corpus. `blind`: some of its screens tell nothing of a streaming answer.
 */
export const TIMELINES = [
  { name: "codex-0.169.0-220x50", blind: false },
  { name: "codex-0.169.0-100x30", blind: false },
  { name: "codex-0.145.0-80x24", blind: false },
  { name: "codex-0.53.0-80x24", blind: true },
  { name: "claude-2.1.328-220x50", blind: false },
  { name: "claude-2.1.328-100x30", blind: false },
].map(({ name, blind }) => ({
  name,
  blind,
  path: new URL(`../../../fixtures/timelines/${name}.cast.gz`, import.meta.url).pathname,
}));

/** Numbers between 0 and 1 that are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A recording of an 80×4 pane of codex that shows one text after the other. */
export function timelineOf(
  shown: readonly (readonly [atSeconds: number, text: string])[],
  endSeconds: number,
): Timeline {
  const frames = shown.map(([atSeconds, capture]): Frame => ({ atSeconds, capture, meta: { cols: 80, rows: 4 } }));
  return { header: { provider: "codex", version: "0.169.0", cols: 80, rows: 4 }, frames, endSeconds };
}

/** A recording as a file. */
export function encodeTimeline({ header, frames, endSeconds }: Timeline): string {
  let previous: Frame | undefined;
  let text = encodeHeader(header);
  for (const frame of frames) {
    text += encodeEvents(encodeFrame(frame, { header, previous }));
    previous = frame;
  }
  return text + encodeEvents([encodeEnd(endSeconds)]);
}
