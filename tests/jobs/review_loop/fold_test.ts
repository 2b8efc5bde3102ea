import type { RunState } from "../../../lib/jobs/review_loop/state.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import type { RecordedEvent } from "../../../lib/jobs/review_loop/fold.ts";
import { foldEvents } from "../../support/fold_events.ts";
import { openTurnOf } from "../../../lib/journal/loop/state.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import type { TestCommandResult } from "../../../lib/jobs/test_command.ts";
import { FAIL, GOOD_REVIEW, PASS, recorded, REVISE, runScripted, runStarted } from "./scripted_agents.ts";

const SETTINGS = reviewLoopSettings({ minReviewCyclesBeforeApproval: 1, projectTestCmd: "npm test", maxRounds: 3 });

/** An approval that has its evidence only where it is known which of its words are names. */
const NAMED_REVIEW = `ARTEFACTS: what I read is correct.
ACTION_ITEMS:
- Keep Makefile as it is.
INTERFACES: opened Makefile and Учёба.
REVIEW_NOTES: I read both files.
REVIEW_RESULT: APPROVED`;

/** What each turn is answered with: two review cycles, a missing verdict, a failed test command, a failed tester. */
const ANSWERS: Readonly<Record<string, string>> = {
  "r1-analyst_review-c1": REVISE,
  "r1-programmer_review-c1": "I read it, and it is fine.",
  "r1-programmer_review-c1-verdict": "REVIEW_RESULT: REVISE",
  "r1-programmer-c2": "A long report.\n".repeat(4000),
  "r1-programmer_review-c2": NAMED_REVIEW,
  "r1-tester": PASS,
  "r2-tester": FAIL,
  "r3-tester": PASS,
};
const PASSING_COMMANDS = [2, 3];

const at = recorded;

const START = runStarted({ settings: SETTINGS });

/** Plays a run to its end, from the beginning or from what a journal holds. */
async function play(journal: readonly RecordedEvent[]) {
  const { sent, result, journal: events } = await runScripted({}, {
    journal,
    names: { files: ["Makefile", "Учёба"], folders: [] },
    answer: ({ id, role }) => ANSWERS[id] ?? (role.endsWith("_review") ? GOOD_REVIEW : `The work of ${id}.`),
    runTestCommand: (_command, round) => Promise.resolve(commandResult(PASSING_COMMANDS.includes(round))),
  });
  return { events, prompts: Object.fromEntries(sent.map(({ turn, prompt }) => [turn.id, prompt])), ...result };
}

function commandResult(passed: boolean): TestCommandResult {
  return { passed, exitCode: passed ? 0 : 1, timedOut: false, seconds: 1, output: "out\n", truncated: false };
}

function told(events: readonly RecordedEvent[]): readonly string[] {
  return events.filter(({ type }) => type !== "turn_resumed" && type !== "test_command_started")
    .map((event) => JSON.stringify({ ...event, text: undefined }));
}

Deno.test("a run goes on from any prefix of its journal to the same end, with the same prompts, and nothing is told or done twice", async () => {
  const whole = await play([START]);
  const plain = (prompt: string | undefined) => prompt?.replaceAll(/PANEWRIGHT_[0-9a-f]{12}/g, "DELIMITER");
  assertEquals(whole.outcome, "pass");
  assert(whole.events.length > 50, `a long run, of ${whole.events.length} events`);
  assert(whole.prompts["r1-programmer_review-c2"]?.includes("read what is missing in /a/r1-programmer-c2.md"));
  const byNames = whole.events.find((event) =>
    event.type === "review_decided" && event.role === "programmer_review" && event.cycle === 2
  );
  assertEquals(byNames?.type === "review_decided" && byNames.verdict, "APPROVED");
  for (let length = 1; length <= whole.events.length; length++) {
    const rest = await play(whole.events.slice(0, length));
    assertEquals(told(rest.events), told(whole.events), `from the first ${length} records`);
    assertEquals(rest.outcome, "pass");
    for (const [turnId, prompt] of Object.entries(rest.prompts)) {
      assertEquals(plain(prompt), plain(whole.prompts[turnId]), `${turnId}, from the first ${length} records`);
    }
  }
});

function fold(...events: readonly ReviewFact[]): RunState {
  const state = foldEvents([START, ...events.map((event) => at(event))]);
  assert(state !== undefined);
  return state;
}

