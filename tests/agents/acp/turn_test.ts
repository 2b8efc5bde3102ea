import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";
import { type AcpEvent, type AcpRules, type AcpState, startAcpState } from "../../../lib/agents/acp/state.ts";
import { foldAcp } from "../../../lib/agents/acp/turn.ts";
import { type AcpUpdate, type CallPatch, readUpdate } from "../../../lib/agents/acp/protocol/update.ts";
import { failureOf, viewOf } from "../../../lib/agents/acp/view.ts";
import { findRoleProvider, hasAcp } from "../../../lib/agents/mod.ts";

const RULES: AcpRules = {
  tools: [{
    kind: "execute",
    as: "command",
    subject: { from: "input", path: ["command"], form: "text" },
  }],
  askMode: { id: "default", options: { allow_all: "off" }, asks_before: ["execute", "edit"] },
  usage: { sources: [{ from: "prompt", of: "turn" }, { from: "cost", of: "session" }], model: "m" },
};

/** What events come to; a number lets so many milliseconds pass. */
function play(events: readonly (AcpEvent | number)[], rules: AcpRules = RULES) {
  let nowMs = 0;
  let state: AcpState = startAcpState(0);
  const activities: AcpActivity[] = [];
  const told: AgentEvent[] = [];
  for (const event of events) {
    if (typeof event === "number") {
      nowMs += event;
      continue;
    }
    const step = foldAcp(state, event, { nowMs, rules });
    state = step.state;
    activities.push(...step.activities);
    told.push(...step.events);
  }
  // What machines read of commands is a table of its own.
  const facts = told.filter(({ type }) => type !== "called" && type !== "ended");
  return { state, activities, told, facts, view: viewOf(state, nowMs) };
}

const OPENED: AcpEvent = { type: "opened", mode: "default" };
const PROMPT: AcpEvent = { type: "prompted", text: "Do it" };
const END: AcpEvent = { type: "replied", turn: 1, reply: { stopReason: "end_turn" } };
const LOOK: AcpEvent = { type: "looked" };

const read = (given: unknown): AcpEvent => {
  const told = readUpdate({ sessionId: "s", update: given });
  return update("problem" in told ? { type: "unread", about: "mode" } : told.update);
};
const update = (update: AcpUpdate): AcpEvent => ({ type: "update", update });
const say = (text: string, id?: string): AcpEvent => update({ type: "message", text, ...(id ? { id } : {}) });
const call = (patch: Partial<CallPatch>): AcpEvent => update({ type: "call", call: { id: "t1", ...patch } });
const RUN = { kind: "execute", title: "List", input: { command: "ls" } } as const;
const ASKED: AcpEvent = { type: "asked", id: "p1", call: { id: "t1", ...RUN }, text: "ls" };
const answered = (answer: "allow" | "reject" | "gone"): AcpEvent => ({ type: "answered", id: "p1", answer });

Deno.test("a plain turn: idle, working, idle, with what was said and how it ended", () => {
  assertEquals(play([OPENED]).view.state, "idle");
  const working = play([OPENED, PROMPT, say("Hel"), 3000]).view;
  assertEquals([working.state, working.quietMs, working.lastMessage], ["working", 3000, "Hel"]);
  assertEquals(working.evidence, "turn 1 has no end; last heard: a message, 3 s ago");
  const { state, view, activities, facts } = play([OPENED, PROMPT, say("Hel"), say("lo"), END]);
  assertEquals([view.state, state.stopReason, view.lastMessage, view.turns], ["idle", "end_turn", "Hello", 1]);
  assertEquals(view.evidence, "stop reason end_turn of turn 1");
  assertEquals(facts.filter(({ type }) => type === "said"), [{ type: "said", text: "Hello" }]);
  assertEquals(activities.map(({ type }) => type), ["turn_begun", "message", "message", "turn_ended"]);
});

Deno.test("messages are told apart by their ids, and by what comes between them", () => {
  const texts = (events: readonly AcpEvent[]) =>
    play([PROMPT, ...events, END]).facts.flatMap((fact) => fact.type === "said" ? [fact.text] : []);
  assertEquals(texts([say("a", "1"), say("b", "1"), say("c", "2")]), ["ab", "c"]);
  assertEquals(texts([say("a"), call({ status: "pending" }), say("b")]), ["a", "b"]);
  assertEquals(texts([say("a"), update({ type: "thought", text: "hm" }), say("b")]), ["a", "b"]);
  assertEquals(texts([say("a"), update({ type: "usage", used: 1, size: 2 }), say("b")]), ["ab"]);
  assertEquals(play([PROMPT, say("a", "1"), say("c", "2")]).view.lastMessage, "c");
  assertEquals(play([PROMPT, say("a"), END, PROMPT]).view.lastMessage, "");
});

