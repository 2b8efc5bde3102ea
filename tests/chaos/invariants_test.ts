import { assert, assertEquals } from "@std/assert";
import type { JobEvidence, JobResult } from "./evidence.ts";
import { findViolations, jobResult } from "./invariants.ts";

type Fields = Readonly<Record<string, unknown>>;
interface Entry extends Fields {
  readonly type: string;
}

const T0 = Date.parse("2026-11-20T07:26:00.000Z");
const RUN = "20261120-072600-3fa9";

function turn(turnId: string, role: string, archivedAs: string): Entry[] {
  const message = { turnId, role, what: "prompt" };
  return [
    { type: "turn_started", turnId, role },
    { type: "message_sending", ...message, step: "paste" },
    { type: "message_sending", ...message, step: "enter" },
    { type: "message_sent", ...message },
    { type: "response_received", turnId, role, archivedAs, bytes: 4, sha256: `sha of ${archivedAs}` },
  ];
}

/** A run whose tester fell with panewright in its first turn, and was started again. */
const ENTRIES: readonly Entry[] = [
  { type: "journal_opened", version: 1 },
  { type: "run_started", runId: RUN },
  { type: "agent_ready", role: "analyst", pid: 11 },
  { type: "agent_ready", role: "tester", pid: 12 },
  { type: "round_started", round: 1 },
  ...turn("r1-analyst-c1", "analyst", "/a/001"),
  ...turn("r1-tester", "tester", "/a/002").slice(0, 4),
  { type: "run_finished", outcome: "error" },
  { type: "run_resumed", runId: RUN },
  { type: "agent_adopted", role: "analyst" },
  { type: "agent_ready", role: "tester", pid: 13 },
  ...turn("r1-tester", "tester", "/a/002").slice(1),
  { type: "test_command_finished", round: 1, passed: true },
  { type: "round_finished", round: 1, verdict: "PASS" },
  { type: "run_finished", outcome: "pass", rounds: 1 },
];

/** The time of a record, by its place. */
const at = (index: number) => T0 + index * 1000;
const indexOf = (fits: (entry: Entry) => boolean) => ENTRIES.findIndex(fits);
const FIRST_SENT = indexOf(({ type, turnId }) => type === "message_sent" && turnId === "r1-tester");
const RESUMED = indexOf(({ type }) => type === "run_resumed");
const SECOND_SENT = ENTRIES.findLastIndex(({ type }) => type === "message_sent");

