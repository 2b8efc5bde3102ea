import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, PanewrightError } from "../../../lib/base/errors.ts";
import { leaveAnswerFor, readAnswerOf } from "../../support/run_mail.ts";
import { until } from "../../support/until.ts";
import type { AuditLog } from "../../../lib/turn/desk/audit.ts";
import { findPaneProvider } from "../../../lib/agents/mod.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { openDialog } from "../../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import type { TurnLimits } from "../../../lib/turn/dialog_desk.ts";
import type { Request } from "../../../lib/policy/request.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { recordingsOf } from "../../support/screens.ts";
import { approval, codex, fakeChannel, openBench, recorded } from "./desk_bench.ts";

const typesOf = (events: readonly ReviewFact[]) => events.map(({ type }) => type);

Deno.test("what the policy allows is recorded first and accepted then", async () => {
  await using bench = await openBench();
  bench.ask("npm test");
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  assertEquals([open.by, open.request, open.tail.length], ["policy", "the command `npm test`", 5]);
  assertEquals(await open.answer(), true);
  // The log's first record and the decision were on the disk before the key.
  assertEquals(bench.answers, [{ answer: "accept", recorded: 2 }]);
  const [, decision, outcome] = bench.records();
  assertEquals(
    [decision?.decision, decision?.rule, decision?.command, decision?.keys, decision?.terminal, decision?.role],
    ["allow", "default", "npm test", ["y"], "%3", "tester"],
  );
  assertEquals([outcome?.type, outcome?.result], ["outcome", "closed"]);
  assertEquals(typesOf(bench.events), ["dialog_answered"]);
  const [told] = bench.events;
  assert(told?.type === "dialog_answered");
  assertEquals(
    told.screen,
    "r1-tester codex:   Would you like to run the following command?",
    "as it was before the key",
  );
  assertEquals(told.audit?.records, 3);
});

Deno.test("what the policy denies is declined, with its reason for the agent", async () => {
  await using bench = await openBench({ policy: { deny: [{ command: "git push" }] } });
  bench.ask("git push origin main");
  const open = await bench.desk.inspect();
  assert(open?.decision === "decline");
  assertStringIncludes(open.reason, "git push");
  await open.answer();
  assertEquals(bench.answers.map(({ answer }) => answer), ["decline"]);
  assertEquals(bench.records()[1]?.keys, ["Escape"]);
});

Deno.test("a decision that cannot be recorded is not carried out", async () => {
  const audit: AuditLog = {
    end: { records: 0, hash: "" },
    perform: () => Promise.reject(new PanewrightError("Cannot write the audit log: no space")),
    note: () => Promise.reject(new PanewrightError("Cannot write the audit log: no space")),
    [Symbol.dispose]: () => {},
  };
  await using bench = await openBench({ audit });
  bench.ask("npm test");
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  await assertRejects(() => open.answer(), PanewrightError, "no space");
  assertEquals(bench.answers, []);
});

Deno.test("with the switch off a person is told once a dialog, how to attach and how to answer", async () => {
  await using bench = await openBench({ autoAccept: false });
  bench.ask("npm test");
  for (let poll = 0; poll < 3; poll++) assertEquals(await bench.desk.inspect(), { decision: "wait" });
  bench.clock.advance(5000);
  bench.desk.noteClosed();
  bench.ask("npm run build");
  await bench.desk.inspect();
  assertEquals(typesOf(bench.events), ["dialog_waiting", "dialog_closed", "dialog_waiting"]);
  const [waiting, closed] = bench.events;
  assert(waiting?.type === "dialog_waiting" && closed?.type === "dialog_closed");
  assertEquals([waiting.question, waiting.subject, waiting.attachCommand], [
    "q1",
    "npm test",
    "tmux -L run attach-session",
  ]);
  assertEquals(closed.seconds, 5);
  assertEquals(bench.stuck.length, 2);
  assertStringIncludes(bench.stuck[0]!, "the command `npm test`. AUTO_ACCEPT_PERMISSIONS is off.");
  assertEquals(bench.answers, []);
  assertEquals(bench.records().slice(1).map(({ decision, rule, keys }) => [decision, rule, keys]), [
    ["ask", "switch_off", []],
    ["ask", "switch_off", []],
  ]);
});

