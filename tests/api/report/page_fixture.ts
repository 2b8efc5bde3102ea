import type { ReportItem } from "../../../lib/journal/items/source.ts";
import type { Report, ReportDetail, ReportDocument, ReportHeader } from "../../../lib/api/report/model.ts";

/** When the run of the fixture began. */
const START = Date.parse("2026-11-20T21:04:00.000Z");

/** A time of the run, so many seconds after its beginning. */
export function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

/** A screen with colours, and characters of two columns. */
export const SCREEN = [
  "\x1b[2m╭──────────────────────────────────────────────╮\x1b[0m",
  "\x1b[2m│\x1b[0m \x1b[1m>_ OpenAI Codex\x1b[0m \x1b[2m(v0.169.0)\x1b[0m                   \x1b[2m│\x1b[0m",
  "\x1b[2m╰──────────────────────────────────────────────╯\x1b[0m",
  "",
  "\x1b[38;5;75m•\x1b[0m 東京 wide, \x1b[32mgreen\x1b[0m, \x1b[48;2;60;20;90mtrue colour\x1b[0m, \x1b[7mreverse\x1b[0m  |",
  "\x1b[1mWould you like to run the following command?\x1b[0m",
  "",
  "  $ \x1b[36mnpm install left-pad\x1b[0m",
  "",
  "\x1b[36m› 1. Yes, proceed (y)\x1b[0m",
  "  2. No, and tell Codex what to do differently \x1b[2m(esc)\x1b[0m",
].join("\n");

const DIFF = [
  "diff --git a/src/greet.sh b/src/greet.sh",
  "index 1b2c3d4..5e6f7a8 100755",
  "--- a/src/greet.sh",
  "+++ b/src/greet.sh",
  "@@ -1,4 +1,5 @@",
  " #!/bin/sh",
  '-echo "Hello"',
  "+name=${1:-world}",
  '+echo "Hello, $name!"',
  " exit 0",
].join("\n");

/** What the references of the items lead to. */
export const DETAILS: Readonly<Record<string, ReportDetail>> = Object.fromEntries(
  ([
    { kind: "prompt", ref: "prompt-7", title: "Prompt", text: "Read the task, and write a plan.\n\n- keep it short\n" },
    { kind: "response", ref: "response-9", title: "Response", text: "# Plan\n\n1. Greet by name.\n2. Test it.\n" },
    { kind: "prompt", ref: "prompt-15", title: "Prompt", text: "Carry out the plan." },
    { kind: "screen", ref: "screen-17", title: "Screen at the dialog", text: SCREEN, columns: 60, rows: 11 },
    { kind: "audit", ref: "audit-18", title: "Audit record", text: '{"decision":"ask","rule":"default"}' },
    { kind: "diff", ref: "diff-20", title: "Changes of the programmer", text: DIFF },
    { kind: "response", ref: "response-21", title: "Response", text: "Done: the greeting takes a name." },
    { kind: "output", ref: "output-24", title: "Output", text: "1..2\nok 1 - greets\nnot ok 2 - greets by name\n" },
    {
      kind: "output",
      ref: "output-40",
      title: "Output",
      text: "1..2\nok 1 - greets\nok 2 - greets by name\n",
      leftOut: "12 KB of older output",
    },
    { kind: "screen", ref: "screen-30", title: "Screen of the failure", text: "", problem: "The file is not there." },
  ] as const).map((detail) => [detail.ref, detail]),
);

/** An item with what a test does not care for filled in. */
export function item(fields: Partial<ReportItem> & Pick<ReportItem, "sequence" | "lane" | "kind" | "at">): ReportItem {
  return { id: `i${fields.sequence}`, tone: "plain", title: `${fields.kind} ${fields.sequence}`, ...fields };
}

function refs(...names: readonly string[]): Pick<ReportItem, "details"> {
  return { details: names.map((name) => DETAILS[name]!).map(({ kind, ref, title }) => ({ kind, ref, title })) };
}

