import { walk } from "@std/fs";
import { type CheckedTimeline, checkTimeline, isTimelinePath, truthPathFor } from "../check_timeline.ts";
import { classify, type RulePack } from "../../screen/mod.ts";

/** The timelines of a path, as far as it is known what they should show. */
export interface FoundTimelines {
  /** Those that have their truth beside them, by path. */
  readonly checkable: readonly string[];
  /** Those that have none. */
  readonly unknown: readonly string[];
}

/** The timelines at or below a path, in the order of their paths. Symbolic links are not followed. */
export async function findTimelines(path: string): Promise<FoundTimelines> {
  const paths = new Set<string>();
  if ((await Deno.stat(path)).isFile) paths.add(path);
  else for await (const entry of walk(path, { includeDirs: false, includeSymlinks: false })) paths.add(entry.path);
  const timelines = [...paths].filter(isTimelinePath).toSorted();
  // A timeline that is named by itself shall not be passed over in silence.
  const hasTruth = (timeline: string) => timeline === path || paths.has(truthPathFor(timeline));
  return {
    checkable: timelines.filter(hasTruth),
    unknown: timelines.filter((timeline) => !hasTruth(timeline)),
  };
}

/**
 * What the rules say over the time of a recording, compared with the truth beside it.
 *
 * @throws {UsageError} when the recording or its truth is missing or wrong
 */
export function checkTimelineRules(path: string, findPack: (provider: string) => RulePack): Promise<CheckedTimeline> {
  return checkTimeline(path, {
    classify: (provider, screen) => {
      const { status, rule } = classify(screen, findPack(provider));
      return { status, rule };
    },
  });
}

const seconds = (value: number) => `${value.toFixed(1)} s`;

/** Each thing that the rules get wrong over the time of a recording, as a line. */
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
