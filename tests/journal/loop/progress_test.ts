import { assertEquals } from "@std/assert";
import { REVIEW_FOLDS, type ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { initialProgress, levelOf, type Progress } from "../../../lib/journal/progress.ts";
import { workerOf } from "../../../lib/journal/workers.ts";
import {
  agentReady,
  dialogWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  reviewStarted,
} from "../../support/run_folders.ts";

const ID = "20261120-072605-3fa9";
const TURN = { turnId: "r2-programmer-c1", role: "programmer" } as const;

/** The progress after facts that were written a second apart. */
function after(...facts: readonly ReviewFact[]): Progress {
  return facts.reduce(
    (before, fact, second) => REVIEW_FOLDS.progress(before, { ...fact, at: at(second) }),
    initialProgress("run"),
  );
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 20, 8) + second * 1000).toISOString();
}

const RESUMED = { type: "turn_resumed", round: 2, cycle: 1 } as const;
const AT_WORK = [reviewStarted("/w", ID), ...agentReady(), ...PROGRAMMER_AT_WORK];

Deno.test("progress of a review loop: what it is about, where it is, who works on what since when", () => {
  const progress = after(...AT_WORK);
  assertEquals([progress.runId, progress.workdir, progress.about], [ID, "/w", "Teach the greeter manners."]);
  assertEquals(progress.place, [{ unit: "round", number: 2, of: 8 }, { unit: "cycle", number: 1 }]);
  assertEquals(progress.activity, { kind: "turn", worker: "programmer", since: at(7) });
  const worker = workerOf(progress, "programmer");
  assertEquals([worker?.provider, worker?.status, worker?.since], ["codex", "processing", at(9)]);
  assertEquals([worker?.sessionId, worker?.pane?.terminalId], ["019a-77", "%1"]);
  assertEquals([progress.session?.name, progress.session?.opened], ["panewright", true]);
  assertEquals([progress.startedAt, progress.lastAt, progress.lastRecord], [at(0), at(9), "status_changed"]);
  assertEquals(progress.counts, { turns: 1, responses: 0, reminders: 1, acceptedDialogs: 0, declinedDialogs: 0 });
});

Deno.test("progress of a review loop: a dialog is what it is, with role, kind, subject and reason", () => {
  const { waiting } = after(...AT_WORK, dialogWaiting(ID, "q1"));
  assertEquals(waiting, {
    id: "q1",
    by: "programmer",
    askedAt: at(AT_WORK.length),
    text: "a dialog (command): rm -rf \x1b[2Jbuild\nNo rule allows it.",
    fingerprint: "f",
    // No model gives a permission unless the policy lets it.
    reserved: true,
    dialog: {
      kind: "command",
      subject: "rm -rf \x1b[2Jbuild",
      reason: "No rule allows it.",
      terminalId: "%1",
      timeoutSeconds: 600,
    },
  });
});

const AFTERWARDS: readonly (readonly [string, readonly ReviewFact[], string | undefined])[] = [
  ["nothing", [], "q1"],
  ["another role's agent", [{ type: "agent_starting", role: "tester", provider: "codex" }], "q1"],
  ["a new agent in its place", [{ type: "agent_starting", role: "programmer", provider: "codex" }], undefined],
  ["its end", [{ type: "dialog_closed", ...TURN, question: "q1", seconds: 3 }], undefined],
  ["a person's Ctrl-C", [reviewFinished("interrupted")], "q1"],
  ["the end of the wait", [reviewFinished("needs_human")], "q1"],
  ["the end of the run", [reviewFinished("fail")], undefined],
];

for (const [what, facts, waiting] of AFTERWARDS) {
  Deno.test(`progress of a review loop: a dialog that waits, and after it ${what}`, () => {
    assertEquals(after(...AT_WORK, dialogWaiting(ID, "q1"), ...facts).waiting?.id, waiting);
  });
}

Deno.test("progress of a review loop: dialogs that a person answered are told apart from those of the policy", () => {
  const answered = {
    type: "dialog_answered",
    ...TURN,
    terminalId: "%1",
    kind: "command",
    subject: "npm test",
    answer: "accept",
    rule: "allow[0]",
    result: "closed",
  } as const;
  const { counts, answers } = after(...AT_WORK, answered, { ...answered, rule: "person", answer: "decline" });
  assertEquals([counts.acceptedDialogs, counts.declinedDialogs], [1, 0]);
  assertEquals(answers.map(({ worker, asked, answer }) => [worker, asked, answer]), [
    ["programmer", "command: npm test", "no"],
  ]);
});

