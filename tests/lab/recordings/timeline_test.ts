import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import {
  decodeMarker,
  decodeRedraw,
  encodeFrame,
  encodeHeader,
  encodeRedraw,
  type Frame,
  type Timeline,
} from "../../../lib/lab/recordings/timeline.ts";
import { loadTimeline } from "../../../lib/lab/recordings/timeline_file.ts";
import { readTimeline } from "../../../lib/lab/recordings/timeline_reader.ts";
import { TERMINAL_STATUSES } from "../../../lib/base/status.ts";
import { encodeTimeline, randomNumbers, timelineOf, TIMELINES } from "./support.ts";

const PIECES = [
  "\n",
  "\r",
  "\x1b[1m",
  "\x1b[0m",
  "\x1b[39m\x1b[49m",
  "\x1b[",
  "\x1b[2;4H",
  "\x1b[?25h",
  "› ",
  "• Working",
  "界",
  "é",
  "\u0301",
  "🙂",
  " ",
  '"',
  "\\",
  "\u2028",
];

function randomTimeline(seed: number): Timeline {
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const text = () => Array.from({ length: Math.floor(random() * 12) }, () => pick(PIECES)).join("");
  const maybe = <K extends string, V>(key: K, value: () => V) => random() < 0.5 ? {} : { [key]: value() };
  const frames: Frame[] = [];
  let atSeconds = 0;
  for (let index = 0; index < 8; index++) {
    atSeconds = Math.round((atSeconds + 0.001 + random()) * 1000) / 1000;
    frames.push({
      atSeconds,
      capture: text(),
      meta: {
        cols: pick([80, 120]),
        rows: pick([24, 50]),
        ...maybe("title", text),
        ...maybe("cursor", () => [Math.floor(random() * 80), Math.floor(random() * 24)] as const),
        ...maybe("cursorVisible", () => random() < 0.5),
        ...maybe("alternate", () => random() < 0.5),
        ...maybe("command", text),
        ...maybe("dead", () => random() < 0.5),
      },
      // Each one differs from the one before: what does not change is not written, and so is no frame.
      status: { status: TERMINAL_STATUSES[index % TERMINAL_STATUSES.length]!, rule: pick(["composer", "a (b) c"]) },
    });
  }
  return {
    header: { provider: "codex", version: "0.169.0", cols: 80, rows: 24, startedAtSeconds: 1795161590 },
    frames,
    endSeconds: atSeconds + 1,
  };
}

Deno.test("whatever was recorded is read back exactly: captures, metadata, statuses and times", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const timeline = randomTimeline(seed);
    const { warnings, ...read } = readTimeline(encodeTimeline(timeline));
    assertEquals(warnings, []);
    assertEquals(read.endSeconds.toFixed(3), timeline.endSeconds.toFixed(3));
    assertEquals({ ...read, endSeconds: 0 }, { ...timeline, endSeconds: 0 }, `seed ${seed}`);
  }
});

Deno.test("a redraw clears the screen first and ends with the cursor where it was", () => {
  const data = encodeRedraw("one\ntwo", { cursor: [2, 1], cursorVisible: false });
  assertEquals(data, "\x1b[0m\x1b[H\x1b[2Jone\r\ntwo\x1b[0m\x1b[2;3H\x1b[?25l");
  assertEquals(decodeRedraw("one\r\ntwo"), undefined);
  assertEquals(decodeRedraw(data.slice(0, -1)), undefined);
});

Deno.test("a recording is an asciicast v2 file: header, output, marker and resize events, nothing else", () => {
  const lines = encodeTimeline(randomTimeline(7)).trimEnd().split("\n").map((line) => JSON.parse(line));
  const [header, ...events] = lines;
  assertEquals([header.version, header.width, header.height, typeof header.timestamp], [2, 80, 24, "number"]);
  assert(Object.values(header.env).every((value) => typeof value === "string"));
  let before = 0;
  for (const [at, code, data] of events) {
    assert(at >= before && ["o", "m", "r"].includes(code) && typeof data === "string", JSON.stringify([at, code]));
    before = at;
  }
});

Deno.test("what does not change is not written; a change of the title alone draws nothing", () => {
  const { header, frames: [frame] } = timelineOf([[1, "›"]], 2);
  assert(frame);
  assertEquals(encodeFrame({ ...frame, atSeconds: 2 }, { header, previous: frame }), []);
  const titled = { ...frame, atSeconds: 2, meta: { ...frame.meta, title: "⠋ proj" } };
  assertEquals(encodeFrame(titled, { header, previous: frame }), [[2, "m", 'title: "⠋ proj"']]);
  assertEquals(encodeFrame(frame, { header, previous: titled })[0], [1, "m", "title: null"]);
});

Deno.test("a pane that was resized is drawn anew even where its rows are the same", () => {
  const { header, frames: [frame] } = timelineOf([[1, "›"]], 2);
  assert(frame);
  const resized = { ...frame, meta: { cols: 100, rows: 30 } };
  assertEquals(encodeFrame(resized, { header, previous: frame }).map(([, code]) => code), ["r", "o"]);
});

Deno.test("any prefix of a recording reads as a prefix of its frames, and a torn last line is told of", () => {
  const text = encodeTimeline(randomTimeline(3));
  const { frames } = readTimeline(text);
  const headerEnd = text.indexOf("\n") + 1;
  for (let length = 0; length < text.length; length++) {
    const prefix = text.slice(0, length);
    if (length < headerEnd) {
      assertStringIncludes(assertThrows(() => readTimeline(prefix), UsageError).message, "line 1: ");
      continue;
    }
    const read = readTimeline(prefix);
    assertEquals(read.warnings.length, prefix.endsWith("\n") ? 0 : 1);
    if (!prefix.endsWith("\n")) assertEquals(read.frames, frames.slice(0, read.frames.length), `${length} characters`);
  }
});

