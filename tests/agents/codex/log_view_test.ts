import { assertEquals } from "@std/assert";
import { EMPTY_LOG, foldLog, type LogState } from "../../../lib/agents/log_state.ts";
import { createCodexReader } from "../../../lib/agents/codex/reader.ts";
import { codexLog } from "../read_logs.ts";
import { recordedLines, recordedLogs } from "../../base/follow/support.ts";

/** What is told of the turns, from line to line, each change once. */
function turnsOf(lines: readonly string[]): string[] {
  const told: string[] = [];
  const reader = createCodexReader({});
  let state = EMPTY_LOG;
  for (const line of lines) {
    state = reader.readLog(line).reduce(foldLog, state);
    const now = describeTurn(state);
    if (now !== told.at(-1)) told.push(now);
  }
  return told;
}

function describeTurn({ turn }: LogState): string {
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
  const state = codexLog(recordedLines("exec-resumed.jsonl"));
  assertEquals(state.session, {
    id: "01a1f78f-75af-7200-b108-64a8a95d0d38",
    cwd: "/home/dev/shop/api",
    startedAt: Date.parse("2026-11-20T06:05:36.565Z"),
    isMain: true,
  });
  assertEquals(state.answer, "Third GAMMA");
});

Deno.test("the log of a helper is told apart", () => {
  const meta = (more: Readonly<Record<string, unknown>>) =>
    JSON.stringify({
      type: "session_meta",
      payload: { id: "t", cwd: "/p", timestamp: "2026-11-20T06:05:36.565Z", ...more },
    });
  const isMain = (more: Readonly<Record<string, unknown>>) => codexLog([meta(more)]).session?.isMain;
  assertEquals(isMain({ source: "cli" }), true);
  assertEquals(isMain({ source: "cli", thread_source: "user" }), true);
  assertEquals(isMain({ source: { subagent: "review" } }), false);
  assertEquals(isMain({ source: "cli", thread_source: "subagent" }), false);
});

Deno.test("records that are only quoted, cut or malformed change nothing, and no line at all throws", () => {
  const started = event("task_started", { turn_id: "t1" });
  const working = codexLog([started]);
  const quoting = [
    JSON.stringify({ type: "response_item", payload: { type: "message", text: event("task_complete") } }),
    event("agent_message", { message: event("task_complete", { turn_id: "t1" }) }),
    event("task_complete", { turn_id: "t1" }).slice(0, -1),
    '"event_msg"',
    '{"type":"event_msg"}',
    '{"type":"event_msg","payload":null}',
    "",
  ];
  for (const line of quoting) assertEquals(codexLog([started, line]), working, line);
  for (const { lines } of recordedLogs()) {
    for (const line of lines) {
      for (const cut of [1, 20, Math.floor(line.length / 2), line.length - 1]) {
        const part = line.slice(0, cut);
        assertEquals(codexLog([started, part]), working);
        assertEquals(createCodexReader({}).readLog(part), []);
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
  const after = (lines: readonly string[]) => codexLog(lines).answer;
  assertEquals(after(answered), "One.");
  assertEquals(after([...answered, ...failed]), undefined);
  assertEquals(after([...answered, event("task_started"), event("turn_aborted")]), undefined);
});

Deno.test("the prompts of a recorded log are found in it", () => {
  const reader = createCodexReader({});
  const events = recordedLines("tui-session-1.jsonl").flatMap((line) => reader.readLog(line));
  const prompts = events.flatMap((event) => event.type === "prompted" && event.by === "cli" ? [event.text] : []);
  assertEquals(prompts.slice(2, 4), ["Second question, please answer shortly.", "Now create the file."]);
});
