import { assertEquals, assertMatch } from "@std/assert";
import { cardOf } from "../../../lib/api/card/card.ts";
import { groupOf } from "../../../lib/api/card/sections.ts";
import type { ReportHeader } from "../../../lib/api/report/model.ts";
import { cardText } from "../../../lib/cli/show/card_text.ts";
import { refusedIn } from "../../../lib/journal/common.ts";
import { at, HEADER, HOSTILE, item, ITEMS } from "../report/page_fixture.ts";

const NOW = new Date(at(19_000));
const RESULT = {
  commit: "1".repeat(40),
  ref: "refs/panewright/greet-people",
  files: [{ path: "greet.sh", added: 4, removed: 3 }, { path: "logo.png", added: undefined, removed: undefined }],
  inner: [],
};
const WORKSPACE = { name: "greet-people" };
const finished = { outcome: "pass", reason: "", at: at(18_802), seconds: 372 } as const;
const commandOf = (words: readonly string[]) => `panewright ${words.join(" ")}`;

const text = (card: Parameters<typeof cardText>[0], columns = 80) =>
  cardText(card, { columns, color: false, commandOf });

const headerWith = (more: Partial<ReportHeader>): ReportHeader => ({ ...HEADER, ...more });

Deno.test("the card of a run that passed in a workspace: what was asked, changed, checked, and what can be done", () => {
  const items = [
    item({
      sequence: 3,
      lane: "work",
      kind: "check",
      at: at(9),
      tone: "bad",
      title: "check 1, npm test: it failed (2 s)",
    }),
    item({
      sequence: 5,
      lane: "work",
      kind: "check",
      at: at(9),
      tone: "good",
      title: "check 1, npm test: it passed (2 s)",
    }),
    item({
      sequence: 6,
      lane: "work",
      kind: "check",
      at: at(9),
      tone: "good",
      title: "check 2: nothing to check (0 s)",
    }),
    item({
      sequence: 7,
      lane: "run",
      kind: "warning",
      at: at(9),
      title: "command: the sandbox refused: connect x.example:443",
    }),
    item({
      sequence: 8,
      lane: "run",
      kind: "warning",
      at: at(9),
      title: "command: the sandbox refused: connect x.example:443",
    }),
  ];
  const { tokens: [first] } = HEADER;
  const header = headerWith({
    ...{ job: "exec", about: "Greet people", task: "Greet people by name", tokens: first === undefined ? [] : [first] },
    done: [{ unit: "task", number: 1, outcome: "pass", at: at(18_802) }],
  });
  const card = cardOf({ header, items }, { now: NOW, workspace: WORKSPACE, result: RESULT, finished });
  assertEquals(
    text(card),
    `✓ PASS  greet-people                                    6m 12s · 7 turns · $2.31
  Greet people by name

  Changed   2 files, +4 −3                          panewright diff greet-people
            greet.sh +4 −3
            logo.png
  Tests     npm test: it passed (2 s)
  Refused   connect x.example:443 (command)
  Cost      48,000 tokens in (31,000 cached), 2,100 out (gpt-5.2-codex)

  apply     bring it into your checkout       panewright apply greet-people
  pr        a branch and a pull request       panewright pr greet-people
  reply     another round with your comment   panewright reply greet-people "…"
  discard   keep it on a ref, tidy up         panewright discard greet-people
`,
  );
  // A target has no agent that could be replied to.
  const ofTarget = cardOf({ header, items }, { now: NOW, workspace: { ...WORKSPACE, isTarget: true }, result: RESULT });
  assertEquals(ofTarget.next.map(({ verb }) => verb), ["apply", "pr", "discard"]);
});

Deno.test("what was asked of a folder's tasks is the folder, not the text of the last one", () => {
  const done = [1, 2].map((number) => ({ unit: "task" as const, number, outcome: "pass" as const, at: at(9) }));
  const asked = (about: Partial<typeof HEADER>) =>
    cardOf({ header: headerWith({ job: "exec", about: "tasks", task: "Say bye", ...about }), items: [] }, { now: NOW })
      .task;
  assertEquals([asked({ done }), asked({ place: [{ unit: "task", number: 2 }] })], ["tasks", "tasks"]);
  assertEquals(asked({ done: done.slice(0, 1) }), "Say bye");
});