const STARTING = { type: "agent_starting", role: "analyst", provider: "codex" } as const;
const READY = {
  type: "agent_ready",
  role: "analyst",
  terminalId: "%1",
  seconds: 1,
  pid: 7,
  processStart: "99",
  launchedAtMs: 5,
} as const;
const TURN = {
  type: "turn_started",
  turnId: "r1-analyst-c1",
  role: "analyst",
  round: 1,
  cycle: 1,
  promptBytes: 9,
} as const;
const SENDING = {
  type: "message_sending",
  turnId: "r1-analyst-c1",
  role: "analyst",
  terminalId: "%1",
  what: "prompt",
  file: "messages/r1-analyst-c1.md",
  bytes: 9,
  sha256: "5",
} as const;
const SENT = { type: "message_sent", turnId: "r1-analyst-c1", role: "analyst", what: "prompt" } as const;

Deno.test("an agent is known by its pane, and by the session of its CLI", () => {
  const { agents } = fold(STARTING, READY, { type: "agent_session", role: "analyst", sessionId: "u1" });
  assertEquals(agents.analyst, {
    provider: "codex",
    pane: { terminalId: "%1", pid: 7, processStart: "99", wrapperShell: undefined, launchedAtMs: 5 },
    sessionId: "u1",
    seenRules: [],
    hasMemory: false,
  });
  const seen = [STARTING, READY, { type: "agent_rules_seen", role: "analyst", rules: ["title-spinner"] }] as const;
  assertEquals(fold(...seen).agents.analyst?.seenRules, ["title-spinner"]);
  assertEquals(fold(...seen, STARTING).agents.analyst?.seenRules, [], "of the agent, not of the role");
});

Deno.test("an agent of a session that is gone has no pane: a new session may have another's pane by that name", () => {
  const opening = { type: "session_opening", socket: "s", session: "panewright", existing: false, mark: "m2" } as const;
  const session = { type: "agent_session", role: "analyst", sessionId: "u1" } as const;
  const { agents } = fold(STARTING, READY, session, opening);
  assertEquals([agents.analyst?.pane, agents.analyst?.sessionId], [undefined, "u1"]);
});

Deno.test("a message is about to be pasted, about to be submitted, and sent", () => {
  const pasting = { ...SENDING, step: "paste", dispatchedAtMs: 1000 } as const;
  const paste = fold(STARTING, READY, TURN, pasting);
  assertEquals([paste.turn?.message?.step, paste.turn?.dispatchedAtMs], ["paste", 1000]);
  const enter = fold(STARTING, READY, TURN, pasting, { ...SENDING, step: "enter" });
  assertEquals([enter.turn?.message?.step, enter.turn?.dispatchedAtMs], ["enter", 1000]);
  const sent = fold(STARTING, READY, TURN, pasting, { ...SENDING, step: "enter" }, SENT);
  assertEquals([sent.turn?.message?.step, sent.agents.analyst?.hasMemory], ["sent", true]);
});

Deno.test("a new agent has nothing of what the one before was sent; one that goes on with its session has", () => {
  const before = [STARTING, READY, TURN, { ...SENDING, step: "enter" }, SENT] as const;
  const anew = fold(...before, STARTING);
  assertEquals([anew.turn?.message, anew.turn?.interrupted, anew.agents.analyst?.hasMemory], [undefined, true, false]);
  const resumed = fold(...before, { ...STARTING, resumes: "u1" });
  assertEquals([resumed.turn?.interrupted, resumed.agents.analyst?.hasMemory], [true, true]);
  const unsent = fold(STARTING, READY, TURN, { ...SENDING, step: "paste" }, STARTING);
  assertEquals([unsent.turn?.message, unsent.turn?.interrupted], [undefined, false]);
});

Deno.test("the turn of a message from outside stands beside the loop's; each record changes its own", () => {
  const messageId = "m-0000000000000001";
  const role = "tester";
  const received = {
    type: "message_received",
    messageId,
    role,
    by: "http",
    wantsResponse: true,
    bytes: 4,
    sha256: "5",
  };
  const own = { ...SENDING, turnId: messageId, role } as const;
  const before = [
    ...[STARTING, READY, { ...STARTING, role }, TURN, { ...SENDING, step: "enter" }, SENT],
    ...[received, { type: "message_started", messageId, role }, { ...own, step: "enter" }],
  ] as readonly ReviewFact[];
  const open = fold(...before);
  const [message] = open.messages;
  assertEquals([open.turn?.id, open.turn?.message?.step], [TURN.turnId, "sent"]);
  assertEquals([message?.turn?.id, message?.turn?.message?.step, message?.isOver], [messageId, "enter", false]);
  assertEquals([openTurnOf(open, "analyst")?.id, openTurnOf(open, role)?.id], [TURN.turnId, messageId]);
  const lost = fold(...before, { ...STARTING, role });
  assertEquals([lost.messages[0]?.turn?.interrupted, lost.turn?.interrupted], [true, false]);
  const answered = fold(...before, { type: "message_answered", messageId, role, seconds: 1 });
  assertEquals([answered.messages[0]?.turn, answered.messages[0]?.isOver], [undefined, true]);
  assertEquals([answered.turn, answered.loop, answered.responses], [open.turn, open.loop, []]);
});

