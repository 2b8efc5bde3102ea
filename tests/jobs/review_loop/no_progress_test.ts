import type { RunState } from "../../../lib/jobs/review_loop/state.ts";
import { assertEquals } from "@std/assert";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { foldEvent, type RecordedEvent } from "../../../lib/jobs/review_loop/fold.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import type { Standstill } from "../../../lib/run/no_progress.ts";
import { NOTHING_SPENT, settled, spend, type Spending } from "../../../lib/run/spending.ts";
import { FAIL, GOOD_REVIEW, JOB } from "./scripted_agents.ts";

const ROLES = ["programmer", "programmer_review", "tester"] as const;

/** What a journal has of a run that starts with the tester, and whose rounds all fail; without a test command. */
function journal(
  { rounds, withCommand = false, isSilent = false }: {
    readonly rounds: number;
    readonly withCommand?: boolean;
    readonly isSilent?: boolean;
  },
) {
  const settings = reviewLoopSettings({
    startAgent: "tester",
    maxRounds: 9,
    minReviewCyclesBeforeApproval: 1,
    ...(withCommand ? { projectTestCmd: "npm test" } : {}),
  });
  const origin = { configFile: null, cwd: "/job", flags: {} };
  const about = {
    runId: "r",
    workdir: "/job",
    folder: "/job/.panewright/runs/r",
    task: JOB,
    settings,
    origin,
  } as const;
  const facts: (ReviewFact & { readonly text?: string })[] = [
    { type: "run_started", job: "run", startAgent: "tester", ...about },
    { type: "round_started", round: 1, maxRounds: 9 },
  ];
  let number = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const role of round === 1 ? ["tester"] as const : ROLES) {
      const turnId = role === "tester" ? `r${round}-tester` : `r${round}-${role}-c1`;
      const cycle = role === "tester" ? 0 : 1;
      const seen = { type: "files_seen", turnId, role, files: "0123abcd", passable: true } as const;
      const text = { programmer: "I did it.", programmer_review: GOOD_REVIEW, tester: FAIL }[role];
      const archivedAs = `/job/.panewright/runs/r/responses/${String(++number).padStart(3, "0")}-${role}.md`;
      facts.push(
        { type: "turn_started", turnId, role, round, cycle, promptBytes: 9 },
        ...(role === "programmer" ? [{ ...seen, moment: "before" } as const] : []),
        { type: "response_received", turnId, role, bytes: 9, archivedAs, sha256: "0", seconds: 1, text },
        ...(role === "programmer" ? [{ ...seen, moment: "after" } as const] : []),
        ...(role === "programmer_review"
          ? [{ type: "review_decided", role, round, cycle, verdict: "APPROVED" } as const]
          : []),
      );
    }
    if (withCommand) {
      const ended = { passed: false, exitCode: 1, seconds: round, timedOut: false, truncated: false } as const;
      const output = isSilent ? "" : `1 failed (${round * 7} ms)`;
      facts.push(
        { type: "test_command_started", round, command: "npm test" },
        { type: "test_command_finished", round, ...ended, output },
      );
    }
    facts.push(
      { type: "round_finished", round, verdict: "FAIL" },
      { type: "round_started", round: round + 1, maxRounds: 9 },
    );
  }
  return facts.map((fact): RecordedEvent => ({ at: "2026-11-20T12:00:00.000Z", ...fact }));
}

/** What facts come to, as the process that reads them has it. */
function spentBy(events: readonly RecordedEvent[], begin: { state: RunState | undefined; spent: Spending }) {
  return events.reduce(({ state, spent }, event) => ({
    spent: spend(spent, REVIEW_LOOP.meter?.(event, state), Date.parse(event.at)),
    state: foldEvent(state, event),
  }), begin);
}

const NOTHING = { state: undefined, spent: NOTHING_SPENT };
const counts = ({ turns, rounds, test }: Standstill) => [turns.count, rounds.count, test.count];

Deno.test("rounds that fail with the tester's same words, and turns that change nothing, are counted from the journal", () => {
  const { standstill } = spentBy(journal({ rounds: 4 }), NOTHING).spent;
  assertEquals(counts(standstill), [3, 3, 4]);
  assertEquals([standstill.rounds.last, standstill.turns.last], [4, "r4-programmer-c1"]);
  assertEquals(standstill.test.evidence, "responses/010-tester.md");
});

Deno.test("with a test command it is that one's output, but for the time that it took", () => {
  const { standstill } = spentBy(journal({ rounds: 3, withCommand: true }), NOTHING).spent;
  assertEquals([standstill.test.count, standstill.test.evidence], [3, "evidence/r3-test.txt"]);
});

Deno.test("a test command that writes nothing is not compared: each failure may be another", () => {
  const { standstill } = spentBy(journal({ rounds: 3, withCommand: true, isSilent: true }), NOTHING).spent;
  assertEquals(counts(standstill), [2, 2, 0]);
});

Deno.test("killed after any record, the next process counts the same, and never more", () => {
  const events = journal({ rounds: 3, withCommand: true });
  for (let length = 1; length <= events.length; length++) {
    const killed = spentBy(events.slice(0, length), NOTHING);
    const resumed = spentBy(events.slice(length), { ...killed, spent: settled(killed.spent) });
    assertEquals(counts(resumed.spent.standstill), [2, 2, 3], `after ${length} records`);
  }
});

Deno.test("killed before the files were seen after a turn: that turn may have changed some", () => {
  const events = journal({ rounds: 3 });
  const lost = events.findIndex((event) => event.type === "files_seen" && event.moment === "after");
  assertEquals(counts(spentBy(events.toSpliced(lost, 1), NOTHING).spent.standstill), [1, 1, 3]);
});
