import { assert, assertEquals, assertLess } from "@std/assert";
import { ensureResponseDir, responsePathFor } from "../../../lib/turn/response_files.ts";
import { type TerminalApi, waitForResponseFile } from "../../../lib/turn/terminal_api.ts";
import { classifyScreen } from "../../../lib/agents/classify_screen.ts";
import { truthPathFor } from "../../../lib/lab/recordings/check_timeline.ts";
import { frameAt, frameScreen } from "../../../lib/lab/recordings/cut_fixture.ts";
import type { Timeline } from "../../../lib/lab/recordings/timeline.ts";
import { loadTimeline } from "../../../lib/lab/recordings/timeline_file.ts";
import { parseTruth, type TruthInterval } from "../../../lib/lab/recordings/truth.ts";
import { isAtRest, type TerminalStatus } from "../../../lib/base/status.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { TIMELINES } from "./support.ts";

/** A turn of a recorded session: from the prompt until the agent rests, with the dialogs that it opened. */
interface RecordedTurn {
  readonly from: number;
  readonly to: number;
  readonly intervals: readonly TruthInterval[];
}

function turnsOf(truth: readonly TruthInterval[]): RecordedTurn[] {
  const turns: RecordedTurn[] = [];
  let intervals: TruthInterval[] = [];
  for (const interval of truth) {
    if (!isAtRest(interval.status) && interval.status !== "error") {
      intervals.push(interval);
    } else if (intervals.length > 0) {
      // A turn that ends in an error has no response to wait for, and one whose end is not known cannot be judged.
      const isKnown = intervals.at(-1)!.to === interval.from;
      if (interval.status !== "error" && isKnown) {
        turns.push({ from: intervals[0]!.from, to: interval.from, intervals });
      }
      intervals = [];
    }
  }
  return turns;
}

interface Played {
  readonly returnedAt: number;
  readonly seen: readonly { readonly at: number; readonly status: TerminalStatus }[];
}

/**
 * Plays a turn to the polling of production. Its response file lies there from the beginning: only the screen holds
 * back.
 */
async function play(
  timeline: Timeline,
  options: { readonly startAt: number; readonly pollSeconds: number; readonly workdir: string },
): Promise<Played> {
  const { startAt, pollSeconds, workdir } = options;
  using clock = createFakeClock();
  const seen: { at: number; status: TerminalStatus }[] = [];
  const api: TerminalApi = {
    getStatus() {
      const at = startAt + clock.elapsedSeconds();
      const { status } = classifyScreen(timeline.header.provider, frameScreen(frameAt(timeline, at)));
      seen.push({ at, status });
      return Promise.resolve(status);
    },
    sendInput: () => Promise.reject(new Error("nothing is to be sent")),
    getLastOutput: () => Promise.reject(new Error("no output is to be read")),
  };
  await ensureResponseDir(workdir);
  await Deno.writeTextFile(responsePathFor(workdir, "tester"), "done");
  const waiting = waitForResponseFile(api, "t-1", "tester", {
    workdir,
    clock,
    settings: { pollSeconds, idleGraceSeconds: 30, responseTimeoutSeconds: 1800 },
  });
  assertEquals(await clock.runUntilSettled(waiting, { limitSeconds: 120 }), "done");
  return { returnedAt: startAt + clock.elapsedSeconds(), seen };
}

for (const { name, path } of TIMELINES.filter(({ blind }) => !blind)) {
  Deno.test(`the polling of production ends no turn of the recorded session ${name} before its end, nor later than a poll after it`, async () => {
    const timeline = await loadTimeline(path);
    const { truth } = parseTruth(await Deno.readTextFile(truthPathFor(path)), name);
    const workdir = await Deno.makeTempDir();
    try {
      const turns = turnsOf(truth);
      assert(turns.length >= 6, `${turns.length} turns`);
      let played = 0;
      for (const { from, to, intervals } of turns) {
        // The prompt counts as submitted once the screen shows that: `submit` waits for the proof.
        const busyFrom = timeline.frames.find((frame) =>
          frame.atSeconds >= from &&
          !isAtRest(classifyScreen(timeline.header.provider, frameScreen(frame)).status)
        )!.atSeconds;
        // A turn that was over before a look at the screen could catch it.
        if (busyFrom >= to) continue;
        for (const pollSeconds of [2, 0.5]) {
          for (const phase of [0, 0.13, 0.31, 0.47]) {
            const startAt = busyFrom + phase;
            if (startAt >= to) continue;
            const { returnedAt, seen } = await play(timeline, { startAt, pollSeconds, workdir });
            const what = `turn at ${from} s, polled every ${pollSeconds} s from ${startAt} s`;
            assert(returnedAt >= to, `${what}: ended at ${returnedAt} s, before ${to} s`);
            // What was drawn at most 0.2 s later, the poll, and the second look at the file.
            assertLess(returnedAt, to + 0.2 + pollSeconds + 0.1, what);
            for (const interval of intervals.filter((one) => one.to - one.from > pollSeconds + 1.5)) {
              const inside = seen.filter(({ at }) => at >= interval.from && at < interval.to);
              const told = inside.find(({ status }) => status === interval.status);
              assert(told, `${what}: ${interval.status} from ${interval.from} s was not seen`);
              const lateFrom = Math.max(startAt, interval.from + 1.5);
              assert(
                inside.every(({ at, status }) => at < lateFrom || status === interval.status),
                `${what}: another status than ${interval.status} after ${lateFrom} s`,
              );
            }
            played++;
          }
        }
      }
      assert(played >= 30, `${played} plays`);
    } finally {
      await Deno.remove(workdir, { recursive: true });
    }
  });
}
