import { assert, assertEquals, assertMatch } from "@std/assert";
import { ActivityView } from "../../../lib/api/show/activity_rows.ts";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";

const AT = "2026-11-20T07:26:05.000Z";

/** The rows as a person reads them, with their marks. */
function show(view: ActivityView, ...activities: readonly AcpActivity[]): readonly string[] {
  return activities.flatMap((activity) => view.rowsOf({ at: AT, activity })).map(({ mark, text }) => mark + text);
}

const view = (verbose = false) => new ActivityView({ workdir: "/w", verbose });

type Call = Extract<AcpActivity, { readonly type: "tool_call" }>;

function call(status: Call["status"], more: Partial<Call> = {}): Call {
  return { type: "tool_call", id: "c1", kind: "execute", title: "Terminal", status, ...more };
}

const output = (text: string, id = "c1"): AcpActivity => ({ type: "tool_output", id, text });

Deno.test("a call is told once, as soon as it is known what it does", () => {
  const shown = view();
  assertEquals(show(shown, call("pending")), []);
  assertEquals(show(shown, call("pending", { paths: ["/w"] })), []);
  assertEquals(show(shown, call("pending", { command: "npm test" })), ["$ npm test"]);
  assertEquals(show(shown, call("in_progress", { command: "npm test" })), []);
  assertEquals(show(shown, call("completed", { command: "npm test" })), []);
  assertEquals(show(view(), call("completed", { kind: "fetch", title: "Fetch a page" })), ["→ fetch Fetch a page"]);
  assertEquals(show(view(), call("completed", { kind: "read", title: "Read", paths: ["/w/a.ts", "/etc/b"] })), [
    "→ read a.ts, /etc/b",
  ]);
});

Deno.test("of what a call writes the end is shown once it has ended, and all of it with --verbose", () => {
  const rows = Array.from({ length: 20 }, (_, index) => `row ${index}\n`);
  const all = [call("in_progress", { command: "ls" }), ...rows.map((row) => output(row))];
  const ended = call("failed", { command: "ls" });
  assertEquals(show(view(), ...all), ["$ ls"]);
  const shown = show(view(), ...all, ended, ended);
  assertEquals(shown.slice(0, 3), ["$ ls", "  │ … 12 rows left out", "  │ row 12"]);
  assertEquals(shown.slice(-2), ["  │ row 19", "  ✗ failed"]);
  assertEquals(show(view(true), ...all).length, 21);
});

Deno.test("what a call writes after it was told to be over is not lost, nor that of one nobody knows", () => {
  assertEquals(show(view(), call("completed", { command: "ls" }), output("late\n")), ["$ ls", "  │ late"]);
  assertEquals(show(view(true), output("x", "c9")), ["→ a call", "  │ x"]);
});

Deno.test("of calls that run side by side it is told what each has written, and which has failed", () => {
  const one = { id: "1", command: "echo 1" };
  const two = { id: "2", command: "echo 2" };
  assertEquals(
    show(
      view(),
      call("in_progress", one),
      call("in_progress", two),
      output("```console\n1\n```\n", "1"),
      call("completed", one),
      call("failed", two),
    ),
    ["$ echo 1", "$ echo 2", "  $ echo 1", "  │ 1", "  $ echo 2", "  ✗ failed"],
  );
});

Deno.test("what a call has written that never ended is shown at the end of its turn", () => {
  const ended: AcpActivity = { type: "turn_ended", reason: "cancelled", isGood: false };
  assertEquals(show(view(), call("in_progress", { command: "ls" }), output("half\n"), ended, output("", "c9"), ended), [
    "$ ls",
    "  │ half",
    "< turn ended: cancelled",
    "→ a call",
    "  │ ",
    "< turn ended: cancelled",
  ]);
});

Deno.test("where several requests wait, an answer says to which of them it is", () => {
  const ask = (id: string, text: string): AcpActivity => ({ type: "permission_asked", id, text });
  const answer = (id: string, note?: string): AcpActivity => ({
    ...{ type: "permission_answered", id, answer: "allow" },
    ...(note === undefined ? {} : { note }),
  });
  const shown = view();
  assertEquals(show(shown, ask("1", "/w/a.ts"), ask("2", "rm b"), answer("2"), answer("1", "by you")), [
    "? a.ts",
    "? rm b",
    "  allowed: rm b",
    "  allowed: by you",
  ]);
});