function journalOf(entries: readonly Entry[]): string {
  const stamped = entries.map((entry, index) => ({ at: new Date(at(index)).toISOString(), ...entry }));
  return stamped.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const GOOD: JobEvidence = {
  runId: RUN,
  journal: journalOf(ENTRIES),
  archive: ["/a/001", "/a/002"].map((path) => ({ path, bytes: 4, sha256: `sha of ${path}` })),
  files: { "greet.sh": "echo" },
  deliveries: [
    { atMs: at(7), role: "analyst", turnId: "r1-analyst-c1", pid: 11 },
    { atMs: at(FIRST_SENT), role: "tester", turnId: "r1-tester", pid: 12 },
    { atMs: at(SECOND_SENT), role: "tester", turnId: "r1-tester", pid: 13 },
  ],
  deaths: [{ atMs: at(RESUMED), pid: 12 }],
  leftovers: [],
};

const EXPECTED: JobResult = {
  turns: ["r1-analyst-c1", "r1-tester"],
  decisions: ["round 1 started", "round 1: test command passed", "round 1: PASS", "pass after 1 rounds"],
  files: { "greet.sh": "echo" },
};

/** The good run with its journal changed. */
const withEntries = (change: (entries: Entry[]) => readonly Entry[]): JobEvidence => ({
  ...GOOD,
  journal: journalOf(change([...ENTRIES])),
});
const without = (fits: (entry: Entry, index: number) => boolean) =>
  withEntries((entries) => entries.filter((entry, index) => !fits(entry, index)));
const changed = (fits: (entry: Entry) => boolean, fields: Fields) =>
  withEntries((entries) => entries.map((entry) => fits(entry) ? { ...entry, ...fields } : entry));
const isResponse = ({ type }: Entry) => type === "response_received";

Deno.test("a run that was interrupted and lost nothing has no violation", () => {
  assertEquals(findViolations(GOOD, EXPECTED), []);
  assertEquals(jobResult(GOOD), EXPECTED);
});

Deno.test("prompts whose receiver does not know its process are judged by the time", () => {
  const deliveries = GOOD.deliveries.map(({ pid: _pid, ...delivery }) => delivery);
  assertEquals(findViolations({ ...GOOD, deliveries }, EXPECTED), []);
  const again = [...deliveries, { ...deliveries[2]!, atMs: at(SECOND_SENT) + 1 }];
  expectOnly({ ...GOOD, deliveries: again }, /process 13 \(tester\) got the prompt for r1-tester again/);
});

/** Violation by violation: evidence that shows it, and what is said. Nothing else may be said. */
const BAD: readonly (readonly [name: string, evidence: JobEvidence, said: RegExp, expected?: JobResult])[] = [
  ["a torn last line", { ...GOOD, journal: GOOD.journal.slice(0, -5) }, /last line is not complete/],
  [
    "a line that is not a record",
    { ...GOOD, journal: GOOD.journal.replace("{", "{{") },
    /line 1 of the journal is not a record/,
  ],
  ["a record without time", { ...GOOD, journal: GOOD.journal.replace(/"at"/, '"to"') }, /line 1 .* is not a record/],
  ["no beginning", without((_, index) => index === 0), /begins with run_started and agent_ready/],
  [
    "two beginnings",
    withEntries((entries) => entries.toSpliced(2, 0, { type: "run_started", runId: RUN })),
    /2 records run_started/,
  ],
  ["a record of another run", changed(({ type }) => type === "run_resumed", { runId: "other" }), /is of run other/],
  ["no end", without((_, index) => index === ENTRIES.length - 1), /last record is round_finished/],
  ["another end", changed(({ outcome }) => outcome === "pass", { outcome: "fail" }), /run_finished fail, not/],
  [
    "a record after the end",
    withEntries((entries) => [...entries, { type: "warning" }, entries.at(-1)!]),
    /ends the run, but it is not the last/,
    { ...EXPECTED, decisions: [...EXPECTED.decisions, "pass after 1 rounds"] },
  ],
  ["an end that nobody went on from", without(({ type }) => type === "run_resumed"), /but agent_adopted follows/],
  [
    "a turn that was never started",
    without(({ type, turnId }) => type === "turn_started" && turnId === "r1-tester"),
    /is of a turn that was not started/,
  ],
  ["a turn of two roles", changed(isResponse, { role: "analyst" }), /is by analyst, the turn is tester's/],
  [
    "a turn within another",
    withEntries((entries) => entries.toSpliced(6, 0, { type: "turn_started", turnId: "r1-tester", role: "tester" })),
    /begins while r1-analyst-c1 is open/,
  ],
  [
    "a finished turn done again",
    withEntries((entries) =>
      entries.toSpliced(10, 0, { type: "turn_started", turnId: "r1-analyst-c1", role: "analyst" })
    ),
    /turn_started of r1-analyst-c1\) comes after the turn's response/,
  ],
  [
    "a response that is missing",
    without((entry) => isResponse(entry) && entry["turnId"] === "r1-tester"),
    /the response of r1-tester was consumed 0 times/,
  ],
  [
    "a response that was consumed twice",
    withEntries((entries) =>
      entries.toSpliced(10, 0, { ...entries[9]!, archivedAs: "/a/002", sha256: "sha of /a/002" })
    ),
    /the response of r1-analyst-c1 was consumed 2 times/,
  ],
  [
    "changes that nobody told",
    changed(({ turnId }) => turnId === "r1-analyst-c1", { role: "programmer" }),
    /what r1-analyst-c1 has changed is told 0 times/,
  ],
  ["a lost file", { ...GOOD, archive: GOOD.archive.slice(1) }, /r1-analyst-c1 is not in the archive: \/a\/001/],
  ["other bytes", changed(isResponse, { bytes: 5 }), /in the archive is not the one that was recorded/],
  ["another checksum", changed(isResponse, { sha256: "x" }), /in the archive is not the one that was recorded/],
  [
    "an unknown file",
    { ...GOOD, archive: [...GOOD.archive, { path: "/a/003-tester-stale.md", bytes: 1, sha256: "" }] },
    /the journal does not know \/a\/003-tester-stale.md/,
  ],
  [
    "one file for two turns",
    changed(isResponse, { archivedAs: "/a/001", sha256: "sha of /a/001" }),
    /2 turns have the same response \/a\/001/,
  ],
  [
    "Enter without a paste",
    without(({ step }) => step === "paste"),
    /Enter for the prompt of r1-analyst-c1 without a paste/,
  ],
  [
    "a message without Enter",
    without(({ step }) => step === "enter"),
    /prompt of r1-analyst-c1 was sent without Enter/,
  ],
  [
    "a prompt that got lost",
    { ...GOOD, deliveries: GOOD.deliveries.slice(1) },
    /nobody got the prompt for r1-analyst-c1/,
  ],
  [
    "a prompt that came twice",
    { ...GOOD, deliveries: [GOOD.deliveries[0]!, ...GOOD.deliveries] },
    /process 11 \(analyst\) got the prompt for r1-analyst-c1 again/,
  ],
  [
    "a prompt again, beside an agent that lives",
    { ...GOOD, deaths: [] },
    /process 13 \(tester\) got the prompt for r1-tester while process 12, which had it, lived/,
  ],
  [
    "an agent beside one that lives",
    { ...GOOD, deaths: [] },
    /tester was started as process 13, though process 12 lived/,
  ],
  [
    "a death that was too late",
    { ...GOOD, deaths: [{ atMs: at(SECOND_SENT) + 1, pid: 12 }] },
    /process 13 \(tester\) got the prompt for r1-tester while process 12, which had it, lived/,
  ],
  [
    "a prompt to an unknown process",
    { ...GOOD, deliveries: [{ ...GOOD.deliveries[0]!, pid: 99 }, ...GOOD.deliveries.slice(1)] },
    /the prompt for r1-analyst-c1 went to process 99, which the journal does not know/,
  ],
  [
    "a prompt to the wrong role",
    { ...GOOD, deliveries: [...GOOD.deliveries, { atMs: at(SECOND_SENT), role: "tester", turnId: "r1-analyst-c1" }] },
    /tester got the prompt for r1-analyst-c1$/,
  ],
  [
    "a prompt of an unknown turn",
    { ...GOOD, deliveries: [...GOOD.deliveries, { atMs: at(9), role: "tester", turnId: "r9-tester", pid: 12 }] },
    /tester got a prompt for r9-tester, which the journal does not know/,
  ],
  [
    "a prompt that says nothing",
    { ...GOOD, deliveries: [...GOOD.deliveries, { atMs: at(9), role: "tester", turnId: undefined, pid: 12 }] },
    /tester got a prompt that names no turn/,
  ],
  [
    "a prompt after its response",
    { ...GOOD, deliveries: [...GOOD.deliveries.slice(0, 2), { ...GOOD.deliveries[2]!, atMs: at(ENTRIES.length) }] },
    /tester got the prompt for r1-tester after its response was taken/,
  ],
  ["other turns", GOOD, /turns are not those of an undisturbed run/, { ...EXPECTED, turns: ["r1-tester"] }],
  ["other decisions", GOOD, /decisions are not those of an undisturbed run/, { ...EXPECTED, decisions: [] }],
  ["another file", GOOD, /greet.sh is not as after an undisturbed run: "echo"/, {
    ...EXPECTED,
    files: { "greet.sh": "" },
  }],
  ["a file too many", GOOD, /greet.sh is not as/, { ...EXPECTED, files: {} }],
  ["a file too few", { ...GOOD, files: {} }, /greet.sh is not as after an undisturbed run: undefined/],
  ["something left", { ...GOOD, leftovers: ["process 7: tmux"] }, /left behind: process 7: tmux/],
];

for (const [name, evidence, said, expected = EXPECTED] of BAD) {
  Deno.test(`what must not happen is found: ${name}`, () => {
    const found = findViolations(evidence, expected);
    assert(found.some((violation) => said.test(violation)), `found was:\n${found.join("\n")}`);
  });
}

Deno.test("each kind of record that decides something is a part of the result", () => {
  const more: readonly Entry[] = [
    { type: "review_decided", round: 1, role: "analyst_review", cycle: 2, verdict: "REVISE" },
    { type: "test_command_finished", round: 1, passed: false },
    { type: "round_finished", round: 1, verdict: "FAIL" },
  ];
  assertEquals(jobResult({ journal: journalOf(more), files: {} }).decisions, [
    "round 1: analyst_review, cycle 2: REVISE",
    "round 1: test command failed",
    "round 1: FAIL",
  ]);
});

function expectOnly(evidence: JobEvidence, said: RegExp): void {
  const found = findViolations(evidence, EXPECTED);
  assertEquals(found.filter((violation) => !said.test(violation)), []);
  assertEquals(found.length, 1);
}
