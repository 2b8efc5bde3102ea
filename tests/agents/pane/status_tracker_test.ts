import { assertEquals, assertStringIncludes } from "@std/assert";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import type {
  RecordedFailure,
  ReportedState,
  StatusReport,
  StatusSource,
} from "../../../lib/agents/pane/status_source.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { StatusTracker } from "../../../lib/agents/pane/status_tracker.ts";
import { parseScreen, type Screen } from "../../../lib/screen/screen.ts";
import { stillClock } from "../../support/still_clock.ts";

const COMPOSER = "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m\n\n  gpt-6.1-sol default · /work\n";
const ECHO = "\x1b[1;2m› \x1b[0mDo it\n\n";

function codex(rows: string, title = "work"): Screen {
  return parseScreen(`${ECHO}${rows}\n\n${COMPOSER}`, { title });
}

const ANSWER = codex("\x1b[2m• \x1b[0mHere it is.");
const WORKING = codex("\x1b[2m• \x1b[0m\x1b[2mWorking (3s • esc to interrupt)\x1b[0m");
const WORKING_WITH_TITLE = codex("\x1b[2m• \x1b[0m\x1b[2mWorking (3s • esc to interrupt)\x1b[0m", "⠋ work");

/** A tracker whose source says what the test tells it to. */
function track(options: { readonly withSource: boolean; readonly seenRules?: readonly string[] }) {
  const clock = stillClock(1000);
  const logged: string[] = [];
  const calls: string[] = [];
  let report: StatusReport | undefined;
  let reading = false;
  let failure: RecordedFailure | undefined;
  let afterFailure = () => {};
  const source: StatusSource = {
    sessionId: undefined,
    name: "session log",
    async read() {
      calls.push(reading ? "overlap" : "read");
      reading = true;
      await Promise.resolve();
      reading = false;
      return report;
    },
    expectPrompt: (text) => void calls.push(`expect ${text}`),
    doubt: () => void calls.push("doubt"),
    lastAnswer: () => Promise.resolve("The whole answer."),
    async lastFailure() {
      await Promise.resolve();
      afterFailure();
      return failure;
    },
    [Symbol.dispose]: () => void calls.push("dispose"),
  };
  const tracker = new StatusTracker({
    rules: CODEX_RULES,
    clock,
    quietMs: 8000,
    log: (message) => logged.push(message),
    ...(options.withSource ? { source } : {}),
    ...(options.seenRules ? { seenRules: options.seenRules } : {}),
  });
  return {
    clock,
    logged,
    calls,
    tracker,
    say(state: ReportedState) {
      report = { ...state, sinceMs: clock.now(), newsMs: clock.now(), evidence: "a record" };
    },
    /** What the record has as the last failure, and what happens while that is read. */
    fail(endsTurn: boolean, meanwhile = () => {}) {
      failure = { text: "API Error: 500", evidence: "a record", writtenAt: 0, endsTurn };
      afterFailure = meanwhile;
    },
    async judge(screen: Screen) {
      const { status, rule } = await tracker.judge(readScreen(screen, CODEX_RULES, { signs: tracker.unseenRules }));
      return `${status} ${rule}`;
    },
  };
}

Deno.test("a rest that the record tells of as well is told apart from one that only shows", async () => {
  const { say, tracker } = track({ withSource: true });
  const restIsRecorded = async () => (await tracker.judge(readScreen(ANSWER, CODEX_RULES))).restIsRecorded === true;
  assertEquals(await restIsRecorded(), false);
  say({ state: "working" });
  assertEquals(await restIsRecorded(), false);
  say({ state: "at_rest" });
  assertEquals(await restIsRecorded(), true);
});

Deno.test("a doubtful screen must stand still where there is no source, and every change counts", async () => {
  const { clock, judge } = track({ withSource: false });
  assertEquals(await judge(ANSWER), "processing not-quiet-yet");
  clock.advance(7999);
  assertEquals(await judge(ANSWER), "processing not-quiet-yet");
  assertEquals(await judge(codex("\x1b[2m• \x1b[0mHere it is. And more.")), "processing not-quiet-yet");
  clock.advance(7999);
  assertEquals(await judge(codex("\x1b[2m• \x1b[0mHere it is. And more.")), "processing not-quiet-yet");
  clock.advance(1);
  assertEquals(await judge(codex("\x1b[2m• \x1b[0mHere it is. And more.")), "completed answered");
});

Deno.test("an agent that has shown the title's spinner once is believed at once from then on", async () => {
  const { judge } = track({ withSource: false });
  assertEquals(await judge(WORKING), "processing status-row");
  assertEquals(await judge(ANSWER), "processing not-quiet-yet");
  assertEquals(await judge(WORKING_WITH_TITLE), "processing status-row");
  assertEquals(await judge(ANSWER), "completed answered");
});