Deno.test("a message that never ends is kept within bounds, and its end counts", () => {
  const long = Array.from({ length: 30 }, () => say("x".repeat(100_000)));
  const { lastMessage } = play([PROMPT, ...long, say("the result")]).view;
  assertEquals(lastMessage.length, 1_000_000);
  assertEquals(lastMessage.endsWith("the result"), true);
});

Deno.test("a permission is waited for; a yes lets the call run, and its output is told once", () => {
  const waiting = play([OPENED, PROMPT, call({ ...RUN, status: "pending" }), ASKED]);
  assertEquals([waiting.view.state, waiting.view.mayBeOver], ["waiting", false]);
  const { facts, activities, view, state } = play([
    OPENED,
    PROMPT,
    call({ ...RUN, status: "pending" }),
    ASKED,
    answered("allow"),
    call({ status: "in_progress", text: "a\n" }),
    call({ status: "completed", text: "a\nb\n", output: { exitCode: 0 } }),
    END,
  ]);
  assertEquals([view.state, state.violation, state.denied], ["idle", undefined, []]);
  assertEquals(facts, [
    { type: "ran", id: "t1", command: "ls" },
    { type: "saw", id: "t1", command: "ls", output: "a\nb\n", exitCode: 0 },
  ]);
  const outputs = activities.flatMap((one) => one.type === "tool_output" ? [one.text] : []);
  assertEquals(outputs, ["a\n", "b\n"]);
  const calls = activities.flatMap((one) => one.type === "tool_call" ? [[one.status, one.command]] : []);
  assertEquals(calls, [["pending", "ls"], ["in_progress", "ls"], ["completed", "ls"]]);
  assertEquals(activities.filter(({ type }) => type.startsWith("permission")), [
    { type: "permission_asked", id: "p1", text: "ls" },
    { type: "permission_answered", id: "p1", answer: "allow" },
  ]);
});

Deno.test("a command is told when it is known, with all that it has written so far, and when it ends, however often", () => {
  const ask = { kind: "execute", input: { command: "panewright ask 'A?'" } } as const;
  const of = (...calls: readonly Partial<CallPatch>[]) =>
    play([PROMPT, ...calls.map(call)]).told.flatMap((event): readonly unknown[] =>
      event.type === "called"
        ? [event.commands[0]!.command]
        : event.type === "ended"
        ? [[event.exitCode, event.output]]
        : []
    );
  const [command] = [ask.input.command];
  const table: readonly (readonly [readonly Partial<CallPatch>[], readonly unknown[]])[] = [
    [[{ ...ask, status: "pending" }, { status: "in_progress" }], [command]],
    [[{ kind: "execute" }, ask, ask, { status: "completed", text: "yes" }], [command, [0, "yes"]]],
    [[{ ...ask, status: "in_progress", text: "a" }, { text: "ab" }, { text: "c" }, { status: "failed" }], [
      ...[command, [undefined, "a"], [undefined, "ab"], [undefined, "abc"], [1, "abc"]],
    ]],
    [[{ kind: "read", status: "completed", text: "x" }], []],
    [[{ ...ask, status: "completed" }, { status: "completed", text: "late" }], [command, [0, ""]]],
  ];
  for (const [calls, told] of table) assertEquals(of(...calls), told, JSON.stringify(calls));
});

Deno.test("what stands in a call before it runs is not its output, and nothing is told twice", () => {
  const { activities, facts } = play([
    PROMPT,
    call({ ...RUN, status: "pending", text: "Lists the files" }),
    call({ ...RUN, input: { command: "ls" }, status: "pending" }),
    call({ status: "completed", kind: "read" }),
    update({ type: "usage", used: 1, size: 2 }),
    update({ type: "usage", used: 1, size: 2 }),
  ]);
  assertEquals(activities.map(({ type }) => type), ["turn_begun", "tool_call", "tool_call", "usage"]);
  assertEquals(facts.at(-1), { type: "saw", id: "t1", command: "List", output: "" });
});

