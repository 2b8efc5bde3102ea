import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AcpReplyError } from "../../../lib/agents/acp/protocol/errors.ts";
import {
  AgentAtWorkError,
  HumanInterventionRequiredError,
  RuntimeError,
  UsageError,
} from "../../../lib/base/errors.ts";
import { packProvider } from "../../../lib/agents/packs/provider.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { startToy, testProvider, type ToyConnection } from "./support.ts";

const refusal = (code: number, words: string) =>
  new AcpReplyError(`Cannot: ${words}`, {
    rpcCode: code,
    reason: `it says "${words}"`,
    words,
  });
const throws = (error: Error) => () => Promise.reject(error);

Deno.test("a start: a new session in the mode that asks, and a turn to its end", async () => {
  using clock = createFakeClock();
  const { agent, toy, activities, told } = await startToy({ clock });
  assertEquals(toy.asked, ["new"]);
  assertEquals([agent.sessionId, agent.resumed, agent.mode], ["s-new", false, "default"]);
  await agent.send("Hello");
  assertEquals(agent.view().state, "working");
  toy.say("Hi");
  await toy.reply();
  assertEquals([agent.view().state, agent.view().lastMessage], ["idle", "Hi"]);
  assertEquals(told, [
    { type: "said", text: "Hi" },
    { type: "turn_end", record: "end_turn", finalText: "Hi", outcome: "completed" },
  ]);
  assertEquals(activities[0], { type: "session", agent: "toy 1.2.3", sessionId: "s-new", resumed: false });
});

Deno.test("another mode is set and read back", async () => {
  using clock = createFakeClock();
  const modes = { currentModeId: "yolo", availableModes: ["yolo", "default"].map((id) => ({ id, name: id })) };
  const told = (toy: ToyConnection) => toy.update({ sessionUpdate: "current_mode_update", currentModeId: "default" });
  const { agent, toy } = await startToy({ clock, toy: { state: { modes }, on: { mode: told } } });
  assertEquals([toy.asked, agent.mode], [["new", "mode default"], "default"]);
  const own = (toy: ToyConnection) =>
    toy.handlers.extension?.("toy/mode", { sessionId: "s-new", currentModeId: "default" });
  const other = await startToy({ clock, toy: { state: { modes }, on: { mode: own } } });
  other.toy.handlers.extension?.("toy/mode", { sessionId: "s-new", currentModeId: "yolo" });
  assertMatch(other.agent.violation() ?? "", /has changed its mode from "default" to "yolo"/);
});

Deno.test("a mode that cannot be had, or is not told, ends the start", async () => {
  using clock = createFakeClock();
  const start = (current: string, available: readonly string[], on = {}) => {
    const modes = { currentModeId: current, availableModes: available.map((id) => ({ id, name: id })) };
    return startToy({ clock, toy: { state: { modes }, on } });
  };
  const why = async (promise: Promise<unknown>) => {
    const [message = "", ...lastLines] = (await assertRejects(() => promise, UsageError)).message.split("\n");
    assertEquals(lastLines, ["  toy: last words"]);
    return message;
  };
  assertEquals(
    await why(start("yolo", ["yolo"])),
    "Cannot have Toy ask before it acts: it offers the modes yolo, and not default",
  );
  const many = Array.from({ length: 1000 }, (_, at) => `m${at}`);
  assertMatch(await why(start("yolo", many)), /modes m0, m1, .*, m49, 950 more, and not default$/);
  assertMatch(await why(start("yolo", ["yolo", "default"])), /it does not confirm that it is in the mode default$/);
  const refuses = { mode: throws(refusal(-32603, "no")) };
  assertMatch(await why(start("yolo", ["yolo", "default"], refuses)), /it refuses the mode default: it says "no"$/);
  const other = {
    mode: (toy: ToyConnection) => toy.update({ sessionUpdate: "current_mode_update", currentModeId: "x" }),
  };
  assertMatch(await why(start("yolo", ["yolo", "default"], other)), /its mode is x$/);
  const none = startToy({ clock, toy: { state: { modes: undefined } } });
  assertMatch(await why(none), /its session has no modes$/);
});

