import type { RunCaps, WorkEvent } from "../../lib/journal/meter_event.ts";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CapReachedError } from "../../lib/run/caps.ts";
import { openMeter } from "../../lib/run/meter.ts";
import { NO_STANDSTILL, noProgressCaps, noteWork, reachedStandstill } from "../../lib/run/no_progress.ts";
import { NOTHING_SPENT, spend } from "../../lib/run/spending.ts";
import { createFakeClock } from "../support/fake_clock.ts";

const after = (events: readonly WorkEvent[]) => events.reduce(noteWork, NO_STANDSTILL);

/** A turn of the programmer between these fingerprints. */
const turn = (before: string | undefined, files = before): readonly WorkEvent[] => [
  { kind: "work_begins", files: before },
  { kind: "work_ends", turn: "t", files },
];
const fails = (round: number, output?: string): WorkEvent => ({
  kind: "round_fails",
  round,
  output,
  evidence: "e.txt",
});

Deno.test("turns without change: in a row; what could not be looked at, before or after, counts as changed", () => {
  const countOf = (events: readonly WorkEvent[]) => after(events).turns.count;
  assertEquals(countOf([...turn("a"), ...turn("a"), ...turn("a")]), 3);
  assertEquals(countOf([...turn("a"), ...turn("a", "b"), ...turn("b")]), 1);
  // What others changed between two turns is not the programmer's.
  assertEquals(countOf([...turn("a"), ...turn("b"), ...turn("c")]), 3);
  assertEquals(
    countOf([...turn("a"), { kind: "work_begins", files: "a" }, { kind: "work_ends", turn: "t", files: undefined }]),
    0,
  );
  assertEquals(
    countOf([...turn("a"), { kind: "work_begins", files: undefined }, { kind: "work_ends", turn: "t", files: "a" }]),
    0,
  );
});

Deno.test("turns without change: a turn whose end nobody saw, as of a killed run, may have changed files", () => {
  const killed: readonly WorkEvent[] = [...turn("a"), { kind: "work_begins", files: "a" }, ...turn("a")];
  assertEquals(after(killed).turns.count, 1);
});

Deno.test("rounds without change: each of their turns is known to have changed none", () => {
  const countOf = (events: readonly WorkEvent[]) => after(events).rounds.count;
  assertEquals(countOf([...turn("a", "b"), fails(1), ...turn("b"), ...turn("b"), fails(2), ...turn("b"), fails(3)]), 2);
  assertEquals(countOf([...turn("a"), fails(1), ...turn("a"), ...turn("a", "b"), fails(2)]), 0);
  assertEquals(countOf([...turn("a"), fails(1), ...turn("a"), { kind: "work_begins", files: "a" }, fails(2)]), 0);
  // A run that starts with the tester has had no turn that could change anything.
  assertEquals(countOf([fails(1)]), 0);
});

Deno.test("the same test output: in a row, whatever files change meanwhile; a round without a test ends the row", () => {
  const countOf = (events: readonly WorkEvent[]) => after(events).test.count;
  assertEquals(countOf([fails(1, "x"), ...turn("a", "b"), fails(2, "x"), fails(3, "x")]), 3);
  assertEquals(countOf([fails(1, "x"), fails(2, "y"), fails(3, "x")]), 1);
  assertEquals(countOf([fails(1, "x"), fails(2), fails(3, "x")]), 1);
});

Deno.test("a check of a step: only where the files are known to be the same, and of the same check", () => {
  const check = (files: string | undefined, output = "x", name = "check 1"): WorkEvent => ({
    kind: "check_fails",
    check: name,
    output,
    files,
  });
  const countOf = (events: readonly WorkEvent[]) => after(events).test.count;
  assertEquals(countOf([check("a"), check("a"), check("a")]), 3);
  assertEquals(countOf([check("a"), check("b")]), 1);
  assertEquals(countOf([check(undefined), check(undefined)]), 1);
  assertEquals(countOf([check("a"), check("a", "y")]), 1);
  assertEquals(countOf([check("a"), check("a", "x", "check 2")]), 1);
  assertEquals(countOf([check("a"), check("a"), { kind: "checks_begin" }, check("a")]), 1);
});