/** The items of a run of two rounds, with something of every kind. */
export const ITEMS: readonly ReportItem[] = [
  item({ sequence: 2, lane: "run", kind: "start", at: at(0), title: "Run started: greet people by name" }),
  item({ sequence: 4, lane: "analyst", kind: "start", at: at(2), until: at(6), title: "codex is ready after 4 s" }),
  item({ sequence: 6, lane: "run", kind: "round", at: at(6), title: "Round 1 of 8 begins" }),
  item({ sequence: 7, lane: "analyst", kind: "prompt", at: at(7), title: "Prompt sent, 3 KB", ...refs("prompt-7") }),
  item({
    sequence: 8,
    lane: "analyst",
    kind: "work",
    at: at(8),
    until: at(95),
    title: "Works on its plan",
    turn: "r1-analyst-c1",
  }),
  item({
    sequence: 9,
    lane: "analyst",
    kind: "response",
    at: at(95),
    title: "Response received, 1 KB",
    ...refs("response-9"),
  }),
  item({ sequence: 11, lane: "analyst_review", kind: "work", at: at(97), until: at(140), title: "Reviews the plan" }),
  item({
    sequence: 12,
    lane: "analyst_review",
    kind: "verdict",
    tone: "good",
    at: at(140),
    title: "APPROVED",
    text: "The plan covers the task.",
  }),
  item({ sequence: 15, lane: "programmer", kind: "prompt", at: at(142), title: "Prompt sent", ...refs("prompt-15") }),
  item({ sequence: 16, lane: "programmer", kind: "work", at: at(143), until: at(420), title: "Works on the plan" }),
  item({
    sequence: 17,
    lane: "programmer",
    kind: "dialog",
    tone: "caution",
    at: at(200),
    until: at(290),
    title: "Asks to run: npm install left-pad",
    text: "No rule allows it.\nnpm install left-pad",
    ...refs("screen-17", "audit-18"),
  }),
  item({ sequence: 18, lane: "programmer", kind: "answer", at: at(290), title: "A person said no: use what is there" }),
  item({ sequence: 20, lane: "programmer", kind: "changes", at: at(419), title: "1 file changed", ...refs("diff-20") }),
  item({
    sequence: 21,
    lane: "programmer",
    kind: "response",
    at: at(420),
    title: "Response received",
    ...refs("response-21"),
  }),
  item({
    sequence: 24,
    lane: "run",
    kind: "tests",
    tone: "bad",
    at: at(421),
    until: at(430),
    title: "Tests failed: exit code 1 after 9 s",
    ...refs("output-24"),
  }),
  item({ sequence: 26, lane: "run", kind: "verdict", tone: "bad", at: at(431), title: "Round 1: FAIL" }),
  item({
    sequence: 30,
    lane: "programmer",
    kind: "kill",
    tone: "bad",
    at: at(470),
    title: "codex has ended by itself: killed by signal 9; restart 1 of 3",
    ...refs("screen-30"),
  }),
  item({
    sequence: 32,
    lane: "run",
    kind: "limit",
    tone: "caution",
    at: at(480),
    until: at(480 + 5 * 3600),
    title: `Usage limit reached; it is reset at ${at(480 + 5 * 3600)}`,
    times: [at(480 + 5 * 3600)],
  }),
  item({ sequence: 33, lane: "run", kind: "gap", tone: "caution", at: at(18490), title: "Lines 34 to 35 are missing" }),
  item({ sequence: 36, lane: "run", kind: "resume", at: at(18500), title: "Resumed by another process" }),
  item({ sequence: 38, lane: "programmer", kind: "work", at: at(18510), until: at(18700), title: "Works again" }),
  item({
    sequence: 40,
    lane: "run",
    kind: "tests",
    tone: "good",
    at: at(18702),
    until: at(18708),
    title: "Tests passed after 6 s",
    ...refs("output-40"),
  }),
  item({ sequence: 42, lane: "tester", kind: "work", at: at(18709), until: at(18800), title: "Tests the result" }),
  item({ sequence: 43, lane: "tester", kind: "verdict", tone: "good", at: at(18801), title: "PASS" }),
  item({ sequence: 45, lane: "run", kind: "end", tone: "good", at: at(18802), title: "PASS after 2 rounds" }),
];