Deno.test("a mode and its options may be config options", async () => {
  using clock = createFakeClock();
  const option = (id: string, category: string, values: readonly string[]) => ({
    ...{ type: "select", id, name: id, category, currentValue: values[0]! } as const,
    options: values.map((value) => ({ value, name: value })),
  });
  const configOptions = [
    option("mode", "mode", ["auto", "default"]),
    option("allow_all", "permissions", ["on", "off"]),
  ];
  const mode = { id: "default", options: { allow_all: "off" }, asks_before: [] };
  const { toy, agent } = await startToy({
    clock,
    provider: testProvider({ ask_mode: mode }),
    toy: { state: { modes: undefined, configOptions } },
  });
  assertEquals(toy.asked, ["new", "option mode=default", "option allow_all=off"]);
  assertEquals(agent.mode, "default");
});

Deno.test("another version of the protocol, a login that is missing, no session: each says so", async () => {
  using clock = createFakeClock();
  await assertRejects(
    () => startToy({ clock, toy: { protocolVersion: 7 } }),
    UsageError,
    "Cannot talk to Toy: it speaks version 7 of the Agent Client Protocol, and not 1",
  );
  await assertRejects(
    () => startToy({ clock, toy: { on: { new: throws(refusal(-32000, "Authentication required")) } } }),
    HumanInterventionRequiredError,
    'Cannot use Toy: it is not logged in: it says "Authentication required"',
  );
  // A pack without a program of its own knows it as well.
  const pack = { label: "Toy", login_hint: "Run toy login." };
  const { hint } = await assertRejects(
    () =>
      startToy({
        ...{ clock, provider: packProvider("toy", pack), launch: { workdir: "/w", command: ["toy"] } },
        toy: { on: { new: throws(refusal(-32000, "Authentication required")) } },
      }),
    HumanInterventionRequiredError,
  );
  assertEquals(hint, "Run toy login.");
  const error = await assertRejects(
    () => startToy({ clock, toy: { on: { new: throws(refusal(-32603, "Boom")) } } }),
    RuntimeError,
  );
  assertEquals(error.message, 'Cannot open a session with Toy: it says "Boom"\n  toy: last words');
  const provider = testProvider({ authMethod: () => "key" });
  const { toy } = await startToy({ clock, provider, toy: { authMethods: ["key"] } });
  assertEquals(toy.asked, ["authenticate key", "new"]);
  await assertRejects(() => startToy({ clock, provider }), UsageError, 'by "key": it offers none');
});

Deno.test("an agent that does not open a session in time is given up", async () => {
  using clock = createFakeClock();
  const never = (toy: ToyConnection) => new Promise<void>(() => toy.asked.push("silence"));
  await assertRejects(
    () => startToy({ clock, toy: { on: { new: never } } }),
    RuntimeError,
    "Cannot open a session with Toy: it has not done so within 60 s\n  toy: last words",
  );
});

Deno.test("a session that is loaded: what it plays once more is not new", async () => {
  using clock = createFakeClock();
  const replay = (toy: ToyConnection) => {
    toy.say("an old answer", "s-old");
    toy.update(
      { sessionUpdate: "tool_call", toolCallId: "old", title: "x", kind: "execute", status: "in_progress" },
      "s-old",
    );
  };
  const { agent, toy, activities, told } = await startToy({ clock, resume: "s-old", toy: { on: { load: replay } } });
  assertEquals([toy.asked, agent.sessionId, agent.resumed], [["load s-old"], "s-old", true]);
  // Some play on after they have said that they are done.
  toy.say("another old answer", "s-old");
  toy.update({ sessionUpdate: "tool_call_update", toolCallId: "old", status: "completed" }, "s-old");
  assertEquals([agent.view().state, agent.view().lastMessage, agent.violation()], ["idle", "", undefined]);
  await agent.send("Go on");
  toy.update({ sessionUpdate: "tool_call_update", toolCallId: "old", status: "completed" }, "s-old");
  toy.say("new", "s-old");
  await toy.reply();
  assertEquals(told.filter(({ type }) => type === "said"), [{ type: "said", text: "new" }]);
  assertEquals(activities.filter(({ type }) => type === "message").length, 1);
});