Deno.test("where a command runs, and why, is not its output, wherever its agent tells that", () => {
  const gemini = findRoleProvider("gemini");
  const { askMode: _, ...others } = RULES;
  const rules = { ...others, tools: hasAcp(gemini) ? gemini.acp.tools ?? [] : [] };
  const run = { kind: "execute", title: "cat a.txt" } as const;
  const text = "[current working directory /w] (Look)";
  const { activities, facts } = play([
    ...[PROMPT, call({ ...run, status: "in_progress", text }), call({ ...run, status: "completed" })],
    ...[call({ id: "t2", ...run, status: "completed", text: "one" }), END],
  ], rules);
  assertEquals(activities.flatMap((one) => one.type === "tool_output" ? [one.text] : []), ["one"]);
  assertEquals(facts.flatMap((fact) => fact.type === "saw" ? [fact.output] : []), ["", "one"]);
});

Deno.test("two permissions in one turn: it waits until both have their answers", () => {
  const second: AcpEvent = { type: "asked", id: "p2", call: { id: "t2", ...RUN }, text: "ls" };
  assertEquals(play([PROMPT, ASKED, second, answered("allow")]).view.state, "waiting");
  assertEquals(
    play([PROMPT, ASKED, second, answered("allow"), { type: "answered", id: "p2", answer: "reject" }]).view.state,
    "working",
  );
});

Deno.test("a refused call is told of, and need not ever end", () => {
  const { view, state } = play([OPENED, PROMPT, ASKED, answered("reject"), say("Then not."), 30_000]);
  assertEquals([state.denied, view.mayBeOver, state.violation], [["ls"], true, undefined]);
});

Deno.test("what was refused must not be done", () => {
  const { view, state } = play([OPENED, PROMPT, ASKED, answered("reject"), call({ status: "completed" })]);
  assertEquals(state.violation, "The agent has done what it was refused: ls.");
  assertEquals([view.state, view.evidence], ["ended", state.violation!]);
});

Deno.test("what is done without asking is a violation where the mode is to ask before it", () => {
  const done = call({ ...RUN, status: "completed" });
  assertMatch(
    play([OPENED, PROMPT, done]).state.violation ?? "",
    /^The agent has done something without asking, .*: ls\.$/,
  );
  assertMatch(play([OPENED, PROMPT, ASKED, done]).state.violation ?? "", /before it was answered/);
  assertMatch(play([OPENED, PROMPT, ASKED, answered("gone"), done]).state.violation ?? "", /without an answer/);
  const cancelled: AcpEvent = { type: "cancelled", because: "asked" };
  assertEquals(play([OPENED, PROMPT, ASKED, cancelled, answered("gone"), done]).state.violation, undefined);
  // With an exit code it has run; without one it may be what the agent refuses by itself.
  const failed = call({ ...RUN, status: "failed", output: { exitCode: 1 } });
  assertMatch(play([OPENED, PROMPT, failed]).state.violation ?? "", /without asking/);
  assertEquals(play([OPENED, PROMPT, ASKED, answered("reject"), failed]).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, call({ ...RUN, status: "failed" })]).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, call({ ...RUN, kind: "read", status: "completed" })]).state.violation, undefined);
  const { askMode: _, ...silent } = RULES;
  assertEquals(play([OPENED, PROMPT, done], silent).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, { type: "replayed", callId: "t1" }, done]).state.violation, undefined);
});

Deno.test("security: a call that cannot be read hides nothing: what it does not tell may be what must be asked for", () => {
  const unread = (about: Extract<AcpUpdate, { type: "unread" }>["about"]) => update({ type: "unread", about });
  const violationOf = (...events: readonly AcpEvent[]) => play([OPENED, PROMPT, ...events]).state.violation;
  const done = { id: "t1", kind: "execute", status: "completed", isCut: false } as const;
  assertMatch(violationOf(unread(done)) ?? "", /has done something without asking/);
  assertEquals(violationOf(ASKED, answered("allow"), unread(done)), undefined);
  assertMatch(violationOf(ASKED, answered("reject"), unread(done)) ?? "", /what it was refused/);
  assertEquals(violationOf(unread({ ...done, status: "pending" })), undefined);
  assertEquals(violationOf(unread({ ...done, kind: "read" })), undefined);
  // Of a message that was cut, what is not there may have been said.
  assertMatch(violationOf(unread({ isCut: true })) ?? "", /cannot be read/);
  assertMatch(violationOf(unread({ id: "t9", isCut: true })) ?? "", /cannot be read/);
  assertMatch(violationOf(call(RUN), unread({ id: "t1", isCut: true })) ?? "", /without asking/);
  assertEquals(violationOf(call({ ...RUN, kind: "read" }), unread({ id: "t1", isCut: true })), undefined);
  assertEquals(violationOf(ASKED, answered("allow"), unread({ id: "t1", isCut: true })), undefined);
  assertMatch(violationOf(unread("mode")) ?? "", /its mode.*cannot be read/);
  const { askMode: _, ...silent } = RULES;
  for (const about of ["mode", done, { isCut: true }] as const) {
    assertEquals(play([OPENED, PROMPT, unread(about)], silent).state.violation, undefined);
  }
});