Deno.test("a role whose agent is new, or has a shorter conversation, is told everything again, the others are not", () => {
  const response = { type: "response_received", bytes: 3, sha256: "0", seconds: 1 } as const;
  const events = [
    START,
    at(TURN),
    at({ ...response, turnId: "r1-analyst-c1", role: "analyst", archivedAs: "/a/1" }, "work"),
    at({ ...TURN, turnId: "r1-analyst_review-c1", role: "analyst_review" }),
    at({ ...response, turnId: "r1-analyst_review-c1", role: "analyst_review", archivedAs: "/a/2" }, REVISE),
  ];
  assertEquals(foldEvents(events)?.loop.prompted, ["analyst", "analyst_review"]);
  assertEquals(foldEvents([...events, at(STARTING)])?.loop.prompted, ["analyst_review"]);
  const compacted = at({ type: "agent_compacted", role: "analyst_review", times: 2 });
  assertEquals(foldEvents([...events, compacted])?.loop.prompted, ["analyst"]);
  assertEquals(foldEvents([...events, at({ ...STARTING, resumes: "u1" })])?.loop.prompted, [
    "analyst",
    "analyst_review",
  ]);
});

Deno.test("reminders and accepted prompts of the open turn are counted, and forgotten with the next turn", () => {
  const answered = {
    type: "dialog_answered",
    turnId: "r1-analyst-c1",
    role: "analyst",
    terminalId: "%1",
    kind: "command",
    subject: "npm test",
    rule: "allow[0]",
    result: "closed",
  } as const;
  const { turn } = fold(
    TURN,
    { type: "reminder_sent", turnId: "r1-analyst-c1", role: "analyst", reminder: 1 },
    { ...answered, answer: "accept" },
    { ...answered, answer: "accept" },
    { ...answered, answer: "accept", rule: "person" },
    { ...answered, answer: "accept", result: "replaced" },
    { ...answered, answer: "decline" },
  );
  assertEquals([turn?.reminders, turn?.acceptedDialogs, turn?.declinedDialogs], [1, 2, 1]);
  assertEquals(turn?.lastAcceptAtMs, Date.parse("2026-11-20T12:00:00.000Z"));
  const next = fold(TURN, { ...answered, answer: "accept" }, { ...TURN, turnId: "r1-analyst-c2", cycle: 2 }).turn;
  assertEquals([next?.acceptedDialogs, next?.lastAcceptAtMs], [0, undefined]);
});

Deno.test("a question that waits is known by its dialog, and numbers go on", () => {
  const waiting = {
    type: "dialog_waiting",
    turnId: "r1-analyst-c1",
    role: "analyst",
    terminalId: "%1",
    kind: "command",
    subject: "npm test",
    fingerprint: "f1",
    reason: "",
    question: "q4",
    runId: "r",
    attachCommand: "",
    timeoutSeconds: 1,
  } as const;
  const open = fold(TURN, waiting);
  assertEquals([open.turn?.openQuestions, open.questions], [[{ id: "q4", fingerprint: "f1" }], 4]);
  const closed = fold(TURN, waiting, { type: "dialog_closed", turnId: waiting.turnId, role: "analyst", seconds: 1 });
  assertEquals([closed.turn?.openQuestions, closed.questions], [[], 4]);
  const two = fold(TURN, waiting, { ...waiting, question: "q5", fingerprint: "f2" }, waiting);
  assertEquals(two.turn?.openQuestions.map(({ id }) => id), ["q5", "q4"]);
});