Deno.test("a session that cannot be had, or is told to be there and is empty: a new one, and why", async () => {
  using clock = createFakeClock();
  const start = async (on: NonNullable<Parameters<typeof startToy>[0]["toy"]>["on"], resumes = {}) => {
    const { agent, toy } = await startToy({ clock, resume: "s-old", toy: { on: on!, resumes } });
    assertEquals([agent.sessionId, agent.resumed], ["s-new", false]);
    return [toy.asked.join(", "), agent.notResumedBecause];
  };
  const onlyLoad = { resume: false };
  const missing = throws(refusal(-32002, "Resource not found"));
  assertEquals(await start({ load: missing }, onlyLoad), [
    "load s-old, new",
    'Toy does not have session s-old any more: it says "Resource not found".',
  ]);
  assertEquals((await start({ load: missing, resume: missing }))[0], "load s-old, resume s-old, new");
  assertEquals(await start({}, onlyLoad), [
    "load s-old, new",
    "Toy says that it has loaded session s-old, and has sent nothing of its conversation.",
  ]);
  assertMatch(
    (await start({}, { load: false, resume: false }))[1] ?? "",
    /cannot continue a session in a new process/,
  );
  const another = () => ({ sessionId: "s-another" });
  assertEquals(await start({ load: another, resume: another }), [
    "load s-old, resume s-old, new",
    "Toy was asked for session s-old, and has opened another one.",
  ]);
  // What is told of another session is not its past.
  const other = (toy: ToyConnection) => toy.say("something", "s-other");
  assertEquals((await start({ load: other }, onlyLoad))[0], "load s-old, new");
});

Deno.test("a permission is chosen by its kind, for this once", async () => {
  using clock = createFakeClock();
  const { agent, toy, told } = await startToy({ clock });
  await agent.send("Go");
  const asked = toy.ask("ls");
  const [request] = agent.requests();
  assertEquals(agent.view().state, "waiting");
  assertEquals([request?.request.kind, request?.request.subject, request?.request.source], ["command", "ls", "acp"]);
  assertEquals([request?.request.offers?.allow, request?.request.offers?.reject], [true, true]);
  assertEquals(await request?.answer({ type: "allow" }), true);
  assertEquals(await asked, "id of allow_once");
  assertEquals([agent.requests(), request?.signal.aborted, await request?.answer({ type: "reject" })], [
    [],
    true,
    false,
  ]);
  const second = toy.ask("rm x", { id: "t2" });
  await agent.requests()[0]?.answer({ type: "reject" });
  assertEquals(await second, "id of reject_once");
  assertEquals(told.filter(({ type }) => type === "denied"), [{ type: "denied", calls: ["rm x"] }]);
});

Deno.test("a request whose call names another folder only later waits for that", async () => {
  using clock = createFakeClock();
  const field = (name: string) => ({ from: "input", path: [name], form: "text" }) as const;
  const tools = [{ kind: "execute", as: "command", subject: field("command"), cwd: field("cwd") }] as const;
  const { agent, toy } = await startToy({ clock, provider: testProvider({ tools }) });
  await agent.send("Go");
  const call = (rawInput: Readonly<Record<string, string>>) =>
    toy.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", kind: "execute", rawInput });
  call({ cwd: "/w" });
  toy.ask("touch x");
  assertEquals(agent.requests(), []);
  call({ cwd: "/w/sub", command: "touch x" });
  await clock.runUntilSettled(clock.sleep(20));
  assertEquals(agent.requests()[0]?.request.cwd, "/w/sub");
  await agent.requests()[0]?.answer({ type: "reject" });
  call({ cwd: "/w" });
  toy.ask("touch y");
  await clock.runUntilSettled(clock.sleep(500));
  assertEquals(agent.requests()[0]?.request.kind, "other");
});

