import { assertEquals, assertNotEquals } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { foldEvents } from "../../support/fold_events.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { JOB } from "./scripted_agents.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-11-20T12:00:00Z");

const TURN = { turnId: "r1-tester", role: "tester" } as const;
const MESSAGE = {
  ...TURN,
  terminalId: "%5",
  what: "prompt",
  file: "messages/r1-tester.md",
  bytes: 9,
  sha256: "5",
} as const;

const EVENTS: readonly ReviewFact[] = [
  {
    type: "run_started",
    job: "run",
    runId: "r",
    workdir: "/job",
    folder: "/job/.panewright/runs/r",
    startAgent: "tester",
    task: JOB,
    settings: reviewLoopSettings({ maxRounds: 2 }),
    origin: { configFile: null, cwd: "/job", flags: {} },
  },
  { type: "round_started", round: 1, maxRounds: 2 },
  { type: "turn_started", ...TURN, round: 1, cycle: 0, promptBytes: 9 },
  { type: "message_sending", ...MESSAGE, step: "paste", dispatchedAtMs: START_MS },
  { type: "message_sending", ...MESSAGE, step: "enter", dispatchedAtMs: START_MS },
  { type: "message_sent", ...TURN, what: "prompt" },
  {
    type: "dialog_answered",
    ...TURN,
    terminalId: "%5",
    kind: "command",
    subject: "ls",
    answer: "accept",
    rule: "read-only",
    result: "closed",
  },
  { type: "reminder_sent", ...TURN, reminder: 1 },
];

/** Where a run stands whose clock was set by so much before the record with this number. */
function stateAfter({ setByMs, before }: { readonly setByMs: number; readonly before: number }) {
  return foldEvents(EVENTS.map((event, index) => {
    const atMs = START_MS + index * 1000 + (index >= before ? setByMs : 0);
    return { ...event, at: new Date(atMs).toISOString() };
  }));
}

Deno.test("clock set back or forward by an hour between any two records: the run stands where it stood", () => {
  const undisturbed = stateAfter({ setByMs: 0, before: 0 });
  assertNotEquals(undisturbed?.turn?.message, undefined);
  const withoutTimes = (state: typeof undisturbed) => ({
    ...state,
    head: { ...state?.head, startedAt: undefined },
    turn: { ...state?.turn, lastAcceptAtMs: undefined },
  });
  for (const setByMs of [-HOUR_MS, HOUR_MS]) {
    for (let before = 0; before < EVENTS.length; before++) {
      assertEquals(withoutTimes(stateAfter({ setByMs, before })), withoutTimes(undisturbed));
    }
  }
});