Deno.test("a call may be told to run right before it is asked for, but not for long", () => {
  const runs = call({ ...RUN, status: "in_progress" });
  assertEquals(play([OPENED, PROMPT, runs, 9000, LOOK]).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, runs, ASKED, 60_000, LOOK]).state.violation, undefined);
  assertMatch(play([OPENED, PROMPT, runs, 10_000, LOOK]).state.violation ?? "", /does something without asking/);
});

Deno.test("a call that runs on unasked when its turn ends well was not asked for; one of a turn that was cancelled may be", () => {
  const runs = call({ ...RUN, status: "in_progress" });
  assertMatch(play([OPENED, PROMPT, runs, END]).state.violation ?? "", /does something without asking/);
  assertEquals(play([OPENED, PROMPT, runs, { type: "cancelled", because: "asked" }, END]).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, runs, ASKED, answered("allow"), END]).state.violation, undefined);
  assertEquals(play([OPENED, PROMPT, call({ ...RUN, status: "pending" }), END]).state.violation, undefined);
});

Deno.test("a mode, or an option of it, that differs is a violation", () => {
  const { state, activities } = play([OPENED, PROMPT, update({ type: "mode", mode: "yolo" })]);
  assertEquals(state.violation, 'The agent has changed its mode from "default" to "yolo".');
  assertEquals(activities.filter(({ type }) => type === "mode"), [{ type: "mode", mode: "yolo" }]);
  const option = (id: string, value: string, category?: string) =>
    update({ type: "config", options: [{ id, category, value, choices: undefined }] });
  assertEquals(play([OPENED, PROMPT, option("mode", "default", "mode")]).state.violation, undefined);
  assertMatch(play([OPENED, PROMPT, option("mode", "plan", "mode")]).state.violation ?? "", /its mode/);
  assertMatch(play([OPENED, PROMPT, option("allow_all", "on")]).state.violation ?? "", /its option "allow_all"/);
});

Deno.test("an end that comes late counts when it comes", () => {
  const { view } = play([OPENED, PROMPT, say("Done."), 600_000, END]);
  assertEquals([view.state, view.evidence], ["idle", "stop reason end_turn of turn 1"]);
});

Deno.test("an end that never comes: the turn may be over once the agent is silent and nothing of it runs", () => {
  assertEquals(play([OPENED, PROMPT, say("Done."), 19_999]).view.mayBeOver, false);
  const { view } = play([OPENED, PROMPT, say("Done."), 20_000]);
  assertEquals([view.state, view.mayBeOver], ["working", true]);
  // It has not even begun.
  assertEquals(play([OPENED, PROMPT, 60_000]).view.mayBeOver, false);
  assertEquals(
    play([OPENED, PROMPT, say("So"), call({ ...RUN, status: "in_progress" }), 60_000]).view.mayBeOver,
    false,
  );
  assertEquals(play([OPENED, PROMPT, say("Done."), update({ type: "state", state: "idle" })]).view.mayBeOver, true);
});

Deno.test("a turn that was given up is over, and its late end does not count", () => {
  const { view, activities, state } = play([OPENED, PROMPT, say("Done."), { type: "abandoned" }, END]);
  assertEquals([view.state, state.stopReason], ["idle", undefined]);
  assertEquals(view.evidence, "turn 1 was given up: its end was never reported");
  assertEquals(activities.at(-1)?.type, "note");
});

Deno.test("the late end of a turn does not end the next one", () => {
  const { view } = play([OPENED, PROMPT, { type: "abandoned" }, PROMPT, END]);
  assertEquals([view.state, view.turns], ["working", 2]);
});