const LANES = ["run", "analyst", "analyst_review", "programmer", "programmer_review", "tester"] as const;

/** A header of a run that has passed. */
export const HEADER: ReportHeader = {
  sequence: 45,
  runId: "20261120-210400-3fa9",
  job: "run",
  workdir: "/srv/shop",
  about: "Greet people by name",
  task: "Greet people by name.\n\nThe script takes the name as its first argument, and greets the world without one.",
  condition: "passed",
  executed: false,
  outcome: "pass",
  why: "The tests passed, and the tester has approved the result.",
  startedAt: at(0),
  executedSince: at(18500),
  lastAt: at(18802),
  endedAt: at(18802),
  place: [{ unit: "round", number: 2, of: 8 }],
  placeText: "round 2 of 8",
  lanes: LANES.map((id) => ({ id, kind: id === "run" ? "run" : "role", title: id === "run" ? "Run" : id })),
  workers: LANES.slice(1).map((name) => ({
    name,
    provider: name.endsWith("review") ? "claude_code" : "codex",
    status: "idle",
    statusText: "at rest",
    since: at(18800),
    shows: "pane",
  })),
  answers: [{
    id: "q1",
    worker: "programmer",
    asked: "npm install left-pad",
    answer: "no: use what is there",
    by: "command",
    at: at(290),
  }],
  done: [
    { unit: "round", number: 1, outcome: "fail", reason: "the tests failed", at: at(431) },
    { unit: "round", number: 2, outcome: "pass", at: at(18802) },
  ],
  counts: { turns: 7, responses: 6, reminders: 1, acceptedDialogs: 4, declinedDialogs: 1 },
  tokens: [
    { worker: "analyst", model: "gpt-5.2-codex", inputTokens: 48_000, cachedInputTokens: 31_000, outputTokens: 2_100 },
    {
      worker: "programmer",
      model: "gpt-5.2-codex",
      inputTokens: 412_000,
      cachedInputTokens: 380_000,
      outputTokens: 18_400,
      cost: 1.42,
    },
    { worker: "tester", model: "claude-opus-4-5", inputTokens: 61_000, cachedInputTokens: 0, outputTokens: 900 },
  ],
  cost: { total: 2.31, pricesOf: "2026-11-01" },
  audit: {
    verdict: "intact",
    text: "The chain of 12 records is whole, and ends where the journal says.",
    records: 12,
    head: "9f2c".repeat(16),
  },
  warnings: [{ at: at(470), message: "programmer: codex has ended by itself" }],
  gaps: [{ from: 34, to: 35, reason: "The lines cannot be read." }],
  panewright: "0.1.0",
};

/** A report of a run that has passed after two rounds. */
export function reportDocument(): ReportDocument {
  return { v: 1, madeAt: at(20_000), madeBy: "0.1.0", header: HEADER, items: ITEMS, details: DETAILS };
}

