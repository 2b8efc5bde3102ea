import { assertEquals } from "@std/assert";
import type { AgentEvent } from "./agent_log.ts";
import { type Entry, findPipelineViolations } from "./exec_acp.ts";

const at = (second: number) => new Date(Date.parse("2026-11-20T07:26:00Z") + second * 1000).toISOString();

const ENTRIES: readonly Entry[] = [
  { at: at(0), type: "run_started" },
  { at: at(1), type: "attempt_started", step: 1 },
  { at: at(3), type: "step_finished", step: 1, name: "first", outcome: "pass" },
  { at: at(4), type: "attempt_started", step: 2 },
  { at: at(6), type: "question_answered", question: "q1", answer: "postgres it is" },
  { at: at(7), type: "attempt_started", step: 2 },
  { at: at(9), type: "step_finished", step: 2, name: "build", outcome: "pass" },
  { at: at(10), type: "attempt_started", step: 3 },
  { at: at(12), type: "step_finished", step: 3, name: "last", outcome: "pass" },
  { at: at(13), type: "run_finished", outcome: "pass" },
];

const LOG: readonly AgentEvent[] = [
  { at: at(1), what: "start", pid: 1, dead: [] },
  { at: at(2), what: "prompt", pid: 1, dead: [], turnId: "first" },
  { at: at(4), what: "start", pid: 2, dead: [1] },
  { at: at(5), what: "prompt", pid: 2, dead: [], turnId: "build" },
  { at: at(7), what: "start", pid: 3, dead: [2] },
  { at: at(10), what: "start", pid: 4, dead: [3] },
];

Deno.test("a pipeline that was interrupted and lost nothing has no violation", () => {
  assertEquals(findPipelineViolations(ENTRIES, LOG), []);
});

for (
  const [what, entries, log, violation] of [
    ["did not pass", ENTRIES.slice(0, -1), LOG, "the last record is step_finished pass, not run_finished pass"],
    ["lost a step", ENTRIES.filter(({ name }) => name !== "build"), LOG, "the steps ended so: first pass,last pass"],
    [
      "asked twice",
      [...ENTRIES.slice(0, 5), ENTRIES[4]!, ...ENTRIES.slice(5)],
      LOG,
      'answers: ["postgres it is","postgres it is"]',
    ],
    [
      "did a step again",
      [...ENTRIES.slice(0, 3), { at: at(3.5), type: "attempt_started", step: 1 }, ...ENTRIES.slice(3)],
      LOG,
      "first was worked on after it had passed",
    ],
    [
      "gave a prompt again",
      ENTRIES,
      [...LOG, { at: at(11), what: "prompt", pid: 4, dead: [], turnId: "build" } as const],
      "build was worked on after it had passed",
    ],
    [
      "let two agents work",
      ENTRIES,
      LOG.map((row) => ({ ...row, dead: row.dead.filter((pid) => pid !== 2) })),
      "agent 3 was started while 2,3 lived",
    ],
  ] as const
) {
  Deno.test(`a pipeline that ${what} is a violation`, () => {
    assertEquals(findPipelineViolations(entries, log)[0], violation);
  });
}