Deno.test("two ends of a turn: the first one counts", () => {
  const { state, activities } = play([PROMPT, END, { ...END, reply: { stopReason: "refusal" } }]);
  assertEquals(state.stopReason, "end_turn");
  const [note] = activities.filter(({ type }) => type === "note");
  assertStringIncludes(note?.type === "note" ? note.text : "", "Turn 1 has ended once more");
});

Deno.test("in version 2 the reply only acknowledges the prompt; that the agent rests ends its turn", () => {
  const acknowledged: AcpEvent = { type: "replied", turn: 1, reply: {} };
  const rests = update({ type: "state", state: "idle", stopReason: "end_turn" });
  assertEquals(play([PROMPT, acknowledged, say("Hi")]).view.state, "working");
  const { state, view } = play([PROMPT, acknowledged, update({ type: "state", state: "running" }), say("Hi"), rests]);
  assertEquals([view.state, state.stopReason], ["idle", "end_turn"]);
  // The order of the two is not fixed.
  assertEquals(play([PROMPT, say("Hi"), rests, acknowledged]).view.state, "idle");
});

Deno.test("in version 2 an agent that says that it rests before it acknowledges the prompt rests for the reason that it told", () => {
  const acknowledged: AcpEvent = { type: "replied", turn: 1, reply: {} };
  for (const stopReason of ["refusal", "max_tokens"]) {
    const { state, view } = play([
      PROMPT,
      say("Hm"),
      update({ type: "state", state: "idle", stopReason }),
      acknowledged,
    ]);
    assertEquals([view.state, state.stopReason], ["idle", stopReason]);
  }
});

Deno.test("in version 2 a turn that ends with an error has failed, with the agent's words", () => {
  const acknowledged: AcpEvent = { type: "replied", turn: 1, reply: {} };
  const given = { sessionUpdate: "state_update", state: "idle", stopReason: "error" } as const;
  const told = { ...given, error: { code: 429, message: "slow down" } };
  for (const events of [[acknowledged, read(told)], [read(told), acknowledged]]) {
    const { state, view } = play([PROMPT, say("Hm"), ...events]);
    const failure = failureOf(state, []);
    assertEquals([view.state, failure?.class, failure?.text], ["idle", "rate_limit", "slow down"]);
  }
  const { state } = play([PROMPT, acknowledged, say("Hm"), read(given)]);
  assertEquals(failureOf(state, [])?.text, "it failed, and did not say why");
});

Deno.test("in version 2 an agent that says once more that it rests has not ended the turn that it has not begun", () => {
  const rests = update({ type: "state", state: "idle", stopReason: "end_turn" });
  const acknowledged: AcpEvent = { type: "replied", turn: 2, reply: {} };
  const before = [PROMPT, say("Hi"), END, PROMPT] as const;
  for (const events of [[rests, acknowledged], [acknowledged, rests]]) {
    assertEquals(play([...before, ...events]).view.state, "working");
    assertEquals(play([...before, ...events, update({ type: "state", state: "running" }), rests]).view.state, "idle");
  }
});

Deno.test("work after the end of a turn is work: a call until it ends, a word for a moment", () => {
  const late = play([OPENED, PROMPT, END, call({ ...RUN, kind: "read", status: "in_progress" })]);
  assertEquals([late.view.state, late.view.evidence], ["working", "it works on, after the end of turn 1"]);
  const still = play([OPENED, PROMPT, END, call({ kind: "read", status: "in_progress" }), 60_000]);
  assertEquals(still.view.state, "working");
  const over = play([
    OPENED,
    PROMPT,
    END,
    call({ kind: "read", status: "in_progress" }),
    5000,
    call({ status: "completed" }),
  ]);
  assertEquals([over.view.state, viewOf(over.state, 7000).state], ["working", "idle"]);
  assertEquals(viewOf(still.state, 600_000).state, "idle");
  assertEquals(play([OPENED, PROMPT, END, say("PS"), 2000]).view.state, "idle");
  assertEquals(play([OPENED, PROMPT, END, update({ type: "usage", used: 1, size: 2 })]).view.state, "idle");
});

Deno.test("a call that its turn left open does not keep the agent at work", () => {
  assertEquals(play([OPENED, PROMPT, call({ ...RUN, status: "pending" }), END]).view.state, "idle");
  const { view } = play([OPENED, PROMPT, call({ ...RUN, status: "pending" }), END, 9000, call({ title: "x" }), 3000]);
  assertEquals(view.state, "idle");
});

