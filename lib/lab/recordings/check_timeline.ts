import { UsageError } from "../../base/errors.ts";
import type { Screen } from "../../screen/screen.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { filesAt } from "./corpus.ts";
import { replayTimeline, type TimelineReport } from "./replay_timeline.ts";
import type { RecordedStatus } from "./timeline.ts";
import { loadTimeline } from "./timeline_file.ts";
import { parseTruth } from "./truth.ts";

export interface CheckedTimeline extends TimelineReport {
  readonly path: string;
  readonly provider: string;
  readonly version: string | undefined;
  readonly warnings: readonly string[];
}

const RECORDING_NAME = /\.cast(\.gz)?$/;

export function isTimelinePath(path: string): boolean {
  return RECORDING_NAME.test(path);
}

export function truthPathFor(timelinePath: string): string {
  return `${timelinePath.replace(RECORDING_NAME, "")}.truth.json`;
}

export async function findTimelines(path: string) {
  const files = await filesAt(path);
  const found = Object.groupBy(
    files.filter(isTimelinePath),
    (file) => file === path || files.includes(truthPathFor(file)) ? "checkable" : "unknown",
  );
  return { checkable: found.checkable ?? [], unknown: found.unknown ?? [] };
}

export async function checkTimeline(
  path: string,
  options: { readonly classify: (provider: string, screen: Screen) => RecordedStatus; readonly pollSeconds?: number },
): Promise<CheckedTimeline> {
  const { classify, ...rest } = options;
  const timeline = await loadTimeline(path);
  const { provider, version } = timeline.header;
  const truthPath = truthPathFor(path);
  let text: string;
  try {
    text = readRegularText(truthPath, { maxBytes: MAX_TRUTH_BYTES });
  } catch (cause) {
    throw new UsageError(`Cannot check ${path}: ${truthPath} cannot be read`, {
      hint: 'A recording is checked against the truth beside it: {"source": "…", "truth": [{"from", "to", "status"}]}.',
      cause,
    });
  }
  const { truth } = parseTruth(text, truthPath);
  const report = replayTimeline(timeline, { ...rest, truth, classify: (screen) => classify(provider, screen) });
  return { path, provider, version, warnings: timeline.warnings, ...report };
}

const MAX_TRUTH_BYTES = 64 * 1024 ** 2;

const seconds = (value: number) => `${value.toFixed(1)} s`;

export function timelineFaults({ falseRests, flaps, lateChanges }: CheckedTimeline): readonly string[] {
  const stretch = (what: string, { from, to, expected, status, rule }: CheckedTimeline["flaps"][number]) =>
    `${what} from ${seconds(from)} to ${seconds(to)}: expected ${expected}, got ${status} by ${rule}`;
  return [
    ...falseRests.map((mistake) => stretch("false rest", mistake)),
    ...flaps.map((mistake) => stretch("flap", mistake)),
    ...lateChanges.map(({ atSeconds, status, lagSeconds }) =>
      `late change at ${seconds(atSeconds)}: ${status} was told ${
        lagSeconds === undefined ? "never" : `${seconds(lagSeconds)} later`
      }`
    ),
  ];
}
