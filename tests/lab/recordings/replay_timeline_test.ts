import { assert, assertEquals, assertLess, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { classifyScreen } from "../../../lib/agents/classify_screen.ts";
import { checkTimeline, truthPathFor } from "../../../lib/lab/recordings/check_timeline.ts";
import { isFaultless, replayTimeline } from "../../../lib/lab/recordings/replay_timeline.ts";
import { parseTruth, type TruthInterval } from "../../../lib/lab/recordings/truth.ts";
import type { Screen } from "../../../lib/screen/screen.ts";
import { TERMINAL_STATUSES } from "../../../lib/base/status.ts";
import { encodeTimeline, timelineOf, TIMELINES } from "./support.ts";

for (const { name, path, blind } of TIMELINES) {
  Deno.test(`in the recorded session ${name} nothing flaps, no turn ends early, and every change is told in time`, async () => {
    const report = await checkTimeline(path, { classify: classifyScreen });
    assertEquals([report.falseRests, report.flaps, report.lateChanges], [[], [], []]);
    // What the screens of the oldest version cannot tell: why such a rest must be doubted where no other source speaks.
    assertEquals(report.notAlone.map(({ status }) => status), blind ? ["completed", "completed"] : []);
    assert(isFaultless(report));
    assertEquals(report.unknownSeconds, 0);
    // Codex and Claude Code defer a dialog for up to a second after the last key.
    assertLess(report.largestLagSeconds, 1.1);
    // Every status but "unknown" was there, or the session would prove little.
    const seen = new Set(report.changes.map(({ status }) => status));
    for (const status of ["idle", "processing", "completed", "waiting_user_answer"] as const) assert(seen.has(status));
    assert(report.changes.length >= 20);
  });

  Deno.test(`with rules that take a prompt for rest, the recorded session ${name} shows turns that end early`, async () => {
    const naive = (provider: string, screen: Screen) => {
      const found = classifyScreen(provider, screen);
      return found.status === "processing" ? { status: "idle" as const, rule: "prompt" } : found;
    };
    const report = await checkTimeline(path, { classify: naive });
    assert(!isFaultless(report) && report.lateChanges.length >= 3);
  });

  Deno.test(`with rules that know only the row with "esc to interrupt", the recorded session ${name} is not faultless`, async () => {
    const report = await checkTimeline(path, {
      classify: (provider, screen) => {
        const found = classifyScreen(provider, screen);
        if (found.status !== "processing") return found;
        const busy = screen.rows.some(({ text }) => /^\S .*esc to interrupt/.test(text));
        return busy ? found : { status: "completed", rule: "no-status-row" };
      },
    });
    assert(report.falseRests.length + report.notAlone.length > 0);
  });
}

const TRUTH: readonly TruthInterval[] = [
  { from: 0, to: 10, status: "idle" },
  { from: 10, to: 20, status: "processing" },
  { from: 20, to: 30, status: "completed" },
];

/** Reports on a session that shows one status after the other. */
function reportOn(shown: readonly (readonly [number, string])[], truth = TRUTH) {
  return replayTimeline(timelineOf(shown, 30), {
    truth,
    classify: (screen) => {
      const status = TERMINAL_STATUSES.find((known) => known === screen.rows[0]?.text) ?? "unknown";
      return { status, rule: "word" };
    },
  });
}

Deno.test("a session told as it was is faultless, and its lags are measured", () => {
  const report = reportOn([[0, "idle"], [10.5, "processing"], [21.5, "completed"]]);
  assert(isFaultless(report));
  assertEquals(report.changes.map(({ lagSeconds }) => lagSeconds), [0, 0.5, 1.5]);
  assertEquals(report.largestLagSeconds, 1.5);
});

Deno.test("rest inside a turn is a false rest; outside of turns, a wrong status is a flap", () => {
  const { falseRests, flaps } = reportOn([
    [0, "idle"],
    [5, "waiting_user_answer"],
    [6, "idle"],
    [10, "processing"],
    [15, "completed"],
    [15.1, "processing"],
    [16, "error"],
    [17, "processing"],
    [20, "completed"],
  ]);
  assertEquals(falseRests, [{ from: 15, to: 15.1, expected: "processing", status: "completed", rule: "word" }]);
  assertEquals(flaps.map(({ from, to, status }) => [from, to, status]), [[5, 6, "waiting_user_answer"], [
    16,
    17,
    "error",
  ]]);
});

Deno.test("a status that is neither the old one nor the new one is a mistake, also before the change was told", () => {
  const { falseRests, flaps } = reportOn([[0, "idle"], [10.1, "error"], [10.2, "processing"], [20.1, "idle"], [
    20.2,
    "completed",
  ]]);
  assertEquals([falseRests.length, flaps.map(({ from, status }) => [from, status])], [0, [[10.1, "error"], [
    20.1,
    "idle",
  ]]]);
});

Deno.test("one kind of rest may turn into the other before a new turn is told: that is the old news", () => {
  const truth: TruthInterval[] = [{ from: 0, to: 10, status: "completed" }, { from: 10, to: 30, status: "processing" }];
  assert(isFaultless(reportOn([[0, "completed"], [10.1, "idle"], [10.2, "processing"]], truth)));
});

Deno.test("a change that is told after more than a poll, or never, is late; one that was over before is not", () => {
  assertEquals(reportOn([[0, "idle"], [12.1, "processing"], [20, "completed"]]).lateChanges.length, 1);
  const never = reportOn([[0, "idle"], [20, "completed"]]).lateChanges;
  assertEquals(never, [{ atSeconds: 10, status: "processing", lagSeconds: undefined }]);
  const short: TruthInterval[] = [
    { from: 0, to: 10, status: "idle" },
    { from: 10, to: 11, status: "processing" },
    { from: 11, to: 30, status: "completed" },
  ];
  assert(isFaultless(reportOn([[0, "idle"], [11, "completed"]], short)));
});

Deno.test("unknown is no mistake, but it is counted, and it tells no change", () => {
  const report = reportOn([[0, "idle"], [10, "what"], [11.5, "processing"], [15, "what"], [16, "processing"], [
    20,
    "completed",
  ]]);
  assert(isFaultless(report));
  assertEquals([report.unknownSeconds, report.changes[1]?.lagSeconds], [2.5, 1.5]);
});

Deno.test("where no screen can tell, mistakes are counted apart", () => {
  const truth = TRUTH.map((interval) => interval.status === "processing" ? { ...interval, alone: false } : interval);
  const report = reportOn([[0, "idle"], [14, "processing"], [15, "completed"]], truth);
  assert(isFaultless(report));
  assertEquals(report.notAlone.map(({ from, to, status }) => [from, to, status]), [[15, 20, "completed"]]);
});

Deno.test("what lies between the truth's intervals is not judged", () => {
  assert(isFaultless(reportOn([[0, "error"], [5, "idle"]], [{ from: 5, to: 9, status: "idle" }])));
});

for (
  const [problem, text, message] of [
    ["no JSON", "{", "it is not JSON"],
    ["no truth", '{"source":"x","truth":[]}', "truth: "],
    ["a status that does not exist", '{"source":"x","truth":[{"from":0,"to":1,"status":"busy"}]}', "truth.0.status: "],
    ["an unknown key", '{"source":"x","truth":[{"from":0,"to":1,"status":"idle","not":1}]}', "truth.0: "],
    [
      "an interval that ends before it begins",
      '{"source":"x","truth":[{"from":2,"to":1,"status":"idle"}]}',
      "truth.0: it ends at 1",
    ],
    [
      "intervals that overlap",
      '{"source":"x","truth":[{"from":0,"to":2,"status":"idle"},{"from":1,"to":3,"status":"error"}]}',
      "truth.1: it begins at 1",
    ],
  ] as const
) {
  Deno.test(`a truth with ${problem} is refused`, () => {
    const error = assertThrows(() => parseTruth(text, "x.truth.json"), UsageError);
    assertStringIncludes(error.message, `Cannot read the truth in x.truth.json: ${message}`);
  });
}

Deno.test("a recording without the truth beside it cannot be checked, and says what is missing", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/a.cast`;
    await Deno.writeTextFile(path, encodeTimeline(timelineOf([[0, "›"]], 1)));
    const error = await checkTimeline(path, { classify: classifyScreen }).then(() => undefined, (reason) => reason);
    assert(error instanceof UsageError);
    assertStringIncludes(error.message, truthPathFor(path));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