Deno.test("what runs on in the background after its turn keeps no agent at work", () => {
  const server = { ...RUN, kind: "other" } as const;
  const { view } = play([
    ...[OPENED, PROMPT, call({ ...server, status: "in_progress" }), END],
    ...[call({ status: "in_progress", text: "GET /" }), call({ status: "in_progress", text: "GET / GET /" })],
  ]);
  assertEquals(view.state, "idle");
});

Deno.test("a permission after the end of its turn is waited for", () => {
  const { view } = play([OPENED, PROMPT, END, ASKED]);
  assertEquals([view.state, view.evidence], [
    "waiting",
    "1 of its requests without an answer, after the end of turn 1",
  ]);
});

Deno.test("updates that nobody knows change nothing but the time", () => {
  const before = play([OPENED, PROMPT, say("Hi")]);
  const after = play([OPENED, PROMPT, say("Hi"), update({ type: "other" })]);
  assertEquals({ ...after.state, heard: "" }, { ...before.state, heard: "" });
  assertEquals(after.activities, before.activities);
});

Deno.test("an agent that dies in the middle of its turn has ended, and so has its turn", () => {
  const { view, activities, state } = play([OPENED, PROMPT, say("I beg"), {
    type: "ended",
    how: "killed by signal 9",
  }]);
  assertEquals([view.state, view.evidence], ["ended", "its process has ended: killed by signal 9"]);
  assertEquals(activities.slice(-2).map(({ type }) => type), ["turn_ended", "ended"]);
  assertEquals(failureOf(state, [])?.isTurnOver, false);
});

Deno.test("an error in place of the end is a failure, of the class that its code or words tell", () => {
  const classOf = (text: string, code?: number) =>
    failureOf(play([PROMPT, { type: "refused", turn: 1, text, ...(code === undefined ? {} : { code }) }]).state, [])
      ?.class;
  assertEquals(classOf("Authentication required", -32000), "auth");
  assertEquals(classOf("terminated", 500), "network");
  assertEquals(classOf("Internal error: You have hit your usage limit", -32603), "usage_limit");
  // OpenCode (1.18.33), with or without what its model server says.
  assertEquals(
    classOf("Internal error: You exceeded your current quota, please check your plan and billing details.", -32603),
    "usage_limit",
  );
  assertEquals(classOf("Internal error: 401 Invalid API key", -32603), "auth");
  assertEquals(classOf("429 Too Many Requests", -32603), "rate_limit");
  assertEquals(classOf("529 Overloaded", -32603), "overloaded");
  assertEquals(classOf("stream disconnected before completion", -32603), "network");
  assertEquals(classOf("Something else", -32603), "other");
});

Deno.test("a failed turn that was reported as completed is a failure where its last word is known to be an error", () => {
  const failures = [{ class: "usage_limit", words: /^API Error: .*usage limit/ }] as const;
  const text = "API Error: Request rejected (429) · You have hit your usage limit";
  const failed = play([PROMPT, say("Working."), call({ kind: "read", status: "completed" }), say(text), END]);
  assertEquals(failureOf(failed.state, failures)?.class, "usage_limit");
  assertEquals(failureOf(failed.state, failures)?.evidence, "the last message of turn 1");
  assertEquals(failureOf(play([PROMPT, say(`It said: ${text}`), END]).state, failures), undefined);
  assertEquals(
    failureOf(play([PROMPT, say(text), call({ kind: "read", status: "completed" }), END]).state, failures),
    undefined,
  );
  assertEquals(failureOf(play([PROMPT, say(text)]).state, failures), undefined);
});

Deno.test("the errors that agents report as completed turns are known without a pack", () => {
  const classOf = (text: string) => failureOf(play([PROMPT, say(text), END]).state, [])?.class;
  assertEquals(classOf("exceeded retry limit, last status: 429 Too Many Requests\n\n"), "rate_limit");
  assertEquals(
    classOf("Info: Retrying...Info: Retrying...Error: Authentication failed with provider at http://x (HTTP 401)."),
    "auth",
  );
  assertEquals(classOf("Error: Failed to get response; Last error: 429 You have hit your usage limit"), "usage_limit");
  assertEquals(classOf("[API Error: fetch failed]"), "network");
  assertEquals(classOf("The server answers 429 when the rate limit is reached: that is tested now."), undefined);
  assertEquals(classOf("Error: two tests fail"), undefined);
});

