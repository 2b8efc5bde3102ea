import type { Recording } from "./recording.ts";

/** What is so from a moment on, in milliseconds from the beginning, as CSS declarations. */
export type Step = readonly [atMs: number, declarations: string];

/** Nothing to be seen for longer than this is cut to it. */
const MAX_GAP_MS = 700;

/** How long the typed command stands alone, the result, each line after it, and all of it at the end. */
const TYPED_MS = 800;
const RESULT_MS = 1500;
const LINE_MS = 160;
const END_MS = 6000;

/** When what was recorded is played. */
export interface PlayedTimes {
  /** When a moment of the recording is played. */
  at(recordedMs: number): number;
  /** The number of each line of the log, the typed one first, with when it comes. */
  readonly log: readonly (readonly [atMs: number, line: number])[];
  /** When the job is over; its last lines come one by one from then on, so that they can be read. */
  readonly end: number;
  /** Of the whole picture. */
  readonly duration: number;
}

/** Plans how a recording is played: as it was, without its long pauses. */
export function playedTimes({ log, live, panes, endMs }: Recording): PlayedTimes {
  const over = log.filter(({ atMs }) => atMs >= endMs).length;
  const moments = [...new Set([...log, ...live, ...panes].map(({ atMs }) => atMs))].sort((left, right) => left - right);
  const played = new Map<number, number>();
  let now = TYPED_MS;
  for (const [index, moment] of moments.entries()) {
    now += Math.min(MAX_GAP_MS, moment - (moments[index - 1] ?? moment));
    played.set(moment, now);
  }
  const end = now;
  const at = (recordedMs: number) => played.get(recordedMs) ?? end;
  const before = log.slice(0, log.length - over).map(({ atMs }, index) => [at(atMs), index + 1] as const);
  const after = Array.from({ length: over }, (_, index) => {
    const atMs = index === 0 ? end : end + RESULT_MS + index * LINE_MS;
    return [atMs, before.length + index + 1] as const;
  });
  return { at, log: [[0, 0], ...before, ...after], end, duration: end + RESULT_MS + over * LINE_MS + END_MS };
}

/**
 * CSS that plays steps over and over for the element with an id of that name, and shows one of them where nothing plays.
 *
 * @param options.stillMs the moment that is shown where nothing plays
 */
export function stepsAnimation(
  name: string,
  { steps, durationMs, stillMs }: {
    readonly steps: readonly Step[];
    readonly durationMs: number;
    readonly stillMs: number;
  },
): string {
  // Of several steps at one moment the last one counts.
  const byPlace = new Map(steps.map(([atMs, declarations]) => [percent(atMs / durationMs), declarations]));
  const [, first = ""] = steps[0] ?? [];
  const [, still = first] = steps.findLast(([atMs]) => atMs <= stillMs) ?? [];
  const frames = [...byPlace].filter(([, declarations], index, all) => declarations !== all[index - 1]?.[1]);
  const start = byPlace.has("0") ? "" : `0%{${first}}`;
  const keyframes = `${start}${frames.map(([place, declarations]) => `${place}%{${declarations}}`).join("")}`;
  return `@keyframes ${name}{${keyframes}}#${name}{${still};animation:${name} ${durationMs}ms step-end infinite}`;
}

function percent(share: number): string {
  return String(Math.round(share * 10_000) / 100);
}