Deno.test("a dialog that an earlier process asked about is the same question, and its answer that was left is taken", async () => {
  const asked = approval("npm test");
  const fingerprint = asked.classification.dialog?.fingerprint ?? "";
  await using bench = await openBench({ autoAccept: false, earlierQuestion: { id: "q7", fingerprint } });
  await leaveAnswerFor(bench.folder, { question: "q7", answer: "yes", by: "command", answeredAt: "" });
  bench.shown = asked;
  const open = await bench.desk.inspect();
  assertEquals(open?.decision, "accept");
  const [waiting] = bench.events;
  assert(waiting?.type === "dialog_waiting");
  assertEquals(waiting.question, "q7");
});

Deno.test("another dialog than the one that was asked about is another question", async () => {
  await using bench = await openBench({ autoAccept: false, earlierQuestion: { id: "q7", fingerprint: "another" } });
  await leaveAnswerFor(bench.folder, { question: "q7", answer: "yes", by: "command", answeredAt: "" });
  bench.ask("npm test");
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
});

Deno.test("a dialog that nobody answers in time stops the run for a person", async () => {
  await using bench = await openBench({ autoAccept: false });
  bench.ask("npm test");
  await bench.desk.inspect();
  bench.clock.advance(599_000);
  await bench.desk.inspect();
  bench.clock.advance(1000);
  const error = await assertRejects(() => bench.desk.inspect(), HumanInterventionRequiredError, "for 600 s");
  assertStringIncludes(error.message, "$ npm test");
  assertStringIncludes(error.hint ?? "", "dialog_timeout_seconds");
});

Deno.test("a dialog of a run that nobody sits at waits for days, unless a limit is set", async () => {
  await using bench = await openBench({ autoAccept: false });
  const { dialogTimeoutSeconds, ...permissions } = bench.context.plan.permissions;
  const patient = { ...bench.context, isPatient: true };
  const desk = bench.deskWith({ ...patient, plan: { ...patient.plan, permissions } });
  bench.ask("npm test");
  await desk.inspect();
  const [waiting] = bench.events;
  assert(waiting?.type === "dialog_waiting");
  assertEquals([dialogTimeoutSeconds, waiting.timeoutSeconds], [600, undefined]);
  bench.clock.advance(3 * 24 * 3_600_000);
  assertEquals(await desk.inspect(), { decision: "wait" });
  const limited = bench.deskWith(patient);
  await limited.inspect();
  bench.clock.advance(600_000);
  await assertRejects(() => limited.inspect(), HumanInterventionRequiredError, "for 600 s");
});

for (const [text, answer] of [["yes", "accept"], ["no, use the test database", "decline"]] as const) {
  Deno.test(`a person's "${text}" from another terminal is recorded and carried out`, async () => {
    await using bench = await openBench({ policy: { ask: [{ command: "npm test" }] } });
    bench.ask("npm test");
    assertEquals(await bench.desk.inspect(), { decision: "wait" });
    assertEquals(bench.events.at(-1)?.type, "dialog_waiting");
    await leaveAnswerFor(bench.folder, { question: "q1", answer: text, by: "command", answeredAt: "" });
    const open = await bench.desk.inspect();
    assert(open?.decision === "accept" || open?.decision === "decline");
    assertEquals([open.decision, open.by], [answer, "person"]);
    if (answer === "decline") assertEquals(open.reason, "use the test database");
    await open.answer();
    assertEquals(bench.answers.map((one) => one.answer), [answer]);
    assertEquals(bench.records().at(-2)?.rule, "person");
    assertEquals(typesOf(bench.events), ["dialog_waiting", "dialog_closed", "dialog_answered"]);
  });
}

Deno.test("an answer that a model may not give is set aside and told, and the person's counts", async () => {
  await using bench = await openBench({ policy: { ask: [{ command: "npm test" }] } });
  bench.ask("npm test");
  await bench.desk.inspect();
  await leaveAnswerFor(bench.folder, { question: "q1", answer: "yes", by: "mcp", who: "codex", answeredAt: "" });
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  assertEquals(await readAnswerOf(bench.folder, "q1"), undefined);
  assertStringIncludes(
    bench.stuck.at(-1) ?? "",
    "it was given by a model over MCP (codex), and permissions.model_answers",
  );
  assert(await leaveAnswerFor(bench.folder, { question: "q1", answer: "no", by: "command", answeredAt: "" }));
  assertEquals((await bench.desk.inspect())?.decision, "decline");
});