Deno.test("an error that the agent tells of last is a failure, unless it has worked on", () => {
  const notice = update({ type: "notice", isProblem: true, text: "Model server: 503" });
  const { state, activities } = play([PROMPT, say("Hm"), notice, END]);
  assertEquals(failureOf(state, [])?.class, "overloaded");
  assertEquals(activities.at(-1), { type: "turn_ended", reason: "end_turn", isGood: false });
  assertEquals(failureOf(play([PROMPT, notice, say("All is well again."), END]).state, []), undefined);
});

Deno.test("how a turn ended by its stop reason", () => {
  const ended = (stopReason: string, ...before: readonly AcpEvent[]) =>
    failureOf(play([PROMPT, say("Hm"), ...before, { ...END, reply: { stopReason } }]).state, [])?.text;
  assertEquals(ended("end_turn"), undefined);
  // The response decides.
  assertEquals(ended("max_tokens"), undefined);
  assertEquals(ended("refusal"), "the model refused to answer");
  assertEquals(ended("cancelled"), "it cancelled its turn by itself");
  assertEquals(ended("cancelled", { type: "cancelled", because: "asked" }), undefined);
  assertEquals(ended("cancelled", ASKED, answered("reject")), undefined);
  assertMatch(ended("cancelled", { type: "cancelled", because: "silent" }) ?? "", /fell silent/);
});

Deno.test("a turn that an agent cancelled by itself is under way until it is clear that the agent does not end", () => {
  const { state } = play([PROMPT, say("Hm"), { ...END, reply: { stopReason: "cancelled" } }]);
  assertEquals(viewOf(state, state.heardMs).state, "working");
  assertEquals(viewOf(state, state.heardMs + 2000).state, "idle");
  assertEquals(viewOf(play([PROMPT, END]).state, 0).state, "idle");
});

Deno.test("tokens and cost are added up over turns", () => {
  const reply = { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } };
  const first = { ...END, reply };
  const second = { ...END, turn: 2, reply };
  const cost = update({ type: "usage", used: 5, size: 100, cost: { amount: 0.5, currency: "USD" } });
  const { state, activities } = play([PROMPT, cost, first, PROMPT, second]);
  assertEquals(state.usage.tokens["m"], { inputTokens: 20, cachedInputTokens: 0, outputTokens: 4 });
  assertEquals(state.usage.cost, { amount: 0.5, currency: "USD" });
  assertEquals(activities.findLast(({ type }) => type === "usage"), {
    ...{ type: "usage", inputTokens: 20, outputTokens: 4, contextTokens: 5, contextSize: 100, costUsd: 0.5 },
  });
});

Deno.test("calls are remembered within bounds", () => {
  const many = Array.from({ length: 1500 }, (_, n) => call({ id: `t${n}`, kind: "read", status: "completed" }));
  const { state } = play([PROMPT, ...many]);
  assertEquals(state.calls.size, 1000);
  assertEquals(state.calls.has("t1499"), true);
});

Deno.test("security: what was allowed is that command, and not what its call makes of it afterwards", () => {
  const other = call({ ...RUN, status: "in_progress", input: { command: "rm -rf ." } });
  const why = "The agent was allowed to run ls, and runs something else: rm -rf ..";
  const allowed = [PROMPT, ASKED, answered("allow")] as const;
  assertEquals(play([...allowed, other]).state.violation, why);
  assertEquals(play([PROMPT, ASKED, other, answered("allow"), call({ status: "completed" })]).state.violation, why);
  // A call that tells its command once more, or only how it goes on, does what it was allowed.
  const same = [call({ ...RUN, status: "in_progress" }), call({ status: "completed" }), END] as const;
  assertEquals(play([...allowed, ...same]).state.violation, undefined);
});