Deno.test("what was seen is told with the limit: rounds, verdict, files, the test's output, the command and how often", () => {
  const hash = "0123456789abcdef0123456789abcdef";
  const caps = noProgressCaps({
    maxRoundsWithoutChange: 2,
    maxTurnsWithoutChange: 9,
    maxSameTestOutput: 9,
    maxSameCommand: 3,
  });
  const seen = (events: readonly WorkEvent[], limits: RunCaps = caps) => reachedStandstill(limits, after(events))[0];
  const rounds = [...turn(hash), fails(1), ...turn(hash), fails(2)];
  assertEquals(seen(rounds), {
    name: "max_rounds_without_change",
    used: 2,
    seen: "rounds 1 to 2 ended with FAIL, and no file changed (files 0123456789ab)",
  });
  assertStringIncludes(
    seen(rounds, { max_turns_without_change: 2 })?.seen ?? "",
    "in 2 turns in a row, up to t (files",
  );
  assertEquals(seen([fails(1, "x"), fails(2, "x")], { max_same_test_output: 2 }), {
    name: "max_same_test_output",
    used: 2,
    seen: "the test failed 2 times in a row, up to round 2, with the same output, which is in e.txt",
  });
  const command = `echo "\x1b[2J${"long ".repeat(100)}"`;
  const told = seen([{ kind: "command_repeats", worker: "tester", command, times: 3 }])?.seen ?? "";
  assertStringIncludes(
    told,
    'tester ran one command 3 times in a row, with the same output, and no file changed: echo "\\x1b[2J',
  );
  assert(told.length < 500);
  assertEquals(seen([...turn(hash), fails(1), fails(2, "x")]), undefined);
  assertEquals(noProgressCaps({ maxSameCommand: 0 }), {});
});

/** A meter of a run that has gone through these events before. */
function meterAfter(events: readonly WorkEvent[], caps: RunCaps) {
  const begun = spend(NOTHING_SPENT, { kind: "process_begins" }, 0);
  const earlier = events.reduce((spent, event) => spend(spent, event, 0), begun);
  const clock = createFakeClock();
  const meter = openMeter({ caps, earlier, clock });
  return { meter, [Symbol.dispose]: () => (meter[Symbol.dispose](), clock[Symbol.dispose]()) };
}

Deno.test("a limit that is reached refuses the next turn, and a turn that would continue, until it is raised", () => {
  const idle = [...turn("a"), ...turn("a")];
  using stopped = meterAfter(idle, { max_turns_without_change: 2 });
  const { meter } = stopped;
  const error = assertThrows(() => meter.requireTurn("tester"), CapReachedError, "no file changed in 2 turns");
  assertEquals([error.exitCode, error.raise], [3, "max_turns_without_change=4"]);
  assertThrows(() => meter.admit({ kind: "turn_begins", worker: "tester" }), CapReachedError);
  assertThrows(() => meter.admit({ kind: "turn_continues", worker: "tester" }), CapReachedError);
  meter.take({ kind: "process_begins", raised: { max_turns_without_change: 3 } });
  assertEquals(meter.limitOf("max_turns_without_change"), 3);
  meter.admit({ kind: "turn_begins", worker: "programmer" });
  for (const event of turn("a")) meter.take(event);
  assertThrows(() => meter.requireTurn("tester"), CapReachedError, "(3) is reached");
});

Deno.test("a command that is repeated ends the turn under way; the turn after it begins anew", () => {
  using watched = meterAfter([], { max_same_command: 5 });
  const { meter } = watched;
  const repeats = (times: number) => meter.take({ kind: "command_repeats", worker: "a", command: "ls", times });
  meter.take({ kind: "turn_begins", worker: "a" });
  repeats(4);
  assertEquals(meter.signal.aborted, false);
  repeats(5);
  assert(meter.signal.reason instanceof CapReachedError);
  meter.take({ kind: "process_begins", raised: { max_same_command: 9 } });
  meter.admit({ kind: "turn_begins", worker: "a" });
  meter.take({ kind: "turn_begins", worker: "a" });
  meter.take({ kind: "process_begins", raised: { max_same_command: 5 } });
  meter.requireTurn("a");
});

Deno.test("several limits that are reached at once are told and raised at once", () => {
  const stuck = [...turn("a"), fails(1, "x"), ...turn("a"), fails(2, "x")];
  using stopped = meterAfter(stuck, { max_same_test_output: 2, max_turns_without_change: 2, max_turns: 9 });
  const error = assertThrows(
    () => stopped.meter.requireTurn("programmer"),
    CapReachedError,
    "no file changed in 2 turns",
  );
  assertStringIncludes(error.message, "; so is max_same_test_output (2): the test failed 2 times in a row");
  assertEquals([error.raise, error.raiseAlso], ["max_turns_without_change=4", ["max_same_test_output=4"]]);
});