/** A report with so many items, over eleven hours. */
export function longReport(count: number): ReportDocument {
  const kinds = ["prompt", "work", "response", "verdict", "dialog", "answer", "changes", "tests"] as const;
  const items = Array.from({ length: count }, (_, index) => {
    const seconds = index * 4;
    const kind = kinds[index % kinds.length]!;
    const isLong = kind === "work" || kind === "tests";
    return item({
      sequence: index + 2,
      lane: LANES[Math.floor(index / 8) % LANES.length]!,
      kind,
      tone: index % 97 === 0 ? "bad" : kind === "verdict" ? "good" : "plain",
      at: at(seconds),
      ...isLong ? { until: at(seconds + 3) } : {},
      title: `${kind} ${index}: 漢字 and a title of usual length, about src/greet_${index % 50}.sh`,
      text: `Some more of what happened in ${index}.`,
      ...kind === "prompt" ? refs("prompt-7") : kind === "response" ? refs("response-9") : {},
    });
  });
  const last = at(count * 4);
  return {
    ...reportDocument(),
    header: { ...HEADER, sequence: count + 1, lastAt: last, endedAt: last, executedSince: at(0), gaps: [] },
    items,
  };
}

/** The same run while the programmer stands at its dialog. */
export function liveReport(): Report {
  const items = ITEMS.filter(({ sequence }) => sequence <= 17).map((one) => {
    const { until: _until, ...rest } = one;
    return one.sequence >= 16 ? { ...rest, open: true } : one;
  });
  const { outcome: _outcome, endedAt: _endedAt, cost: _cost, audit: _audit, ...header } = HEADER;
  const dialog = {
    kind: "command",
    subject: "npm install left-pad",
    reason: "No rule of the policy allows it.",
    terminalId: "%3",
    timeoutSeconds: 1800,
  };
  return {
    items,
    header: {
      ...header,
      sequence: 17,
      condition: "waiting",
      executed: true,
      why: "",
      lastAt: at(200),
      executedSince: at(0),
      place: [{ unit: "round", number: 1, of: 8 }],
      placeText: "round 1 of 8, programmer",
      activity: { kind: "turn", since: at(143), worker: "programmer" },
      workers: HEADER.workers.slice(0, 3).map((worker) =>
        worker.name === "programmer"
          ? {
            ...worker,
            status: "waiting_user_answer",
            statusText: "waiting for an answer to its dialog",
            since: at(200),
          }
          : worker
      ),
      answers: [],
      done: [],
      warnings: [],
      gaps: [],
      waiting: {
        id: "q1",
        by: "programmer",
        text: "npm install left-pad: no rule of the policy allows it",
        askedAt: at(200),
        answer: "permission",
        answered: false,
        shown: "whole",
        reserved: false,
        fingerprint: "f1",
        dialog,
      },
    },
  };
}

/** The same while the tester asks, too: a message from outside has set it to work. */
export function liveReportOfTwo(): Report {
  const { items, header } = liveReport();
  const asked = { ...header.waiting!, id: "q2", by: "tester", askedAt: at(210), fingerprint: "f2" };
  const dialog = { ...header.waiting!.dialog!, subject: "rm -rf build", reason: "A rule asks a person." };
  return { items, header: { ...header, alsoWaiting: [{ ...asked, text: "rm -rf build: a rule asks", dialog }] } };
}

/** What an agent may write to harm the page, or its reader. */
export const HOSTILE =
  '</script><script>hacked=1</script><img src=x onerror="hacked=1"><b>\u202e\u200b javascript:hacked=1 ' +
  "\x1b]0;x\x07\x1b[31m ${hacked} {{hacked}} &lt; https://example.org/ \ud83d";

/** A report in which every text is hostile. */
export function hostileReport(): ReportDocument {
  const plain = reportDocument();
  const spoil = <Value>(value: Value, isText = false): Value => {
    if (typeof value === "string") return (isText ? HOSTILE + value : value) as Value;
    if (Array.isArray(value)) return value.map((one) => spoil(one, isText)) as Value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, spoil(one, HOSTILE_FIELDS.has(name))]),
    ) as Value;
  };
  return spoil(plain);
}

const HOSTILE_FIELDS = new Set([
  ...["title", "text", "task", "about", "why", "workdir", "runId", "message", "reason", "asked", "answer", "model"],
  ...["provider", "statusText", "placeText", "leftOut", "problem", "madeBy", "panewright", "turn", "head", "pricesOf"],
]);
