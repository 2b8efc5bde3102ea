import { assert, assertEquals, assertThrows } from "@std/assert";
import type { TerminalStatus } from "../../lib/screen/mod.ts";
import { withTables } from "../support/document_tables.ts";
import { PAGE, pageTables } from "./page.ts";
import { exported, readSamples, type Sample } from "./samples.ts";
import { parsePredictions, score } from "./score.ts";
import { toldByWords } from "./words_only.ts";

function sample(id: string, expect: TerminalStatus, alone = true): Sample {
  const recording = { name: id, ansi: "›", cols: 80, rows: 24, title: "shop", note: `it is ${expect}`, expect };
  return { id, cli: "codex", version: "1.0.0", dress: { name: "plain", about: "" }, expect, alone, recording };
}

const SAMPLES = [
  sample("a", "processing"),
  sample("b", "waiting_user_answer"),
  sample("c", "completed"),
  sample("d", "idle"),
  sample("e", "error"),
  sample("f", "processing", false),
];

Deno.test("docs/status-benchmark.md has the figures of the corpus and the rules (deno task benchmark:status)", async () => {
  const page = await Deno.readTextFile(PAGE);
  assertEquals(page, await withTables(page, pageTables(await readSamples())));
});

Deno.test("ids of the corpus are its own, and nothing that is exported tells the truth", async () => {
  const samples = await readSamples();
  assertEquals(new Set(samples.map(({ id }) => id)).size, samples.length);
  assert(samples.length > 3000);
  assertEquals(samples.filter(({ id }) => !/^[0-9a-f]{16}$/.test(id)), []);
  const screens = exported(samples);
  assertEquals(screens.map(({ id }) => id), samples.map(({ id }) => id).toSorted());
  const fields = new Set(screens.flatMap((screen) => Object.keys(screen)));
  assertEquals(["expect", "note", "alone", "subject", "status", "name"].filter((field) => fields.has(field)), []);
  assert(!JSON.stringify(exported([sample("a", "processing")])).includes("processing"));
});

Deno.test("score() counts what matters, and nothing that one screen cannot decide", () => {
  const told = parsePredictions(
    [
      `{"id":"a","status":"completed"}`,
      `{"id":"b","status":"idle"}`,
      `{"id":"c","status":"idle"}`,
      "",
      `{"id":"d","status":"waiting_user_answer"}`,
      `{"id":"f","status":"error"}`,
    ].join("\n"),
    SAMPLES,
  );
  const { matrix, ...counts } = score(SAMPLES, told);
  assertEquals(counts, {
    total: 5,
    right: 0,
    rightAtRest: 1,
    busyAsDone: 1,
    falseWaiting: 1,
    missedWaiting: 1,
    unknown: 1,
  });
  assertEquals(matrix.processing, {
    idle: 0,
    processing: 0,
    completed: 1,
    waiting_user_answer: 0,
    error: 0,
    unknown: 0,
  });
  assertEquals(matrix.error.unknown, 1);
  assertEquals(score(SAMPLES, new Map(SAMPLES.map(({ id, expect }) => [id, expect]))).right, 5);
});

Deno.test("predictions with a mistake are refused, with the line", () => {
  for (
    const [text, why] of [
      ["nonsense", "line 1"],
      [`{"status":"idle"}`, "line 1"],
      [
        `{"id":"a","status":"idle"}\n{"id":"z","status":"idle"}`,
        `line 2 of the predictions: there is no recording "z"`,
      ],
      [`{"id":"a","status":"idle"}\n{"id":"a","status":"idle"}`, "line 2 of the predictions: a has a prediction"],
      [`{"id":"a","status":"busy"}`, `"status" must be one of idle, processing`],
    ] as const
  ) assertThrows(() => parsePredictions(text, SAMPLES), TypeError, why);
});

Deno.test("the example detector tells by words, whatever surrounds them", () => {
  assertEquals(toldByWords({ text: "• \x1b[2mWorking (3s • esc to interrupt)" }), "processing");
  assertEquals(toldByWords({ text: "an answer that says: Do you want to proceed?" }), "waiting_user_answer");
  assertEquals(toldByWords({ text: "›" }), "idle");
});