Deno.test("settings that were changed hold from the resume on, not for what was decided before", () => {
  const strict = reviewLoopSettings({ ...SETTINGS, minReviewCyclesBeforeApproval: 2 });
  const review = at({
    type: "response_received",
    turnId: "r1-analyst_review-c1",
    role: "analyst_review",
    bytes: 1,
    archivedAs: "/a/2",
    sha256: "0",
    seconds: 1,
  }, GOOD_REVIEW);
  const work = at({
    type: "response_received",
    turnId: "r1-analyst-c1",
    role: "analyst",
    bytes: 1,
    archivedAs: "/a/1",
    sha256: "0",
    seconds: 1,
  }, "work");
  const resumed = at({ type: "run_resumed", runId: "r", folder: "/f", settings: strict });
  assertEquals(foldEvents([START, work, review, resumed])?.loop.stage, { kind: "work", role: "programmer", cycle: 1 });
  assertEquals(foldEvents([START, work, resumed, review])?.loop.stage, { kind: "work", role: "analyst", cycle: 2 });
});

Deno.test("a run that ended goes on with the turn that was open", () => {
  const finished = { type: "run_finished", outcome: "interrupted", rounds: 1, seconds: 1, reason: "Ctrl-C" } as const;
  assertEquals(fold(TURN, finished).finished?.outcome, "interrupted");
  const resumed = fold(TURN, finished, { type: "run_resumed", runId: "r", folder: "/f", settings: SETTINGS });
  assertEquals([resumed.finished, resumed.turn?.id], [undefined, "r1-analyst-c1"]);
});

Deno.test("a response without its text, or where none is due, is refused", () => {
  const response = {
    type: "response_received",
    turnId: "r1-analyst-c1",
    role: "analyst",
    bytes: 1,
    archivedAs: "/a/1",
    sha256: "0",
    seconds: 1,
  } as const;
  assertThrows(() => foldEvents([START, at(response)]), TypeError, "its text is missing");
});

Deno.test("what was tried in a turn is counted by kind, and begins anew when the run is resumed", () => {
  const turn = { turnId: "r1-analyst-c1", role: "analyst" } as const;
  const failed = (retry?: number) =>
    at({
      type: "agent_failed",
      ...turn,
      class: "overloaded",
      message: "529",
      evidence: "row 7",
      ...(retry === undefined ? {} : { retry, retryAt: "2026-11-20T12:00:30.000Z" }),
    });
  const begun = [START, at({ type: "turn_started", ...turn, round: 1, cycle: 1, promptBytes: 9 })];
  const tried = [...begun, failed(1), failed(2), failed(0), failed()];
  assertEquals(foldEvents(tried)?.turn?.tried, { pause: 2, reset: 1 });
  assertEquals(
    foldEvents([...tried, at({ type: "run_resumed", runId: "r", folder: "/f", settings: SETTINGS })])?.turn?.tried,
    {},
  );
});

Deno.test("what a turn has used of its time is what was told of it last, and a new turn has used nothing", () => {
  const turn = { turnId: "r1-analyst-c1", role: "analyst", round: 1, cycle: 1 } as const;
  const time = (usedSeconds: number) =>
    ({ type: "turn_time", turnId: turn.turnId, role: "analyst", usedSeconds, passable: true }) as const;
  const sent = { type: "message_sent", turnId: turn.turnId, role: "analyst", what: "prompt" } as const;
  const resumed = {
    type: "run_resumed",
    runId: "r",
    folder: "/job/.panewright/runs/r",
    settings: SETTINGS,
  } as const;
  const events = [
    { type: "turn_started", ...turn, promptBytes: 9 },
    sent,
    time(60),
    { type: "status_changed", ...turn, status: "processing" },
    time(71.5),
    resumed,
    { type: "turn_resumed", ...turn },
    time(131.5),
  ] as const satisfies readonly ReviewFact[];
  const used = events.map((_, index) => fold(...events.slice(0, index + 1)).turn?.usedSeconds);
  assertEquals(used, [0, 0, 60, 60, 71.5, 71.5, 71.5, 131.5]);
  assertEquals(fold(...events, { type: "turn_started", ...turn, promptBytes: 9 }).turn?.usedSeconds, 0);
});

Deno.test("a test command that could be run may be missing where the run was carried to", async () => {
  const { events } = await play([START]);
  const tested = events.slice(0, events.findIndex(({ type }) => type === "test_command_finished") + 1);
  const resumed = { type: "run_resumed", runId: "r", folder: "/f", settings: SETTINGS } as const;
  const ranAfter = (event: ReviewFact) => foldEvents([...tested, at(event)])?.loop.testCommandRan;
  assertEquals([ranAfter(resumed), ranAfter({ ...resumed, carriedFrom: "/g" })], ["npm test", undefined]);
});