Deno.test("a permission that a model may give is marked as a model's, in the audit log and in the journal", async () => {
  await using bench = await openBench({ policy: { ask: [{ command: "npm test" }] }, modelAnswers: "all" });
  bench.ask("npm test");
  await bench.desk.inspect();
  await leaveAnswerFor(bench.folder, { question: "q1", answer: "yes", by: "mcp", who: "codex", answeredAt: "" });
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  await open.answer();
  const { rule, reason } = bench.records().at(-2) ?? {};
  assertEquals([rule, reason], ["model", "A model over MCP (codex) said yes."]);
  const told = bench.events.at(-1);
  assert(told?.type === "dialog_answered");
  assertEquals([told.rule, told.by, told.who, told.question], ["model", "mcp", "codex", "q1"]);
});

Deno.test("a person at the terminal is asked until the answer is yes or no, and no more when the dialog closes", async () => {
  const said = ["maybe", "y"];
  const asked: string[] = [];
  await using bench = await openBench({
    autoAccept: false,
    person({ role, kind, subject, reason }) {
      asked.push(`${role}, ${kind}: ${subject}. ${reason}`);
      return Promise.resolve(said.shift());
    },
  });
  bench.ask("npm test");
  await until(() => bench.desk.inspect(), (open) => open?.decision === "accept");
  assertEquals(asked, Array(2).fill("tester, command: npm test. AUTO_ACCEPT_PERMISSIONS is off."));

  let aborted = false;
  await using other = await openBench({
    autoAccept: false,
    person: (_question, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        })
      ),
  });
  other.shown = approval("npm test");
  await other.desk.inspect();
  other.desk.noteClosed();
  assertEquals(aborted, true);
});

Deno.test("what a person says at the terminal counts unless another answer came before, and is then the first for all others", async () => {
  for (const [before, decision] of [[undefined, "accept"], ["no", "decline"]] as const) {
    const given = (answer: string) => ({ question: "q1", answer, by: "http", answeredAt: "" }) as const;
    await using bench = await openBench({
      autoAccept: false,
      async person() {
        if (before !== undefined) await leaveAnswerFor(bench.folder, given(before));
        return "y";
      },
    });
    bench.ask("npm test");
    await until(() => bench.desk.inspect(), (open) => open?.decision === decision);
    assertEquals(await leaveAnswerFor(bench.folder, given("no")), false);
  }
});

Deno.test("in a dry run everything is recorded, and nothing is sent, whatever anybody answers", async () => {
  for (const autoAccept of [true, false]) {
    await using bench = await openBench({ dryRun: true, autoAccept, policy: { deny: [{ command: "git push" }] } });
    for (const command of ["npm test", "git push"]) {
      bench.ask(command);
      assertEquals(await bench.desk.inspect(), { decision: "wait" });
    }
    assertEquals(bench.records().slice(1).map(({ rule }) => rule), [
      "dry_run:allow:default",
      "dry_run:deny:permissions.deny[0]",
    ]);
    assertEquals(bench.events.flatMap((event) => event.type === "dialog_waiting" ? [event.question] : []), [
      undefined,
      undefined,
    ]);
    assertEquals(bench.answers, []);
  }
});

Deno.test("an agent that only says that it waits is put to a person, after a moment", async () => {
  await using bench = await openBench();
  assertEquals(await bench.desk.inspect(), undefined);
  bench.clock.advance(4999);
  assertEquals(await bench.desk.inspect(), undefined);
  bench.clock.advance(1);
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  assertEquals(bench.events.flatMap((event) => event.type === "dialog_waiting" ? [event.kind, event.question] : []), [
    "other",
    undefined,
  ]);
});

for (const providerId of ["codex", "claude_code"] as const) {
  Deno.test(`on no recorded screen of ${providerId} without a live dialog would a key be sent`, async () => {
    const provider = findPaneProvider(providerId);
    const sent: string[] = [];
    let answered = 0;
    for (const { ansi, ...meta } of await recordingsOf(providerId)) {
      const seen = readScreen(parseScreen(ansi, meta), provider.terminal.rules);
      const name = `${meta.version}/${meta.name} (${meta.expect})`;
      const dialog = openDialog(seen);
      if (dialog === undefined) continue;
      for (const answer of ["accept", "decline"] as const) {
        const way = provider.terminal.answerWay(dialog, answer);
        if (way === undefined) continue;
        answered++;
        if (meta.expect !== "waiting_user_answer") sent.push(`${name}: ${JSON.stringify(way)}`);
      }
    }
    assertEquals(sent, []);
    assert(answered > 50, `only ${answered} answers in the whole corpus`);
  });
}