Deno.test("an always is never chosen, and where there is no plain answer there is none", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  toy.ask("ls", { kinds: ["allow_always", "reject_always"] });
  const [request] = agent.requests();
  assertEquals([request?.request.offers?.allow, request?.request.offers?.reject], [false, false]);
  await assertRejects(async () => await request?.answer({ type: "allow" }), TypeError);
  assertEquals(agent.view().state, "waiting");
});

Deno.test("a request of another session is refused", async () => {
  using clock = createFakeClock();
  const { agent, toy, activities } = await startToy({ clock });
  await agent.send("Go");
  assertEquals(await toy.ask("ls", { sessionId: "s-other" }), "cancelled");
  toy.say("Hi", "s-other");
  assertEquals([agent.view().lastMessage, agent.requests()], ["", []]);
  assertEquals(activities.filter(({ type }) => type === "note").length, 1);
});

Deno.test("security: an agent that acts in another session, where nothing is allowed, has not asked", async () => {
  using clock = createFakeClock();
  const act = { toolCallId: "x", title: "Run", kind: "execute", rawInput: { command: "touch x" } } as const;
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  toy.update({ sessionUpdate: "tool_call", ...act, status: "pending" }, "s-other");
  assertEquals(agent.violation(), undefined);
  toy.update({ sessionUpdate: "tool_call_update", toolCallId: "x", status: "completed" }, "s-other");
  assertMatch(agent.violation() ?? "", /without asking.*: touch x\.$/);
  // What is told of a session that could not be continued is of its past.
  const missing = { load: throws(refusal(-32002, "Gone")), resume: throws(refusal(-32002, "Gone")) };
  const second = await startToy({ clock, resume: "s-old", toy: { on: missing } });
  second.toy.update({ sessionUpdate: "tool_call", ...act, status: "completed" }, "s-old");
  assertEquals(second.agent.violation(), undefined);
});

Deno.test("security: a mode that changes while the rest of a session is set up is noticed", async () => {
  using clock = createFakeClock();
  const change = (toy: ToyConnection) => toy.update({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
  const provider = testProvider({ model: { by: "session_model" } });
  const launch = { workdir: "/w", model: "m" };
  await assertRejects(
    () => startToy({ clock, provider, launch, toy: { on: { model: change } } }),
    UsageError,
    "Cannot have Toy ask before it acts: its mode is plan",
  );
  const option = (id: string, currentValue: string) => ({
    ...{ type: "select", id, name: id, currentValue } as const,
    options: ["on", "off"].map((value) => ({ value, name: value })),
  });
  const mode = { id: "default", options: { allow_all: "off" }, asks_before: [] };
  const turnOn = (toy: ToyConnection) =>
    toy.update({ sessionUpdate: "config_option_update", configOptions: [option("allow_all", "on")] });
  await assertRejects(
    () =>
      startToy({
        ...{ clock, launch, provider: testProvider({ ask_mode: mode, model: { by: "session_model" } }) },
        toy: { state: { configOptions: [option("allow_all", "off")] }, on: { model: turnOn } },
      }),
    UsageError,
    "Cannot have Toy ask before it acts: its option allow_all is on, and not off",
  );
});

Deno.test("a form is a question, which takes replies that fit", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  const properties = { c: { type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "b", title: "Blue" }] } };
  const asked = toy.elicit("Which colour?", { type: "object", properties });
  const [request] = agent.requests();
  assertEquals([request?.request.kind, request?.request.offers?.allow, request?.request.offers?.reject], [
    "question",
    false,
    true,
  ]);
  assertEquals(request?.request.questions?.[0]?.question, "Which colour?");
  assertMatch(request?.problemWith([{ choices: [], text: "Green" }]) ?? "", /takes one of its choices/);
  await request?.answer({ type: "reply", replies: [{ choices: [1] }] });
  assertEquals(await asked, { action: "accept", content: { c: "b" } });
  const declined = toy.elicit("Which?", { type: "object", properties: { x: { type: "object" } } });
  assertEquals(agent.requests()[0]?.request.questions, undefined);
  await agent.requests()[0]?.answer({ type: "reject" });
  assertEquals(await declined, { action: "decline" });
});