const HEADER = encodeHeader({ provider: "codex", cols: 80, rows: 24 });

for (
  const [problem, text, message] of [
    ["an empty file", "", "line 1: the file is empty"],
    ["a header that is cut", '{"version":2', "line 1: the header is truncated"],
    ["no JSON", "hello\n", "line 1: it is not JSON"],
    [
      "another version of asciicast",
      '{"version":3,"term":{"cols":80,"rows":24}}\n',
      "line 1: the header's version is wrong: it must be 2",
    ],
    [
      "a recording of asciinema's",
      '{"version":2,"width":80,"height":24}\n',
      "line 1: the header's panewright is wrong: it is missing",
    ],
    ["a size beyond all terminals", '{"version":2,"width":1e9,"height":24}\n', "line 1: the header's width is wrong"],
    [
      "a later format",
      HEADER.replace('"format":1', '"format":2'),
      "line 1: the header's panewright.format is wrong: this panewright reads format 1",
    ],
    ["an event that is no array", `${HEADER}{"a":1}\n`, "line 2: an event is [seconds, code, data]"],
    ["an event with a hole", `${HEADER}[1,"o"]\n`, "line 2: an event is [seconds, code, data]"],
    ["a time that is no number", `${HEADER}["1","o","x"]\n`, "line 2: the time is not a number of seconds"],
    ["a time before the beginning", `${HEADER}[-1,"o","x"]\n`, "line 2: the time is not a number of seconds"],
    ["time that goes back", `${HEADER}[2,"m","a"]\n[1,"m","b"]\n`, "line 3: the time goes back from 2 to 1"],
    [
      "output that is no full redraw",
      `${HEADER}\n[1,"o","x"]\n`,
      "line 3: the output does not redraw the whole screen",
    ],
    ["an impossible size", `${HEADER}[1,"r","80"]\n`, "line 2: a size is COLUMNSxROWS"],
    [
      "a marker of ours that makes no sense",
      `${HEADER}[1,"m","cursor: [1]"]\n`,
      'line 2: the marker "cursor: [1]" is not valid',
    ],
    [
      "a status that does not exist",
      `${HEADER}[1,"m","status: busy (x)"]\n`,
      'line 2: the marker "status: busy (x)" is not valid',
    ],
    ["data that is no text", `${HEADER}[1,"m",7]\n`, "line 2: code and data must be text"],
  ] as const
) {
  Deno.test(`a recording with ${problem} is refused, naming the line`, () => {
    const error = assertThrows(() => readTimeline(text, "x.cast"), UsageError);
    assertStringIncludes(error.message, `Cannot read x.cast, ${message}`);
  });
}

Deno.test("markers and events of other tools are skipped", () => {
  const redraw = JSON.stringify([1, "o", encodeRedraw("›", {})]);
  const text = `${HEADER}[0.5,"i","ls"]\n${redraw}\n[2,"m","look: here"]\n[2,"m",""]\n[3,"x","0"]\n`;
  const { frames, endSeconds } = readTimeline(text);
  assertEquals([frames.map(({ atSeconds }) => atSeconds), endSeconds], [[1], 3]);
  assertEquals(decodeMarker("look: here"), "foreign");
});

Deno.test("a recording is read from a plain file and from a compressed one, whatever its name", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const timeline = randomTimeline(11);
    const text = encodeTimeline(timeline);
    await Deno.writeTextFile(`${dir}/a.cast`, text);
    await Deno.writeFile(`${dir}/b`, await gzip(text));
    const [plain, compressed] = [await loadTimeline(`${dir}/a.cast`), await loadTimeline(`${dir}/b`)];
    assertEquals(plain.frames, timeline.frames);
    assertEquals(compressed, plain);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("of a compressed recording that is cut, what can be unpacked is read, with a warning", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const long = timelineOf(Array.from({ length: 5000 }, (_, at) => [at, `frame ${at * 7919 % 4999}`] as const), 6000);
    const bytes = await gzip(encodeTimeline(long));
    await Deno.writeFile(`${dir}/cut.cast.gz`, bytes.slice(0, bytes.length - 2000));
    const { frames, warnings } = await loadTimeline(`${dir}/cut.cast.gz`);
    assert(frames.length > 1000 && frames.length < 5000, `${frames.length} frames`);
    assertEquals(frames, long.frames.slice(0, frames.length));
    assertStringIncludes(warnings[0] ?? "", "is truncated");
    await Deno.writeFile(`${dir}/bad.cast.gz`, new Uint8Array([0x1f, 0x8b, 1, 2, 3]));
    for (const [name, problem] of [["bad.cast.gz", "gzip data is damaged"], ["none.cast", "Cannot read"]] as const) {
      const error = await loadTimeline(`${dir}/${name}`).then(() => undefined, (reason) => reason);
      assert(error instanceof UsageError && error.message.includes(problem), String(error));
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

for (const { name, path } of TIMELINES) {
  Deno.test(`the recorded session ${name} is written as it was read`, async () => {
    const timeline = await loadTimeline(path);
    assert(timeline.frames.length > 150);
    assertEquals(timeline.warnings, []);
    const { warnings: _, ...again } = readTimeline(encodeTimeline(timeline));
    const { warnings: __, ...first } = timeline;
    assertEquals(again, first);
  });
}

async function gzip(text: string): Promise<Uint8Array> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}
