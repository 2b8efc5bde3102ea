import type { Screen } from "../../screen/screen.ts";
import { isAtRest, type TerminalStatus } from "../../base/status.ts";
import { frameScreen } from "./cut_fixture.ts";
import type { RecordedStatus, Timeline } from "./timeline.ts";
import type { TruthInterval } from "./truth.ts";

interface TimelineMistake {
  readonly from: number;
  readonly to: number;
  readonly expected: TerminalStatus;
  readonly status: TerminalStatus;
  readonly rule: string;
}

interface TimelineChange {
  readonly atSeconds: number;
  readonly status: TerminalStatus;
  readonly lagSeconds: number | undefined;
}

export interface TimelineReport {
  readonly frames: number;
  readonly changes: readonly TimelineChange[];
  /** Rest reported inside a turn, which would end the turn too early. */
  readonly falseRests: readonly TimelineMistake[];
  readonly flaps: readonly TimelineMistake[];
  readonly lateChanges: readonly TimelineChange[];
  readonly notAlone: readonly TimelineMistake[];
  readonly largestLagSeconds: number;
  readonly unknownSeconds: number;
}

interface ReplayOptions {
  readonly truth: readonly TruthInterval[];
  readonly classify: (screen: Screen) => RecordedStatus;
  readonly pollSeconds?: number;
}

interface Stretch extends RecordedStatus {
  readonly from: number;
  readonly to: number;
}

/** `unknown` is not a mistake, since it overwrites nothing and permits nothing, but it reports no change either. */
export function replayTimeline(timeline: Timeline, options: ReplayOptions): TimelineReport {
  const { truth, pollSeconds = 2 } = options;
  const stretches = classifyFrames(timeline, options.classify);
  const changes: TimelineChange[] = [];
  const lateChanges: TimelineChange[] = [];
  const falseRests: TimelineMistake[] = [];
  const flaps: TimelineMistake[] = [];
  const notAlone: TimelineMistake[] = [];
  let unknownSeconds = 0;
  for (const [index, interval] of truth.entries()) {
    const inside = stretches.filter(({ from, to }) => from < interval.to && to > interval.from);
    const told = stretches.findLast(({ from, status }) => from < interval.from && status !== "unknown")?.status;
    const trueBefore = truth[index - 1]?.to === interval.from ? truth[index - 1]?.status : undefined;
    const isOld = (status: TerminalStatus) =>
      status === told || status === trueBefore || (isAtRest(status) && told !== undefined && isAtRest(told));
    let toldAt: number | undefined;
    for (const { from: start, to: end, status, rule } of inside) {
      const from = Math.max(start, interval.from);
      const to = Math.min(end, interval.to);
      if (status === interval.status) {
        toldAt ??= from;
      } else if (status === "unknown") {
        unknownSeconds += to - from;
      } else if (toldAt !== undefined || !isOld(status)) {
        const mistake = { from, to, expected: interval.status, status, rule };
        const isTurn = interval.status === "processing" || interval.status === "waiting_user_answer";
        if (interval.alone === false) notAlone.push(mistake);
        else if (isTurn && isAtRest(status)) falseRests.push(mistake);
        else flaps.push(mistake);
      }
    }
    const lagSeconds = toldAt === undefined ? undefined : toldAt - interval.from;
    const change = { atSeconds: interval.from, status: interval.status, lagSeconds };
    changes.push(change);
    // A status that came and went within one poll interval cannot be seen by polling.
    const lag = lagSeconds ?? interval.to - interval.from;
    if (interval.alone !== false && lag > pollSeconds) lateChanges.push(change);
  }
  return {
    frames: timeline.frames.length,
    changes,
    falseRests,
    flaps,
    lateChanges,
    notAlone,
    largestLagSeconds: Math.max(0, ...changes.map(({ lagSeconds }) => lagSeconds ?? 0)),
    unknownSeconds,
  };
}

export function isFaultless({ falseRests, flaps, lateChanges }: TimelineReport): boolean {
  return falseRests.length + flaps.length + lateChanges.length === 0;
}

function classifyFrames(timeline: Timeline, classify: ReplayOptions["classify"]): readonly Stretch[] {
  const { frames, endSeconds } = timeline;
  const stretches: Stretch[] = [];
  for (const [index, frame] of frames.entries()) {
    const { status, rule } = classify(frameScreen(frame));
    const to = frames[index + 1]?.atSeconds ?? Math.max(endSeconds, frame.atSeconds);
    const last = stretches.at(-1);
    if (last?.status === status) stretches[stretches.length - 1] = { ...last, to };
    else stretches.push({ from: frame.atSeconds, to, status, rule });
  }
  return stretches;
}