Deno.test("progress of a review loop: verdicts are kept, and a resume makes a run one that has not ended", () => {
  const review = { type: "review_decided", role: "programmer_review", round: 2, cycle: 1 } as const;
  const facts = [
    ...AT_WORK,
    { ...review, verdict: "REVISE", note: "no tests" },
    { type: "round_finished", round: 2, verdict: "FAIL" },
    { type: "warning", message: "its screen is odd", role: "tester" },
    reviewFinished("interrupted", "Ctrl-C"),
  ] as const satisfies readonly ReviewFact[];
  const ended = after(...facts);
  assertEquals(ended.done.map(({ unit, number, outcome, reason }) => [unit, number, outcome, reason]), [
    ["cycle", 1, "fail", "no tests"],
    ["round", 2, "fail", undefined],
  ]);
  assertEquals(ended.warnings.map(({ message }) => message), ["tester: its screen is odd"]);
  assertEquals(ended.finished, { outcome: "interrupted", reason: "Ctrl-C", at: at(facts.length - 1), seconds: 60 });
  const started = facts[0];
  if (started.type !== "run_started") throw new TypeError("the first record is another");
  const resumed = after(...facts, { type: "run_resumed", runId: ID, folder: "", settings: started.settings });
  assertEquals([resumed.finished, resumed.executedSince, resumed.startedAt], [undefined, at(facts.length), at(0)]);
  assertEquals(levelOf(resumed, "round")?.number, 2);
});

Deno.test("progress of a review loop: of many warnings the last ones are kept", () => {
  const many = Array.from({ length: 50 }, (_, index): ReviewFact => ({ type: "warning", message: `w${index}` }));
  const { warnings } = after(...AT_WORK, ...many);
  assertEquals([warnings.length, warnings.at(-1)?.message], [20, "w49"]);
});

Deno.test("progress of a review loop: why a message waits, and for whom", () => {
  const held = {
    ...TURN,
    terminalId: "%1",
    what: "prompt",
    timeoutSeconds: 600,
    attachCommand: "tmux",
    passable: true,
  } as const;
  const atWork = { type: "message_held", ...held, obstacle: "at_work" } as const satisfies ReviewFact;
  const draft = { type: "message_held", ...held, obstacle: "draft" } as const satisfies ReviewFact;
  const released = { type: "message_released", ...TURN, passable: true } as const;
  const working = after(...AT_WORK, atWork);
  assertEquals([working.activity?.detail, working.waiting], [
    "at work on something else, its prompt waits",
    undefined,
  ]);
  const text = "a person's draft is in its composer, and its prompt waits";
  const drafted = after(...AT_WORK, atWork, draft);
  assertEquals([drafted.activity?.detail, drafted.waiting], [
    text,
    { id: undefined, by: "programmer", text, askedAt: at(AT_WORK.length + 1) },
  ]);
  for (const facts of [[draft, released], [draft, atWork, released], [draft, { ...RESUMED, ...TURN }]]) {
    const over = after(...AT_WORK, ...facts);
    assertEquals([over.activity?.kind, over.activity?.detail, over.waiting], ["turn", undefined, undefined]);
  }
});

Deno.test("progress of a review loop: a turn that waits to be tried again says until when and why, and continues", () => {
  const failed = { type: "agent_failed", ...TURN, message: "529", evidence: "row 7", retry: 1 } as const;
  const overloaded = { ...failed, class: "overloaded", retryAt: at(99) } as const satisfies ReviewFact;
  const wait = { worker: "programmer", since: at(AT_WORK.length), detail: "529", until: at(99) } as const;
  assertEquals(after(...AT_WORK, overloaded).activity, { kind: "retry", ...wait });
  const limited = { ...overloaded, class: "usage_limit" } as const;
  assertEquals(after(...AT_WORK, limited).activity, { kind: "usage_limit", ...wait });
  const sent = { type: "message_sent", ...TURN, what: "continuation" } as const satisfies ReviewFact;
  const working = { type: "status_changed", ...TURN, status: "processing" } as const satisfies ReviewFact;
  for (const next of [sent, working]) {
    const since = at(AT_WORK.length + 1);
    assertEquals(after(...AT_WORK, overloaded, next).activity, { kind: "turn", worker: "programmer", since });
  }
  assertEquals(after(...AT_WORK, { ...failed, class: "context" }).activity?.kind, "turn");
});

Deno.test("progress of a review loop: an agent that is started in its turn leaves the turn as it is", () => {
  const { activity } = after(...AT_WORK, ...agentReady());
  assertEquals([activity?.kind, activity?.worker], ["turn", "programmer"]);
});

Deno.test("progress of a review loop: a prompt is sent until the agent is seen at work, before or after", () => {
  const begun = [reviewStarted("/w", ID), ...agentReady(), {
    ...{ type: "turn_started", ...TURN, round: 2, cycle: 1, promptBytes: 9 },
  }] as const satisfies readonly ReviewFact[];
  const sent = { type: "message_sent", ...TURN, what: "prompt" } as const satisfies ReviewFact;
  const seen = (status: "processing" | "idle") =>
    ({ type: "status_changed", ...TURN, status }) as const satisfies ReviewFact;
  const statusAfter = (...facts: readonly ReviewFact[]) => workerOf(after(...begun, ...facts), "programmer")?.status;
  assertEquals(statusAfter(), "prompting");
  assertEquals(statusAfter(seen("idle"), sent), "prompted");
  assertEquals(statusAfter(sent, seen("idle")), "prompted");
  assertEquals(statusAfter(sent, seen("processing")), "processing");
  assertEquals(statusAfter(sent, seen("processing"), seen("idle")), "idle");
  // Work on something else was waited for.
  assertEquals(statusAfter(seen("processing"), seen("idle"), sent), "prompted");
  // A person has pressed Enter for a text that was pasted; that the agent is at work is not recorded once more.
  assertEquals(statusAfter(seen("processing"), sent), "processing");
});

