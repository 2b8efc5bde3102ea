import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  checkRecording,
  classesOf,
  type Outcome,
  REQUIRED_CLASSES,
  summarize,
} from "../../../lib/lab/recordings/check.ts";
import { toJUnit } from "../../../lib/lab/recordings/junit.ts";
import type { Recording } from "../../../lib/lab/recordings/recording.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import type { TerminalStatus } from "../../../lib/screen/mod.ts";

const IDLE = "›\n100% context left\n";

function outcome(recording: Partial<Recording>): Outcome {
  const entry = { file: "f", recording: { name: "n", version: "1.0.0", ansi: IDLE, ...recording } };
  const found = checkRecording(entry, CODEX_RULES);
  if (!found) throw new Error("no expectation");
  return found;
}

Deno.test("a recording without an expected status is not checked", () => {
  assertEquals(checkRecording({ file: "f", recording: { name: "n", ansi: IDLE } }, CODEX_RULES), undefined);
});

Deno.test("the matrix counts what was taken for what, and what no screen can tell stands apart", () => {
  const report = summarize([
    outcome({ expect: "idle" }),
    outcome({ expect: "error" }),
    outcome({ expect: "processing", alone: false }),
    outcome({ expect: "idle", version: "0.90.0" }),
  ]);
  assertEquals(report.versions.map(({ version, total, right, apart }) => [version, total, right, apart]), [
    ["0.90.0", 1, 1, { total: 0, right: 0 }],
    ["1.0.0", 2, 1, { total: 1, right: 0 }],
  ]);
  assertEquals(report.versions[1]?.matrix.error.idle, 1);
  assertEquals(report.mistakes.map(({ expect, got }) => [expect, got]), [["error", "idle"]]);
  assertEquals(report.passed, false);
});

Deno.test("a corpus fails that lacks a class of a provider, and passes once all are there", () => {
  const all: Outcome[] = REQUIRED_CLASSES.map((each) => ({
    ...outcome({ expect: "idle" }),
    classes: [each],
  }));
  assertEquals(summarize(all).passed, true);
  const lacking = summarize(all.slice(1));
  assertEquals([lacking.passed, lacking.missing], [false, [{ provider: "codex", classes: ["idle"] }]]);
  assertEquals(summarize([]).passed, false);
});

Deno.test("classes are told by status, by name or note, and by what the conversation quotes", () => {
  const classes = (expect: TerminalStatus, more: Partial<Recording> = {}) =>
    classesOf({ name: "n", ansi: "", expect, ...more });
  assertEquals(classes("processing", { name: "long-streaming-80x24" }), ["processing", "streaming"]);
  assertEquals(classes("processing", { note: "stream held open" }), ["processing", "streaming"]);
  assertEquals(classes("completed", { ansi: "• Do you want to go on?\n  › 1. Yes" }), ["completed", "negative"]);
  assertEquals(classes("waiting_user_answer", { ansi: "Do you want to go on?" }), ["waiting_user_answer"]);
  assertEquals(classes("unknown"), []);
});

Deno.test("JUnit XML has a case per recording, and nothing in a name or row breaks it", () => {
  const outcomes = [
    outcome({ name: 'a<b>&"c"', expect: "error" }),
    outcome({ name: "fine\x1b\ud800", expect: "idle" }),
    outcome({ name: "apart", expect: "error", alone: false }),
  ];
  const xml = toJUnit(outcomes, summarize(outcomes));
  assertStringIncludes(xml, '<testsuite name="codex 1.0.0" tests="3" failures="1" skipped="1">');
  assertStringIncludes(xml, 'name="a&lt;b&gt;&amp;&quot;c&quot;"');
  assertStringIncludes(xml, '<failure message="expected error, got idle by composer">0: ›</failure>');
  assertStringIncludes(xml, 'name="fine\ufffd\ufffd"');
  assertStringIncludes(xml, "no recording of: processing, streaming, waiting_user_answer, completed, negative");
  assert(xml.isWellFormed());
});