Deno.test("the desk itself sends no key on recorded screens without a dialog, and none that only a person answers", async () => {
  await using bench = await openBench();
  for (const { ansi, ...meta } of await recordingsOf("codex")) {
    if (meta.alone === false) continue;
    bench.shown = readScreen(parseScreen(ansi, meta), codex.terminal.rules);
    bench.desk.noteClosed();
    const open = await bench.desk.inspect();
    if (open === undefined || open.decision === "wait") continue;
    await open.answer();
    assertEquals(meta.expect, "waiting_user_answer", `${meta.version}/${meta.name}`);
  }
  const kinds = new Set(bench.events.flatMap((event) => event.type === "dialog_answered" ? [event.kind] : []));
  assertEquals([...kinds].toSorted(), ["command", "patch"]);
});

Deno.test("what an agent that is gone had asked stays open: the next agent that asks it has the answer", async () => {
  await using bench = await openBench({ autoAccept: false });
  bench.ask("npm test");
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  const [asked] = bench.events;
  assert(asked?.type === "dialog_waiting" && asked.question !== undefined);
  const open = [{ id: asked.question, fingerprint: asked.fingerprint }];
  await leaveAnswerFor(bench.folder, { question: asked.question, answer: "yes", by: "command", answeredAt: "" });
  bench.desk.leaveOpen?.();
  bench.desk.noteClosed();
  assertEquals(typesOf(bench.events), ["dialog_waiting"]);
  const next = bench.deskWith({ ...bench.context, openQuestions: () => open });
  const dialog = await next.inspect();
  assert(dialog?.decision === "accept");
  assertEquals(bench.events.map((event) => event.type === "dialog_waiting" ? event.question : ""), ["q1", "q1"]);
});

Deno.test("no dialog is accepted on its screen alone, and the person is told so", async () => {
  await using bench = await openBench();
  bench.shown = approval("npm test");
  // The session log may be behind the screen.
  assertEquals(await bench.desk.inspect(), undefined);
  bench.clock.advance(1000);
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  const [waiting] = bench.events;
  assert(waiting?.type === "dialog_waiting");
  assertEquals([waiting.subject, bench.records()[1]?.rule, bench.records()[1]?.source], [
    "npm test",
    "not_exact",
    undefined,
  ]);
  assertStringIncludes(waiting.reason, "only the screen shows them");
  assertEquals(bench.answers, []);
});

Deno.test("what the screen alone shows is still denied", async () => {
  await using bench = await openBench({ policy: { deny: [{ command: "git push" }] } });
  bench.shown = approval("git push origin main");
  assertEquals((await bench.desk.inspect())?.decision, "decline");
});

const HARMLESS = "npm test";
for (
  const [name, shown, pending] of [
    ["shows something else", "npm test && git push", [recorded(HARMLESS)]],
    ["stands for several requests", HARMLESS, [recorded(HARMLESS), recorded("git push", { id: "call_2" })]],
    ["is of another kind", HARMLESS, [recorded("npm test", { kind: "patch" })]],
    ["is about another folder", HARMLESS, [recorded(HARMLESS, { cwd: "/etc" })]],
  ] as const
) {
  Deno.test(`a dialog that ${name} is put to a person`, async () => {
    await using bench = await openBench();
    bench.shown = approval(shown);
    bench.pending = pending;
    await bench.desk.inspect();
    bench.clock.advance(1000);
    assertEquals(await bench.desk.inspect(), { decision: "wait" });
    assertEquals(bench.answers, []);
  });
}

Deno.test("decided is about what is on record, not about what the screen makes of it", async () => {
  await using bench = await openBench({ policy: { deny: [{ command: "git push" }] } });
  bench.shown = approval("This changes directory before running a command.");
  bench.pending = [recorded("cd x && git push")];
  const open = await bench.desk.inspect();
  assert(open?.decision === "decline");
  await open.answer();
  const [, decision] = bench.records();
  assertEquals([decision?.command, decision?.source], ["cd x && git push", "session_log"]);
});

const limits = (left: boolean): TurnLimits => ({ take: () => left });
const hooked = (subject: string, about: Partial<Request> = {}) => recorded(subject, { source: "hook", ...about });

