import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError, UsageError } from "../../../lib/base/errors.ts";
import { type RecorderOptions, recordPane } from "../../../lib/lab/recordings/recorder.ts";
import { createRecordingFile } from "../../../lib/lab/recordings/timeline_file.ts";
import { readTimeline } from "../../../lib/lab/recordings/timeline_reader.ts";
import { parseScreen, type Screen, type ScreenMeta } from "../../../lib/screen/screen.ts";
import { createFakeClock, type FakeClock } from "../../support/fake_clock.ts";

const META: ScreenMeta = { cols: 80, rows: 3, title: "proj", cursor: [2, 0], dead: false };

/** What a pane shows from a second on; an Error is what reading it fails with. */
type Shown = readonly [fromSecond: number, screen: Screen | Error];

async function record(
  clock: FakeClock,
  shown: readonly Shown[],
  options: Partial<RecorderOptions> = {},
) {
  const written: string[] = [];
  let looks = 0;
  const result = await clock.runUntilSettled(recordPane({
    about: { provider: "codex", version: "0.169.0", startedAtSeconds: 1795161590 },
    capture: () => {
      looks++;
      const screen = shown.findLast(([from]) => from <= clock.elapsedSeconds() + 1e-9)![1];
      return screen instanceof Error ? Promise.reject(screen) : Promise.resolve(screen);
    },
    write: (lines) => written.push(lines),
    classify: (screen) => ({ status: screen.rows[0]?.text.includes("busy") ? "processing" : "idle", rule: "word" }),
    scrub: (text) => text.replaceAll("secret", "xxxxxx"),
    clock,
    signal: new AbortController().signal,
    intervalMs: 100,
    ...options,
  }));
  return { result, written, looks, timeline: readTimeline(written.join("")) };
}

Deno.test("only what changes is recorded, each frame in one piece, until the program has ended", async () => {
  using clock = createFakeClock();
  const { result, written, timeline, looks } = await record(clock, [
    [0, parseScreen("› one", META)],
    [1, parseScreen("busy", { ...META, title: "⠋ proj" })],
    [2, parseScreen("busy", { ...META, title: "⠙ proj" })],
    [3, parseScreen("busy", { ...META, title: "⠙ proj", dead: true })],
  ]);
  assertEquals(result, { frames: 4, seconds: 3, ended: "command_ended", distortedFrames: 0 });
  assertEquals(looks, 31);
  assertEquals(
    timeline.frames.map(({ atSeconds, capture, meta, status }) => [atSeconds, capture, meta.title, status?.status]),
    [[0, "› one", "proj", "idle"], [1, "busy", "⠋ proj", "processing"], [2, "busy", "⠙ proj", "processing"], [
      3,
      "busy",
      "⠙ proj",
      "processing",
    ]],
  );
  assertEquals(timeline.frames[3]?.meta.dead, true);
  // The header, four frames and the end; every piece is whole lines.
  assertEquals(written.length, 6);
  assert(written.every((piece) => piece.endsWith("\n")));
  assertEquals(written[2]?.match(/\[1,"[mo]"/g)?.length, 3);
});

Deno.test("secrets are taken out of rows and title before anything is written", async () => {
  using clock = createFakeClock();
  const screen = parseScreen("a secret", { ...META, title: "the secret" });
  const { written, timeline } = await record(clock, [[0, screen]], { durationMs: 200 });
  assert(!written.join("").includes("secret"));
  assertEquals([timeline.frames[0]?.capture, timeline.frames[0]?.meta.title], ["a xxxxxx", "the xxxxxx"]);
});

Deno.test("a frame that says something else without its secrets keeps the status of the real screen, and is told of", async () => {
  using clock = createFakeClock();
  const { result, timeline } = await record(clock, [[0, parseScreen("busy", META)]], {
    scrub: (text) => text.replaceAll("busy", "xxxx"),
    durationMs: 200,
  });
  assertEquals([result.distortedFrames, timeline.frames[0]?.status?.status], [1, "processing"]);
});

Deno.test("a recording ends when its time is up, and knows how long the last frame stayed", async () => {
  using clock = createFakeClock();
  const { result, timeline } = await record(clock, [[0, parseScreen("›", META)]], { durationMs: 1250 });
  assertEquals([result.ended, result.seconds, result.frames], ["duration", 1.25, 1]);
  assertEquals([timeline.endSeconds, timeline.frames.length], [1.25, 1]);
});

Deno.test("a recording ends when its pane is gone", async () => {
  using clock = createFakeClock();
  const { result } = await record(clock, [[0, parseScreen("›", META)], [
    1,
    new RuntimeError("Cannot read pane %1: gone"),
  ]]);
  assertEquals([result.ended, result.seconds], ["pane_gone", 1]);
});

Deno.test("a recording ends as a success when it is stopped, also while the pane is read", async () => {
  for (const duringCapture of [true, false]) {
    using clock = createFakeClock();
    const controller = new AbortController();
    clock.at(duringCapture ? 0.95 : 1.05, () => controller.abort(new Error("stop")));
    const { result, written } = await record(clock, [[0, parseScreen("›", META)]], {
      signal: controller.signal,
      ...(duringCapture
        ? {
          capture: async () => {
            await clock.sleep(90);
            controller.signal.throwIfAborted();
            return parseScreen("›", META);
          },
        }
        : {}),
    });
    assertEquals(result.ended, "stopped");
    assert(written.at(-1)?.endsWith('"m","end"]\n'));
  }
});

Deno.test("a pane that cannot be read at all is an error, and nothing is written", async () => {
  using clock = createFakeClock();
  const written: string[] = [];
  await assertRejects(
    () =>
      record(clock, [[0, new RuntimeError("Cannot read pane %9: can't find pane")]], {
        write: (text) => written.push(text),
      }),
    RuntimeError,
    "can't find pane",
  );
  assertEquals(written, []);
});

Deno.test("what goes wrong besides the pane is not taken for the end of the recording", async () => {
  using clock = createFakeClock();
  await assertRejects(
    () => record(clock, [[0, parseScreen("›", META)], [1, new TypeError("a bug")]]),
    TypeError,
    "a bug",
  );
});

Deno.test("a slow terminal makes recordings coarser, not longer", async () => {
  using clock = createFakeClock();
  let looks = 0;
  const { result } = await record(clock, [[0, parseScreen("›", META)]], {
    durationMs: 2000,
    capture: async () => {
      looks++;
      await clock.sleep(250);
      return parseScreen(`${looks}`, META);
    },
  });
  assert(looks >= 5 && looks <= 8, `${looks} looks`);
  assert(result.seconds <= 2.3, `${result.seconds} s`);
});

Deno.test("the file of a recording belongs to its owner alone, replaces nothing, and does not stay when it is empty", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/a.cast`;
    {
      using _file = createRecordingFile(path);
    }
    assertEquals([...Deno.readDirSync(dir)], []);
    {
      using file = createRecordingFile(path);
      file.write("ä\n");
      assertEquals(await Deno.readTextFile(path), "ä\n");
    }
    if (Deno.build.os !== "windows") assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    assertThrows(() => createRecordingFile(path), UsageError, "it exists already");
    assertEquals(await Deno.readTextFile(path), "ä\n");
    assertThrows(() => createRecordingFile(`${dir}/no/a.cast`), UsageError, "Cannot record to");
    assertThrows(() => createRecordingFile(`${dir}/b.cast.gz`), UsageError, "uncompressed");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
