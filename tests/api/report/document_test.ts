import { assertEquals, assertStringIncludes } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { createCollector } from "../../../lib/api/report/collect.ts";
import { makeDocument } from "../../../lib/api/report/document.ts";
import { headerOf } from "../../../lib/api/report/header.ts";
import type { DetailSource } from "../../../lib/journal/items/source.ts";

const AT = "2026-11-20T08:00:00.000Z";

/** A report of a run with three prompts and three responses. */
function collected() {
  const collector = createCollector(createRedactor([]));
  const turn = { turnId: "r1-analyst-c1", role: "analyst" };
  const sending = { type: "message_sending", ...turn, what: "prompt", step: "paste", bytes: 9, sha256: "5" };
  const received = { type: "response_received", ...turn, bytes: 9, seconds: 1, sha256: "5" };
  const origin = { configFile: null, cwd: "/", flags: {} };
  const task = { introduction: "Work.", exploreSummary: "", scenarioTest: "" };
  const started = { type: "run_started", job: "run", runId: "r", folder: "/r", workdir: "/", startAgent: "analyst" };
  const facts = [
    { ...started, task, origin, settings: { maxRounds: 1 } },
    ...[1, 2, 3].map((number) => ({ type: "warning", message: `number ${number}\n${"y".repeat(100)}` })),
    ...[1, 2, 3].flatMap((number) => [
      { ...sending, file: `messages/${number}.md` },
      { ...received, archivedAs: `/r/responses/${number}.md` },
    ]),
  ];
  collector.take(facts.map((fact, index) => {
    const record = { ...fact, at: AT };
    return { sequence: index + 2, record, fact: record };
  }));
  const around = { runId: "r", condition: "running", executed: true, answered: [] } as const;
  return { collector, header: headerOf(collector.state, around) };
}

const options = {
  now: new Date(AT),
  load: ({ kind, ref, title }: DetailSource) => Promise.resolve({ kind, ref, title, text: "x".repeat(800) }),
};

Deno.test("a document has all details where they fit", async () => {
  const { details, leftOut, madeAt } = await makeDocument(collected(), options);
  assertEquals(Object.values(details).flatMap(({ problem }) => problem ?? []), []);
  assertEquals([Object.keys(details).length, leftOut, madeAt], [6, undefined, AT]);
});

Deno.test("what does not fit is left out: prompts before responses, the oldest first; it is said there and as a whole", async () => {
  const { details, leftOut } = await makeDocument(collected(), { ...options, maxChars: 4000 });
  const there = Object.values(details).filter(({ problem }) => problem === undefined).map(({ ref }) => ref);
  assertEquals(there, ["response-7", "response-9", "prompt-10", "response-11"]);
  assertEquals(leftOut, "2 details would make this file too large");
  assertStringIncludes(details["prompt-6"]?.problem ?? "", "too large");
});

Deno.test("items have their titles whatever their number; the oldest lose their texts first", async () => {
  const { items, leftOut } = await makeDocument(collected(), { ...options, maxItemChars: 250 });
  const warnings = items.filter(({ kind }) => kind === "warning");
  assertEquals(warnings.map(({ title, text = "" }) => `${title}: ${text.length}`), [
    "number 1: 0",
    "number 2: 100",
    "number 3: 100",
  ]);
  assertEquals(leftOut, "the text of 1 item would make this file too large");
});