Deno.test("progress of a review loop: a new session has no pane of the one before", () => {
  const opening = { type: "session_opening", socket: "s", session: "panewright", existing: false, mark: "m2" } as const;
  const progress = after(...AT_WORK, opening);
  assertEquals([progress.session?.mark, workerOf(progress, "programmer")?.pane], ["m2", undefined]);
});

const RECEIVED = {
  ...{ type: "message_received", messageId: "m-0000000000000001", role: "tester", by: "mcp" } as const,
  ...{ who: "codex", wantsResponse: true, bytes: 4, sha256: "5" },
} as const;
const OF_MESSAGE = { messageId: RECEIVED.messageId, role: "tester" } as const;
const IN_ITS_TURN = { turnId: RECEIVED.messageId, role: "tester" } as const;

Deno.test("progress of a review loop: how a message from outside fares; what the loop does stays as it is", () => {
  const sent = { type: "message_sent", ...IN_ITS_TURN, what: "prompt" } as const;
  const answered = {
    ...{ type: "message_answered", ...OF_MESSAGE, seconds: 3 } as const,
    ...{ bytes: 9, archivedAs: "/r/001-tester.md", sha256: "5" },
  } as const;
  const facts = [RECEIVED, { type: "message_started", ...OF_MESSAGE }, sent, answered] as const;
  const seen = facts.map((_, index) => after(...AT_WORK, ...facts.slice(0, index + 1)));
  assertEquals(seen.map(({ messages: [message] }) => message?.status), ["waiting", "sending", "sent", "answered"]);
  assertEquals(seen.map(({ activity }) => [activity?.kind, activity?.worker]), seen.map(() => ["turn", "programmer"]));
  assertEquals(seen.at(-1)?.messages, [{
    ...{ id: OF_MESSAGE.messageId, worker: "tester", by: "mcp", who: "codex", wantsResponse: true },
    ...{ receivedAt: at(AT_WORK.length), status: "answered", since: at(AT_WORK.length + 3) } as const,
    archivedAs: "/r/001-tester.md",
  }]);
  const failed = { type: "message_failed", ...OF_MESSAGE, reason: "No." } as const;
  assertEquals(after(...AT_WORK, RECEIVED, failed).messages.map(({ status, reason }) => [status, reason]), [[
    "failed",
    "No.",
  ]]);
});

Deno.test("progress of a review loop: a message's wait, or its failure, is not the loop's", () => {
  const held = {
    ...{ type: "message_held", ...IN_ITS_TURN, terminalId: "%2", what: "prompt", obstacle: "at_work" } as const,
    ...{ timeoutSeconds: 9, passable: true },
  } as const;
  const failed = {
    ...{ type: "agent_failed", ...IN_ITS_TURN, class: "overloaded", message: "529", evidence: "row 7" } as const,
    ...{ retry: 1, retryAt: at(99) },
  } as const;
  for (
    const facts of [[held], [held, { type: "message_released", ...IN_ITS_TURN, passable: true }], [failed]] as const
  ) {
    const { activity } = after(...AT_WORK, RECEIVED, { type: "message_started", ...OF_MESSAGE }, ...facts);
    assertEquals(activity, { kind: "turn", worker: "programmer", since: at(7) });
  }
});

Deno.test("progress of a review loop: of two dialogs side by side the first one is shown, and after it the other", () => {
  const first = dialogWaiting(ID, "q1");
  if (first.type !== "dialog_waiting") throw new TypeError("it is another fact");
  const second = { ...first, ...IN_ITS_TURN, question: "q2" };
  const closed = { type: "dialog_closed", turnId: first.turnId, role: first.role, question: "q1", seconds: 1 } as const;
  const both = after(...AT_WORK, first, second);
  assertEquals([both.waiting?.id, both.alsoWaiting.map(({ id }) => id)], ["q1", ["q2"]]);
  const one = after(...AT_WORK, first, second, closed);
  assertEquals([one.waiting?.id, one.alsoWaiting], ["q2", []]);
  const other = after(...AT_WORK, first, second, { ...closed, ...IN_ITS_TURN, question: "q2" });
  assertEquals([other.waiting?.id, other.alsoWaiting], ["q1", []]);
});

Deno.test("progress of a review loop: of many messages the last twenty that are over are kept, and all others", () => {
  const many = Array.from({ length: 30 }, (_, index): readonly ReviewFact[] => {
    const messageId = `m-${String(index).padStart(16, "0")}`;
    const received = { ...RECEIVED, messageId };
    return index === 0 ? [received] : [received, { type: "message_failed", messageId, role: "tester", reason: "No." }];
  }).flat();
  const { messages } = after(...AT_WORK, ...many);
  assertEquals([messages.length, messages[0]?.status, messages.at(-1)?.id], [21, "waiting", "m-0000000000000029"]);
});