Deno.test("what was seen of an agent is known to the next tracker of the same agent", async () => {
  const { judge, tracker } = track({ withSource: false });
  assertEquals(tracker.seenRules, []);
  await judge(WORKING_WITH_TITLE);
  const [rule, ...more] = tracker.seenRules;
  assertEquals([typeof rule, more], ["string", []]);
  const next = track({ withSource: false, seenRules: tracker.seenRules });
  assertEquals(await next.judge(ANSWER), "completed answered");
  assertEquals(next.tracker.seenRules, tracker.seenRules);
});

Deno.test("what the source says goes before a doubtful screen, in both directions, and is no disagreement", async () => {
  const { clock, judge, say, logged, calls } = track({ withSource: true });
  say({ state: "working" });
  for (let seconds = 0; seconds < 60; seconds++) {
    assertEquals(await judge(ANSWER), "processing session-log");
    clock.advance(1000);
  }
  say({ state: "at_rest", outcome: "completed" });
  assertEquals(await judge(ANSWER), "completed answered");
  say({ state: "at_rest", outcome: "error" });
  assertEquals(await judge(ANSWER), "error session-log");
  assertEquals(logged, []);
  assertEquals(calls.includes("doubt"), false);
});

Deno.test("a disagreement that lasts is told once in a turn, with both sides, and the source looks again at once", async () => {
  const { clock, judge, say, logged, calls, tracker } = track({ withSource: true });
  for (let turn = 1; turn <= 2; turn++) {
    await tracker.noteSubmission("Do it");
    say({ state: "at_rest", outcome: "completed" });
    for (let look = 0; look < 5; look++) {
      assertEquals(await judge(WORKING), look < 2 ? "processing status-row" : "completed session-log");
      clock.advance(1000);
    }
    assertEquals(logged.length, turn);
    assertEquals(calls.filter((call) => call === "doubt").length, turn);
  }
  assertStringIncludes(logged[0] ?? "", "the screen says processing (rule status-row)");
  assertStringIncludes(logged[0] ?? "", "the session log says at_rest (a record)");
  assertStringIncludes(logged[0] ?? "", "taken is completed");
});

Deno.test("a disagreement of a moment is not told", async () => {
  const { clock, judge, say, logged } = track({ withSource: true });
  say({ state: "at_rest", outcome: "completed" });
  for (let turn = 0; turn < 5; turn++) {
    assertEquals(await judge(WORKING), "processing status-row");
    clock.advance(500);
    assertEquals(await judge(ANSWER), "completed answered");
    clock.advance(1000);
  }
  assertEquals(logged, []);
});

Deno.test("what was recorded before a submission is read before it, and does not count for its turn", async () => {
  const { clock, judge, say, tracker, calls } = track({ withSource: true });
  say({ state: "at_rest", outcome: "completed" });
  clock.advance(1);
  await tracker.noteSubmission("Do it again");
  assertEquals(calls, ["read", "expect Do it again"]);
  assertEquals(await judge(ANSWER), "processing not-quiet-yet");
  assertEquals(await tracker.lastAnswer(), undefined);
  say({ state: "working" });
  assertEquals(await judge(ANSWER), "processing session-log");
  assertEquals(await tracker.lastAnswer(), undefined);
  say({ state: "at_rest", outcome: "completed" });
  assertEquals(await judge(ANSWER), "completed answered");
  assertEquals(await tracker.lastAnswer(), "The whole answer.");
});

Deno.test("a turn that failed is over by a rest since its prompt, or by a failure that the record has of this turn", async () => {
  const { clock, say, fail, tracker } = track({ withSource: true });
  say({ state: "at_rest" });
  clock.advance(1);
  await tracker.noteSubmission("Do it");
  // The rest is from before the prompt, and so may the failure be.
  fail(false);
  assertEquals(await tracker.lastFailure(), {});
  fail(true);
  const { recorded, overBy } = await tracker.lastFailure();
  assertEquals([recorded?.text, overBy], ["API Error: 500", "a record"]);
  // A turn begins while the failure is read.
  fail(true, () => say({ state: "working" }));
  assertEquals(await tracker.lastFailure(), {});
  fail(false);
  say({ state: "at_rest" });
  assertEquals((await tracker.lastFailure()).overBy, "a record");
});

Deno.test("a status that the screen did not decide names no rows of it", async () => {
  const { say, tracker } = track({ withSource: true });
  say({ state: "working" });
  assertEquals((await tracker.judge(readScreen(ANSWER, CODEX_RULES))).evidence, []);
});

Deno.test("a source is read by one at a time", async () => {
  const { tracker, calls, judge } = track({ withSource: true });
  await Promise.all([judge(ANSWER), tracker.noteSubmission("Do it"), judge(ANSWER), tracker.lastAnswer()]);
  assertEquals(calls.filter((call) => call === "read").length, 4);
  assertEquals(calls.filter((call) => call === "overlap"), []);
});

Deno.test("disposal lets go of the source", () => {
  const { tracker, calls } = track({ withSource: true });
  tracker[Symbol.dispose]();
  assertEquals(calls, ["dispose"]);
});