Deno.test("what was not checked is said, and what was done that is in no commit", () => {
  const header = headerWith({ tokens: [], why: "", counts: { ...HEADER.counts, turns: 0 } });
  const card = cardOf({ header, items: [] }, { now: NOW, workspace: WORKSPACE, notKept: "it is in no commit" });
  const shown = text(card);
  assertMatch(shown, /^ {2}Tests {5}none: nothing was checked$/m);
  assertMatch(shown, /^ {2}Changed {3}it is in no commit$/m);
  assertEquals(card.next.map(({ verb }) => verb), ["discard"]);
  const begun = { ...RESULT, files: [], inner: ["app"] };
  const made = text(cardOf({ header: HEADER, items: [] }, { now: NOW, workspace: WORKSPACE, result: begun }));
  assertMatch(made, /^ {12}app is in no commit: a repository of its own, or not to be read$/m);
});

Deno.test("a card with what waits has it whole, and the commands that answer it; of several each by its id", () => {
  const asked = { askedAt: at(1), answered: false, shown: "whole", reserved: false } as const;
  const permission = { ...asked, id: "q1", by: "tester", text: "run a command", answer: "permission" as const };
  const dialog = {
    kind: "command",
    subject: "curl -s http://127.0.0.1:9310/health",
    reason: "no rule names it",
  } as never;
  const waiting = { ...permission, dialog };
  const { outcome: _o, endedAt: _e, ...open } = headerWith({ condition: "waiting", tokens: [], executed: true });
  const one = cardOf({ header: { ...open, waiting }, items: [] }, { now: NOW });
  assertEquals(one.waiting.map(({ text, reason }) => [text, reason]), [[
    "curl -s http://127.0.0.1:9310/health",
    "no rule names it",
  ]]);
  assertEquals(one.next.map(({ words }) => words), [
    ["approve", HEADER.runId],
    ["deny", HEADER.runId, "…"],
  ]);
  const apart = cardOf({ header: { ...open, waiting }, items: [] }, { now: NOW, workspace: WORKSPACE });
  assertEquals(apart.next.map(({ words }) => words), [["approve", "greet-people"], ["deny", "greet-people", "…"]]);
  assertMatch(text(one), /^\? NEEDS YOU {2}greet-people-by-name /);
  const question = { ...asked, id: "q2", by: "analyst", text: "Which?", answer: "question" as const };
  const two = cardOf({ header: { ...open, waiting, alsoWaiting: [question] }, items: [] }, { now: NOW });
  assertEquals(two.next.map(({ words }) => words.slice(0, 4)), [
    ["approve", HEADER.runId, "--question", "q1"],
    ["deny", HEADER.runId, "--question", "q1"],
    ["answer", HEADER.runId, "--question", "q2"],
  ]);
  const answered = cardOf({ header: { ...open, waiting: { ...waiting, answered: true } }, items: [] }, { now: NOW });
  assertEquals(answered.waiting, []);
});

Deno.test("a failed run shows the last check with the end of its output, and how it is resumed", () => {
  const output = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const items = [
    item({ sequence: 3, lane: "run", kind: "tests", at: at(9), tone: "bad", title: "tests failed", text: output }),
  ];
  const header = headerWith({ condition: "failed", outcome: "fail", why: "no round is left", resumeCommand: "x" });
  const card = cardOf({ header, items }, { now: NOW });
  assertEquals(card.checks[0]?.output?.split("\n").length, 12);
  assertEquals(card.next.map(({ words }) => words), [["resume", HEADER.runId]]);
  assertMatch(text(card), /^✗ FAIL [^]*^ {2}Why {7}no round is left$/m);
});

Deno.test("a card holds in 40 columns, and texts of agents are data in it", () => {
  const header = headerWith({ task: HOSTILE, why: HOSTILE, condition: "failed" });
  const result = { ...RESULT, files: [{ path: HOSTILE, added: 1, removed: 0 }] };
  const shown = text(cardOf({ header, items: ITEMS }, { now: NOW, workspace: WORKSPACE, result }), 40);
  // deno-lint-ignore no-control-regex -- these are what must not get through
  assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(shown), false);
  const own = shown.split("\n").filter((row) => row.includes("panewright apply"));
  assertEquals(own.map((row) => row.trim()), ["panewright apply greet-people"]);
});

Deno.test("what a title says of a refusal, and which runs need a person", () => {
  assertEquals(refusedIn("main-1: the sandbox refused: write /x"), "write /x (main-1)");
  assertEquals(refusedIn("a warning"), undefined);
  assertEquals((["waiting", "needs_person", "running", "failed", "killed"] as const).map(groupOf), [
    ...["needs you", "needs you", "working", "done", "done"],
  ]);
});