Deno.test("a hook is answered by the policy, and the audit log has it first", async () => {
  const channel = fakeChannel();
  await using bench = await openBench({ hooks: channel.hooks, policy: { deny: [{ command: "git push" }] } });
  using _ = bench.desk.serve?.(limits(true));
  await channel.ask(hooked("npm test"));
  await channel.ask(hooked("cd x && git push"));
  assertEquals(channel.answers.map(({ behavior }) => behavior), ["allow", "deny"]);
  assertStringIncludes(channel.answers[1]?.reason ?? "", "git push");
  assertEquals(
    bench.records().slice(1).map(({ type, decision, source, command, result }) =>
      type === "decision" ? [decision, source, command] : [result]
    ),
    [["allow", "hook", "npm test"], ["answered"], ["deny", "hook", "cd x && git push"], ["answered"]],
  );
  assertEquals(bench.answers, []);
  assertEquals(typesOf(bench.events), ["dialog_answered", "dialog_answered"]);
});

for (
  const [name, left, about] of [
    ["the turn has no answer left", false, {}],
    ["only a person answers its kind", true, { kind: "question" }],
    ["a plan has more choices than yes and no", true, { kind: "plan" }],
  ] as const
) {
  Deno.test(`a hook is not answered where ${name}`, async () => {
    const channel = fakeChannel();
    await using bench = await openBench({ hooks: channel.hooks });
    using _ = bench.desk.serve?.(limits(left));
    await channel.ask(hooked("npm test", about));
    assertEquals([channel.answers, bench.records().length], [[], 1]);
  });
}

Deno.test("a hook is not answered where the decision cannot be recorded, nor after the turn", async () => {
  const audit: AuditLog = {
    end: { records: 0, hash: "" },
    perform: () => Promise.reject(new PanewrightError("Cannot write the audit log: no space")),
    note: () => Promise.resolve(),
    [Symbol.dispose]: () => {},
  };
  const channel = fakeChannel();
  await using bench = await openBench({ hooks: channel.hooks, audit });
  const served = bench.desk.serve?.(limits(true));
  await assertRejects(() => channel.ask(hooked("npm test")), PanewrightError, "no space");
  served?.[Symbol.dispose]();
  await channel.ask(hooked("npm test"));
  assertEquals(channel.answers, []);
});

/** A call of which its CLI would not ask, waiting for a person. */
async function heldCall(said: "yes" | "no, later" | undefined) {
  const channel = fakeChannel();
  const bench = await openBench({ hooks: channel.hooks, policy: { ask: [{ command: "git push" }] } });
  const served = bench.desk.serve?.(limits(true));
  const request = hooked("git push", { needsPermission: false });
  const asked = channel.ask(request);
  assertEquals([bench.desk.holds?.(), await bench.desk.inspect()], [true, { decision: "wait" }]);
  if (said !== undefined) {
    await leaveAnswerFor(bench.folder, { question: "q1", answer: said, by: "command", answeredAt: "" });
    const open = await bench.desk.inspect();
    assert(open !== undefined && "answer" in open);
    await open.answer();
    await asked;
    assertEquals(bench.desk.holds?.(), false);
  }
  return Object.assign(bench, { channel, request, asked, endTurn: () => served?.[Symbol.dispose]() });
}

Deno.test("a call that waited for a yes is made, and its CLI, where it asks as well, has that for an answer, once", async () => {
  await using bench = await heldCall("yes");
  assertEquals(bench.channel.answers, [{ behavior: "allow", reason: "" }]);
  await bench.channel.ask(hooked("git push", { id: "own dialog" }));
  assertEquals(bench.channel.answers.map(({ behavior }) => behavior), ["allow", "allow"]);
  await bench.channel.ask(hooked("git push", { id: "again" }));
  await bench.channel.ask(hooked("git push --force", { id: "another" }));
  assertEquals(bench.channel.answers.length, 2);
  const decisions = bench.records().filter(({ type }) => type === "decision").map(({ rule }) => rule);
  assertEquals(decisions, ["permissions.ask[0]", "person", "permitted"]);
  assertEquals(typesOf(bench.events), ["dialog_waiting", "dialog_closed", "dialog_answered"]);
});