Deno.test("security: what was allowed are those files, and not whatever their call makes of them afterwards", () => {
  const edit = { kind: "edit", title: "Edit a.txt", locations: ["/w/a.txt"] } as const;
  const tools = [...RULES.tools, {
    kind: "edit",
    as: "file_edit",
    subject: { from: "locations", path: [], form: "text" },
  }];
  const rules = { ...RULES, tools } as AcpRules;
  const asked: AcpEvent = { type: "asked", id: "p1", call: { id: "t1", ...edit }, text: "/w/a.txt" };
  const allowed = [PROMPT, asked, answered("allow")] as const;
  const why = "The agent was allowed to change /w/a.txt, and changes something else: /etc/b.";
  for (
    const other of [{ locations: ["/etc/b"] }, { diffs: ["/w/a.txt", "/etc/b"] }, { locations: [], diffs: ["/etc/b"] }]
  ) {
    assertEquals(play([...allowed, call({ ...other, status: "in_progress" })], rules).state.violation, why);
    assertEquals(play([...allowed, call({ ...other, status: "completed" })], rules).state.violation, why);
    // What a call has changed may be told after its end.
    const late = [call({ status: "completed" }), call(other)];
    assertEquals(play([...allowed, ...late], rules).state.violation, why);
    assertEquals(
      play([PROMPT, asked, call(other), answered("allow"), call({ status: "completed" })], rules).state.violation,
      why,
    );
  }
  const line = play([...allowed, call({ diffs: ["/w/a.txt\n/etc/b"] })], rules).state.violation;
  assertStringIncludes(line ?? "", "and changes something else: /w/a.txt");
  const run = call({ ...RUN, status: "completed" });
  const ran = "The agent was allowed to change /w/a.txt, and runs something else: ls.";
  assertEquals(play([...allowed, run], rules).state.violation, ran);
  // One that tells its files once more, or fewer of them, does what it was allowed.
  const same = [
    call({ ...edit, status: "in_progress", diffs: ["/w/a.txt"] }),
    call({ locations: [], status: "completed" }),
    END,
  ];
  assertEquals(play([...allowed, ...same], rules).state.violation, undefined);
  const two: AcpEvent = {
    type: "asked",
    id: "p1",
    call: { id: "t1", ...edit, diffs: ["/w/b.txt"] },
    text: "/w/a.txt\n/w/b.txt",
  };
  assertEquals(play([PROMPT, two, answered("allow"), ...same], rules).state.violation, undefined);
});

Deno.test("security: a call that is over and begins once more is a new one, which must be asked for", () => {
  const first = [PROMPT, ASKED, answered("allow"), call({ status: "completed" })] as const;
  const second = { ...RUN, input: { command: "rm -rf ." } } as const;
  const { state, facts } = play([
    ...first,
    call({ ...second, status: "in_progress" }),
    call({ status: "completed" }),
  ]);
  assertStringIncludes(state.violation ?? "", "without asking, although its mode is to ask before it: rm -rf .");
  assertEquals(facts.flatMap((fact) => fact.type === "ran" ? [fact.command] : []), ["ls", "rm -rf ."]);
  const again: AcpEvent = { type: "asked", id: "p2", call: { id: "t1", ...second }, text: "rm -rf ." };
  const yes: AcpEvent = { type: "answered", id: "p2", answer: "allow" };
  const asked = play([...first, again, yes, call({ status: "in_progress" }), call({ status: "completed" }), END]);
  assertEquals(asked.state.violation, undefined);
  // What comes late of a call that is over changes nothing.
  assertEquals(play([...first, call({ text: "more" }), call({ status: "completed" }), END]).state.violation, undefined);
});

Deno.test("a call whose request is gone keeps that, also where it is over and its agent tells of it once more", () => {
  const late = [
    call({ status: "failed" }),
    call({ ...RUN, status: "pending" }),
    call({ status: "completed" }),
  ] as const;
  const gone = [OPENED, PROMPT, ASKED, answered("gone"), ...late] as const;
  assertMatch(play(gone).state.violation ?? "", /without an answer/);
  const cancelled: AcpEvent = { type: "cancelled", because: "asked" };
  assertEquals(play([OPENED, PROMPT, ASKED, cancelled, answered("gone"), ...late]).state.violation, undefined);
});

Deno.test("a call that is refused is told of in bounds, however long its command is", () => {
  const command = `rm ${"x".repeat(1_000_000)}`;
  const long: AcpEvent = { type: "asked", id: "p1", call: { id: "t1", ...RUN, input: { command } }, text: command };
  const { state } = play([PROMPT, long, answered("reject")]);
  assertEquals(state.denied.map(({ length }) => length), [500]);
});

Deno.test("a conversation that the agent has made shorter is told once it is done", () => {
  const compaction = (more: object) => read({ sessionUpdate: "compaction_update", ...more });
  const { told } = play([PROMPT, compaction({ status: "in_progress" }), compaction({ status: "completed" }), END]);
  assertEquals(told.filter(({ type }) => type === "compacted").length, 1);
  assertEquals(play([PROMPT, compaction({}), END]).told.filter(({ type }) => type === "compacted").length, 1);
});
