import { assert, assertEquals } from "@std/assert";
import { findPaneProvider } from "../../../lib/agents/mod.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { StatusTracker } from "../../../lib/agents/pane/status_tracker.ts";
import { truthPathFor } from "../../../lib/lab/recordings/check_timeline.ts";
import { frameAt, frameScreen } from "../../../lib/lab/recordings/cut_fixture.ts";
import { loadTimeline } from "../../../lib/lab/recordings/timeline_file.ts";
import { parseTruth } from "../../../lib/lab/recordings/truth.ts";
import type { Screen } from "../../../lib/screen/screen.ts";
import { isAtRest } from "../../../lib/base/status.ts";
import { TIMELINES } from "../../lab/recordings/support.ts";
import { stillClock } from "../../support/still_clock.ts";

/** As far as a screen may lag behind the truth: what was asked for is drawn within this time. */
const LAG_SECONDS = 0.5;

/** How late a rest may be told: a poll, and the time for which a doubtful screen must stand still. */
const POLL_SECONDS = 0.25;
const QUIET_SECONDS = 8;

function withoutTitle({ title: _title, ...screen }: Screen): Screen {
  return screen;
}

for (const { name, path } of TIMELINES) {
  for (const titled of name.startsWith("codex") ? [true, false] : [true]) {
    const how = titled ? "as recorded" : "without the title, as with animations off";
    Deno.test(`the recorded session ${name}, ${how} and without any record, is never said to rest inside a turn`, async () => {
      const timeline = await loadTimeline(path);
      const { truth } = parseTruth(await Deno.readTextFile(truthPathFor(path)), name);
      const { rules } = findPaneProvider(timeline.header.provider).terminal;
      const clock = stillClock();
      const tracker = new StatusTracker({ rules, clock, quietMs: QUIET_SECONDS * 1000, log: () => {} });
      const wrong: string[] = [];
      let looks = 0;
      let rests = 0;
      for (let atSeconds = timeline.frames[0]!.atSeconds; atSeconds < timeline.endSeconds; atSeconds += POLL_SECONDS) {
        const shown = frameScreen(frameAt(timeline, atSeconds));
        const screen = titled ? shown : withoutTitle(shown);
        const { status, rule } = await tracker.judge(readScreen(screen, rules, { signs: tracker.unseenRules }));
        clock.advance(POLL_SECONDS * 1000);
        const now = truth.find(({ from, to }) => atSeconds >= from + LAG_SECONDS && atSeconds < to);
        if (now?.status === "processing" || now?.status === "waiting_user_answer") {
          looks++;
          if (isAtRest(status)) wrong.push(`${atSeconds} s: ${status} (${rule})`);
        } else if (now !== undefined && isAtRest(now.status)) {
          if (isAtRest(status)) rests++;
          else if (atSeconds > now.from + LAG_SECONDS + QUIET_SECONDS) {
            wrong.push(`${atSeconds} s: ${status} (${rule})`);
          }
        }
      }
      assertEquals(wrong, []);
      assert(looks > 40 && rests > 10, `${looks} looks at work, ${rests} at rest`);
    });
  }
}