Deno.test("a call that waited for a no is refused, its agent is told why, and what it asks then is another matter", async () => {
  await using bench = await heldCall("no, later");
  const [answer] = bench.channel.answers;
  assertEquals([answer?.behavior, answer?.reason?.includes("later")], ["deny", true]);
  await bench.channel.ask(hooked("git push", { id: "own dialog" }));
  assertEquals(bench.channel.answers.length, 1);
});

Deno.test("a call for which nobody is waited any longer is refused: at the end of the turn, and once its agent rests", async () => {
  for (const end of ["turn", "rest"] as const) {
    await using bench = await heldCall(undefined);
    if (end === "turn") bench.endTurn();
    else bench.desk.noteClosed();
    await bench.asked;
    assertEquals(bench.channel.answers.map(({ behavior }) => behavior), ["deny"]);
    assertEquals(bench.desk.holds?.(), false);
  }
});

Deno.test("a dialog waits for its hook, and a person is shown the hook's words", async () => {
  const channel = fakeChannel();
  const policy = { ask: [{ command: "npm test" }] };
  await using bench = await openBench({ hooks: channel.hooks, policy });
  using _ = bench.desk.serve?.(limits(true));
  bench.shown = approval("(value cannot be shown in full)");
  assertEquals(await bench.desk.inspect(), undefined);
  await channel.ask(hooked("npm test"));
  bench.clock.advance(3000);
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  const [waiting] = bench.events;
  assert(waiting?.type === "dialog_waiting");
  assertEquals(waiting.subject, "npm test");
  bench.desk.noteClosed();
  assertEquals(channel.hooks.pending("tester"), []);
});

Deno.test("a dialog that the session log explains waits for its hook, but not for ever", async () => {
  const channel = fakeChannel();
  await using bench = await openBench({ hooks: channel.hooks });
  using _ = bench.desk.serve?.(limits(true));
  bench.ask("npm test");
  assertEquals(await bench.desk.inspect(), undefined);
  bench.clock.advance(2999);
  assertEquals(await bench.desk.inspect(), undefined);
  bench.clock.advance(1);
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  await open.answer();
  assertEquals(bench.records()[1]?.source, "session_log");
  // The hook comes in when its dialog is closed: what was answered once is neither answered nor recorded again.
  await channel.ask(hooked("npm test", { id: "hook-1" }));
  assertEquals([channel.answers, channel.hooks.pending("tester"), bench.records().length], [[], [], 3]);
  await channel.ask(hooked("npm run build", { id: "hook-2" }));
  assertEquals(channel.answers.length, 1);
});

Deno.test("a dialog that changes between decision and key gets no key, and the decision is made again", async () => {
  await using bench = await openBench({ policy: { deny: [{ command: "git push" }] } });
  const before = approval("npm test");
  bench.shown = before;
  bench.pending = [recorded("npm test")];
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  // It looks the same, and is about something else.
  bench.pending = [recorded("npm test\u200b", { id: "call_2" })];
  assertEquals(await open.answer(), false);
  assertEquals([bench.answers, bench.records().length, bench.events], [[], 1, []]);
  bench.pending = [recorded("git push", { id: "call_3" })];
  assertEquals((await bench.desk.inspect())?.decision, "decline");
});

Deno.test("no key is pressed for what a hook asks about in the same moment", async () => {
  const channel = fakeChannel();
  await using bench = await openBench({ hooks: channel.hooks });
  using _ = bench.desk.serve?.(limits(true));
  bench.ask("npm test");
  await bench.desk.inspect();
  bench.clock.advance(3000);
  const open = await bench.desk.inspect();
  assert(open?.decision === "accept");
  const asking = channel.ask(hooked("npm test", { id: "hook-1" }));
  assertEquals(await open.answer(), false);
  await asking;
  assertEquals([bench.answers, channel.answers.length], [[], 1]);
});

Deno.test("a person's answer holds for the request that they were asked about, and for no other that looks the same", async () => {
  await using bench = await openBench({ policy: { ask: [{ command: "npm *" }] } });
  bench.ask("npm test");
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  await leaveAnswerFor(bench.folder, { question: "q1", answer: "yes", by: "command", answeredAt: "" });
  bench.pending = [recorded("npm test; npm publish", { id: "call_2" })];
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  assertEquals(bench.events.flatMap((event) => event.type === "dialog_waiting" ? [event.question] : []), ["q1", "q2"]);
  assertEquals(bench.answers, []);
});