Deno.test("questions that are put as a permission are answered where the agent takes answers", async () => {
  using clock = createFakeClock();
  const put = async (acp: Parameters<typeof testProvider>[0], kind: "think" | "execute" = "think") => {
    const { agent, toy } = await startToy({ clock, provider: testProvider(acp) });
    await agent.send("Go");
    const options = ["red", "blue"].map((label) => ({ label, description: "" }));
    const outcome = toy.permission({
      sessionId: "s-new",
      toolCall: {
        ...{ toolCallId: "t1", kind, title: "Ask" },
        rawInput: { questions: [{ question: "Which?", multiSelect: false, options }] },
      },
      options: [{ optionId: "go", name: "Submit", kind: "allow_once" }],
    });
    return { request: agent.requests()[0], outcome };
  };
  const { request, outcome } = await put({ questions: "answers_by_index" });
  assertEquals([request?.request.kind, request?.request.offers?.allow], ["question", false]);
  await request?.answer({ type: "reply", replies: [{ choices: [1] }] });
  assertEquals(await outcome, { outcome: "selected", optionId: "go", answers: { "0": "blue" } });
  const other = await put({});
  assertEquals([other.request?.request.kind, other.request?.request.offers?.allow], ["other", true]);
  // What acts is never put as a question: who answers that has not seen it.
  const hidden = await put({ questions: "answers_by_index" }, "execute");
  assertEquals([hidden.request?.request.kind, hidden.request?.request.offers?.allow], ["other", true]);
});

Deno.test("a cancel takes back what waits", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  const asked = toy.ask("ls");
  await agent.cancel();
  assertEquals([await asked, agent.requests()], ["cancelled", []]);
  await toy.reply("cancelled");
  assertEquals([agent.view().state, agent.failure()], ["idle", undefined]);
});

Deno.test("no prompt is sent into a turn, to one that waits, or to one that has ended", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  await assertRejects(() => agent.send("Once more"), AgentAtWorkError);
  toy.ask("ls");
  await assertRejects(() => agent.send("Once more"), HumanInterventionRequiredError);
  toy.end({ kind: "exited", code: 137 });
  await agent.ended;
  assertEquals([agent.view().state, agent.describeEnd(), agent.exitCode()], ["ended", "killed by signal 9", 137]);
  await assertRejects(() => agent.send("Once more"), RuntimeError, "its agent has ended: killed by signal 9");
});

Deno.test("a turn whose end was lost is cancelled before the next prompt, and its late end does not count", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("One");
  toy.say("Done.");
  await clock.runUntilSettled(clock.sleep(20_000));
  assertEquals(agent.view().mayBeOver, true);
  await clock.runUntilSettled(agent.send("Two"));
  assertEquals(toy.asked.slice(1), ["prompt One", "cancel", "prompt Two"]);
  await toy.reply("end_turn", 0);
  assertEquals(agent.view().state, "working");
  await toy.reply("end_turn", 1);
  assertEquals(agent.view().state, "idle");
});

Deno.test("an agent that acts without asking is killed, and says why", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  toy.update({
    ...{ sessionUpdate: "tool_call", toolCallId: "t1", title: "x", kind: "execute", status: "completed" } as const,
    rawInput: { command: "rm -rf out" },
  });
  await agent.ended;
  const why = "The agent has done something without asking, although its mode is to ask before it: rm -rf out.";
  assertEquals([agent.violation(), agent.describeEnd(), agent.view().state], [why, why, "ended"]);
});

