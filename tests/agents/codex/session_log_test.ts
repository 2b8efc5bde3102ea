import { assertEquals } from "@std/assert";
import { type CodexLogState, EMPTY_CODEX_LOG, foldCodexLine, promptOf } from "../../../lib/agents/codex/session_log.ts";
import { recordedLines, recordedLogs } from "../../base/follow/support.ts";

/** What is told of the turns, from line to line, each change once. */
function turnsOf(lines: readonly string[]): string[] {
  const told: string[] = [];
  let state = EMPTY_CODEX_LOG;
  for (const line of lines) {
    state = foldCodexLine(state, line);
    const now = describeTurn(state);
    if (now !== told.at(-1)) told.push(now);
  }
  return told;
}

function describeTurn({ turn }: CodexLogState): string {
  if (turn === undefined) return "nothing";
  return turn.state === "at_rest" ? turn.outcome ?? "at rest" : turn.state;
}

function event(type: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ timestamp: "2026-11-20T06:03:08.187Z", type: "event_msg", payload: { type, ...more } });
}

for (
  const [name, expected] of [
    ["exec-basic", ["nothing", "working", "completed"]],
    ["exec-SIGINT", ["nothing", "working", "interrupted"]],
    ["exec-killed-SIGKILL-then-resumed", ["nothing", "working", "completed"]],
    ["exec-resumed", ["nothing", "working", "completed", "working", "completed", "working", "completed"]],
  ] as const
) {
  Deno.test(`the recorded log ${name} tells of its turns`, () => {
    assertEquals(turnsOf(recordedLines(`${name}.jsonl`)), [...expected]);
  });
}

Deno.test("the recorded log of a session in the terminal tells of completed, failed and interrupted turns", () => {
  const turns = turnsOf(recordedLines("tui-session-1.jsonl"));
  assertEquals(turns.shift(), "nothing");
  assertEquals(turns.filter((_, index) => index % 2 === 0).every((turn) => turn === "working"), true);
  assertEquals([...new Set(turns)].toSorted(), ["completed", "error", "interrupted", "working"]);
});

Deno.test("a log says whose it is", () => {
  const state = recordedLines("exec-resumed.jsonl").reduce(foldCodexLine, EMPTY_CODEX_LOG);
  assertEquals(state.session, {
    id: "01a1f78f-75af-7200-b108-64a8a95d0d38",
    cwd: "/home/dev/shop/api",
    startedAt: Date.parse("2026-11-20T06:05:36.565Z"),
    isMain: true,
  });
  assertEquals(state.lastAnswer, "Third GAMMA");
});

Deno.test("the log of a helper is told apart", () => {
  const meta = (more: Readonly<Record<string, unknown>>) =>
    JSON.stringify({
      type: "session_meta",
      payload: { id: "t", cwd: "/p", timestamp: "2026-11-20T06:05:36.565Z", ...more },
    });
  const isMain = (more: Readonly<Record<string, unknown>>) =>
    foldCodexLine(EMPTY_CODEX_LOG, meta(more)).session?.isMain;
  assertEquals(isMain({ source: "cli" }), true);
  assertEquals(isMain({ source: "cli", thread_source: "user" }), true);
  assertEquals(isMain({ source: { subagent: "review" } }), false);
  assertEquals(isMain({ source: "cli", thread_source: "subagent" }), false);
});

Deno.test("records that are only quoted, cut or malformed change nothing, and no line at all throws", () => {
  const working = foldCodexLine(EMPTY_CODEX_LOG, event("task_started", { turn_id: "t1" }));
  const quoting = [
    JSON.stringify({ type: "response_item", payload: { type: "message", text: event("task_complete") } }),
    event("agent_message", { message: event("task_complete", { turn_id: "t1" }) }),
    event("task_complete", { turn_id: "t1" }).slice(0, -1),
    '"event_msg"',
    '{"type":"event_msg"}',
    '{"type":"event_msg","payload":null}',
    "",
  ];
  for (const line of quoting) assertEquals(foldCodexLine(working, line), working, line);
  for (const { lines } of recordedLogs()) {
    for (const line of lines) {
      for (const cut of [1, 20, Math.floor(line.length / 2), line.length - 1]) {
        const part = line.slice(0, cut);
        assertEquals(foldCodexLine(working, part), working);
        assertEquals(promptOf(part), undefined);
      }
    }
  }
});

Deno.test("the late end of a turn that another has followed ends nothing", () => {
  const lines = [event("task_started", { turn_id: "t1" }), event("task_started", { turn_id: "t2" })];
  assertEquals(turnsOf([...lines, event("task_complete", { turn_id: "t1" })]), ["working"]);
  assertEquals(turnsOf([...lines, event("turn_aborted", { turn_id: "t2" })]), ["working", "interrupted"]);
  assertEquals(turnsOf([...lines, event("turn_aborted")]), ["working", "interrupted"]);
});

Deno.test("where beginnings are not recorded, a prompt after an end makes it unknown what is going on", () => {
  assertEquals(turnsOf([event("user_message"), event("turn_aborted"), event("user_message")]), [
    "nothing",
    "interrupted",
    "nothing",
  ]);
});

Deno.test("an answer is forgotten when the next turn has none", () => {
  const answered = [event("task_started"), event("task_complete", { last_agent_message: "One." })];
  const failed = [event("task_started"), event("task_complete", { last_agent_message: null, error: { message: "x" } })];
  const after = (lines: readonly string[]) => lines.reduce(foldCodexLine, EMPTY_CODEX_LOG).lastAnswer;
  assertEquals(after(answered), "One.");
  assertEquals(after([...answered, ...failed]), undefined);
  assertEquals(after([...answered, event("task_started"), event("turn_aborted")]), undefined);
});

Deno.test("the prompts of a recorded log are found in it", () => {
  const prompts = recordedLines("tui-session-1.jsonl").flatMap((line) => promptOf(line) ?? []);
  assertEquals(prompts.slice(2, 4), ["Second question, please answer shortly.", "Now create the file."]);
});