Deno.test("pieces of a message are one message, and another begins with its id or with something else", () => {
  const say = (text: string, id?: string): AcpActivity => ({
    type: "message",
    text,
    ...(id === undefined ? {} : { id }),
  });
  assertEquals(show(view(), say("one\n"), say("two\n\n  three")), ["• one", "  two", "  ", "    three"]);
  assertEquals(show(view(), say("a", "1"), say("b", "2")), ["• a", "• b"]);
  const usage: AcpActivity = { type: "usage", inputTokens: 5 };
  assertEquals(show(view(), say("a"), usage, say("b"), call("in_progress"), say("c")), [
    "• a",
    "  b",
    "→ execute Terminal",
    "• c",
  ]);
});

Deno.test("thoughts and prompts are shortened, and whole with --verbose", () => {
  const text = "1\n2\n3\n4\n5\n6";
  const think: AcpActivity = { type: "thought", text };
  assertEquals(show(view(), think, think), ["~ 1", "  2", "  3", "  4", "  …"]);
  assertEquals(show(view(true), think, think).length, 12);
  assertEquals(show(view(), { type: "turn_begun", text }), [
    "> prompt of 11 bytes",
    "  | 1",
    "  | 2",
    "  | 3",
    "  | … 3 more rows",
  ]);
});

Deno.test("a plan is shown when it has changed", () => {
  const plan = (status: "pending" | "completed"): AcpActivity => ({
    type: "plan",
    entries: [{ text: "Look", status }],
  });
  assertEquals(show(view(), plan("pending"), plan("pending"), plan("completed")), [
    "plan",
    "  [ ] Look",
    "plan",
    "  [x] Look",
  ]);
});

Deno.test("the agent's last row tells what runs, what is waited for, how far the plan is and what it uses", () => {
  const shown = view();
  assertEquals(shown.doing(), "");
  show(shown, { type: "turn_begun", text: "Do." }, call("in_progress", { command: "npm test\nls" }));
  assertEquals(shown.doing(), "$ npm test");
  show(shown, { type: "permission_asked", id: "p", text: "rm -rf\x1b[2J build" });
  show(shown, { type: "plan", entries: [{ text: "Look", status: "completed" }, { text: "Do", status: "pending" }] });
  show(shown, { type: "usage", inputTokens: 90, outputTokens: 10, contextTokens: 50, contextSize: 200, costUsd: 0.5 });
  assertEquals(shown.doing(), "asks: rm -rf\\x1b[2J build · plan 1/2 · 100 tokens, context 25%, $0.50");
  show(shown, { type: "permission_answered", id: "p", answer: "reject" }, {
    type: "turn_ended",
    reason: "end_turn",
    isGood: true,
  });
  assertEquals(shown.doing(), "plan 1/2 · 100 tokens, context 25%, $0.50");
});

Deno.test("no text of an agent acts on the terminal, whichever field it is in", () => {
  const evil = "\x1b[2J\x1b]52;c;cm0=\x07\x9b1m\u202e\u2066\r\x00 \ud800";
  const activities: readonly AcpActivity[] = [
    { type: "session", agent: evil, sessionId: evil, resumed: true },
    { type: "mode", mode: evil },
    { type: "turn_begun", text: evil },
    { type: "message", id: evil, text: evil },
    { type: "thought", text: evil },
    {
      type: "plan",
      entries: (["pending", "in_progress", "completed", "failed"] as const).map((status) => ({
        text: evil,
        status,
      })),
    },
    { type: "tool_call", id: evil, kind: evil, title: evil, status: "in_progress" },
    { type: "tool_call", id: "2", kind: "read", title: "", status: "in_progress", paths: [evil] },
    { type: "tool_call", id: "3", kind: "execute", title: "", status: "in_progress", command: evil },
    { type: "tool_output", id: "3", text: evil },
    { type: "tool_call", id: "3", kind: "execute", title: "", status: "completed", command: evil },
    { type: "permission_asked", id: evil, text: evil },
    { type: "permission_answered", id: evil, answer: "reply", note: evil },
    { type: "note", text: evil, isProblem: true },
    { type: "turn_ended", reason: evil, isGood: false },
    { type: "ended", text: evil },
  ];
  const shown = view();
  for (const activity of activities) {
    const rows = show(shown, activity);
    // What a call writes is shown with its end.
    assert(rows.length > 0 || activity.type === "tool_output", activity.type);
    for (const row of [...rows, shown.doing()]) assertMatch(row, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, activity.type);
  }
});

Deno.test("rows are bounded, and calls that are never ended are forgotten", () => {
  const shown = view();
  const [row] = show(shown, { type: "message", text: "x".repeat(100_000) });
  assert(row!.length < 2100);
  for (let id = 0; id < 10_000; id++) show(shown, call("in_progress", { id: `${id}`, command: "ls" }));
  const late = [output("y\n", "1"), call("completed", { id: "1", command: "ls" })];
  assertEquals(show(shown, ...late), ["$ ls", "  │ y"]);
});