Deno.test("a turn that falls silent is cancelled; one that does not even end then ends with its agent", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock, silenceLimitMs: 60_000 });
  await agent.send("Go");
  toy.say("I beg");
  const cancelled = Promise.withResolvers<void>();
  Object.assign(toy, { cancel: () => Promise.resolve(cancelled.resolve()) });
  await clock.runUntilSettled(cancelled.promise);
  assertEquals(clock.elapsedSeconds(), 60);
  await toy.reply("cancelled");
  assertEquals([agent.failure()?.class, agent.failure()?.isTurnOver], ["network", true]);
  await agent.send("Again");
  await clock.runUntilSettled(agent.ended);
  assertEquals(clock.elapsedSeconds(), 150);
  assertEquals(
    agent.describeEnd(),
    "it was silent for 60 s, and did not end its turn when that was cancelled",
  );
});

Deno.test("a turn is not silent while a call of it runs, or a request waits", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock, silenceLimitMs: 60_000 });
  await agent.send("Go");
  toy.update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "x", kind: "read", status: "in_progress" });
  const later = Promise.withResolvers<void>();
  clock.at(600, () => {
    toy.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" });
    later.resolve();
  });
  await clock.runUntilSettled(later.promise);
  assertEquals([agent.view().state, toy.asked.includes("cancel")], ["working", false]);
  await toy.reply();
  assertEquals(agent.view().state, "idle");
});

Deno.test("an error in place of the turn's end is its failure, in the agent's own words", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  await agent.send("Go");
  await toy.refuse(refusal(-32603, "Internal error: You have hit your usage limit"));
  assertEquals(agent.view().state, "idle");
  assertEquals([agent.failure()?.class, agent.failure()?.text], [
    "usage_limit",
    "Internal error: You have hit your usage limit",
  ]);
});

Deno.test("its events are a stream that ends with it, first those that nobody had heard; each is told once", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock, listens: false });
  await agent.send("Go");
  toy.ask("ls");
  const [{ id = "" } = {}] = agent.pending();
  const events = agent.events();
  const late = agent.events({ signal: AbortSignal.abort() });
  assertEquals(await agent.answer(id, { type: "allow" }), true);
  assertEquals(await agent.answer(id, { type: "allow" }), false);
  toy.say("Done");
  toy.say(".");
  await toy.reply();
  const stopped = agent.stop();
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  assertEquals(types, ["called", "asked", "answered", "said", "turn_end"]);
  assertEquals(await Array.fromAsync(late), []);
  await stopped;
});

Deno.test("the model is set by the protocol where that is the pack's way", async () => {
  using clock = createFakeClock();
  const launch = { workdir: "/w", model: "big" };
  const provider = testProvider({ model: { by: "session_model" } });
  assertEquals((await startToy({ clock, provider, launch })).toy.asked, ["new", "model big"]);
  const models = { currentModelId: "a", availableModels: [{ modelId: "a", name: "a" }] };
  const error = await assertRejects(
    () =>
      startToy({ clock, provider, launch, toy: { state: { models }, on: { model: throws(refusal(-32602, "no")) } } }),
    UsageError,
    "Cannot use the model big: Toy refuses it",
  );
  assertEquals(error.hint, "It offers a.");
});

Deno.test("a request that is hinted at is among those that wait: whoever looks then can answer it", async () => {
  using clock = createFakeClock();
  const { agent, toy } = await startToy({ clock });
  const seen: (readonly string[])[] = [];
  using _ = agent.listen(() => seen.push(agent.requests().map(({ request }) => request.subject)));
  await agent.send("Go");
  const asked = toy.ask("make");
  assertEquals(seen.at(-1), ["make"]);
  await agent.requests()[0]?.answer({ type: "allow" });
  assertEquals(await asked, "id of allow_once");
});
