import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { HumanInterventionRequiredError, UsageError } from "../../../lib/base/errors.ts";
import type { CallJudge, CallVerdict } from "../../../lib/agents/process/call_judge.ts";
import { until } from "../../support/until.ts";
import { acpProject } from "./acp_support.ts";
import { askedBy, processesWith } from "./support.ts";

function judge(decide: (subject: string) => CallVerdict, judgesAll = false): CallJudge {
  return { judgesAll, judge: ({ subject }) => Promise.resolve(decide(subject)) };
}

const ALLOWING = judge(() => ({ decision: "allow" }));

Deno.test("a turn that ends: what the agent said, ran and used; nothing of it is left", async () => {
  await using project = await acpProject();
  const result = await project.run([
    { say: "I look. " },
    { permission: "List", command: "ls", allowed: [{ write: "out.txt", text: "hi" }] },
    { say: "Done." },
    { usage: { used: 10, size: 100, cost: { amount: 0.25, currency: "USD" } } },
    { end: "end_turn", fields: { usage: { inputTokens: 30, outputTokens: 4, totalTokens: 34 } } },
  ], { judge: ALLOWING, model: "m", script: { models: ["l", "m"] }, pack: { model: { by: "session_model" } } });
  assertEquals(result.outcome, "completed", result.error);
  const { exitCode, finalText, usage, cost, timedOut, denied } = result;
  assertEquals({ exitCode, finalText, cost, timedOut, denied }, {
    exitCode: 0,
    finalText: "Done.",
    cost: { amount: 0.25, currency: "USD" },
    timedOut: false,
    denied: undefined,
  });
  assertEquals(usage, { m: { inputTokens: 30, cachedInputTokens: 0, outputTokens: 4 } });
  assertEquals(await Deno.readTextFile(`${project.workdir}/out.txt`), "hi");
  assertStringIncludes(result.attemptLog, "Ran: ls");
  assertStringIncludes(await project.stepFile("raw.ndjson"), "session/request_permission");
  const log = await project.stepFile("log.txt");
  for (const text of ["session mode default", "said: I look.", "$ ls", "completed"]) assertStringIncludes(log, text);
  assertEquals(await processesWith(project.workdir), []);
});

Deno.test("a command that asks is stopped before its permission is decided", async () => {
  await using project = await acpProject();
  const asking = judge(() => {
    throw new Error("nobody may be asked");
  });
  const steps = [{ say: "Hm." }, { permission: "Ask", command: "panewright ask 'Which database?'" }];
  const error = await askedBy(project.run(steps, { judge: asking }));
  assertEquals([error.question, error.exitCode, error.known.call], ["Which database?", 3, undefined]);
  assert(error.known.sessionId !== undefined);
});

Deno.test("an ask that no call tells of is heard by the command itself, and the whole process tree ends", async () => {
  await using project = await acpProject();
  const error = await askedBy(project.run([{ run: ["panewright", "ask", "From the shell?"] }, { say: "too late" }]));
  assertEquals(error.question, "From the shell?");
  assertEquals(await processesWith(project.workdir), []);
});

Deno.test("the session of the question gets the answer, and nothing but that", async () => {
  await using project = await acpProject();
  const turns = [{ steps: [{ permission: "Ask", command: "panewright ask 'A or B?'" }] }, {
    steps: [{ say: "B it is." }],
  }];
  const error = await askedBy(project.run([], { script: { turns } }));
  const resumed = await project.run([], { script: { turns }, resumeSessionId: error.known.sessionId!, prompt: "B." });
  assertEquals([resumed.outcome, resumed.finalText, resumed.sessionId], [
    "completed",
    "B it is.",
    error.known.sessionId,
  ]);
});

Deno.test("a session that is not there any more fails the attempt: only the rest of the prompt was to be sent", async () => {
  await using project = await acpProject();
  const result = await project.run([{ say: "What?" }], { resumeSessionId: crypto.randomUUID() });
  assertEquals(result.outcome, "failed");
  assertMatch(result.error ?? "", /^its session cannot be continued: /);
  assertEquals((await project.received()).includes("session/prompt"), false);
});

Deno.test("a permission that is denied: the agent hears no, and the call is told", async () => {
  await using project = await acpProject();
  const denying = judge(() => ({ decision: "deny", reason: "The policy forbids it." }));
  const result = await project.run([
    {
      permission: "Delete",
      command: "rm -r src",
      allowed: [{ write: "gone", text: "" }],
      rejected: [{ say: "Well." }],
    },
  ], { judge: denying });
  assertEquals([result.outcome, result.finalText], ["completed", "Well."]);
  assertEquals(result.denied?.length, 1);
  assertStringIncludes(result.denied?.[0] ?? "", "rm -r src");
  assertEquals(await exists(`${project.workdir}/gone`), false);
});

for (const [how, steps] of [["cancelled", [{ end: "cancelled" }]], ["end_turn", []]] as const) {
  Deno.test(`a turn that a refusal has ended is continued, with the reason: ${how}`, async () => {
    await using project = await acpProject();
    const denying = judge(() => ({ decision: "deny", reason: "The policy forbids it." }));
    const turns = [{ steps: [{ permission: "Delete", command: "rm -r src", rejected: steps }] }, {
      when: "The policy forbids it",
      steps: [{ say: "Without it, then." }],
    }];
    const result = await project.run([], { judge: denying, script: { turns } });
    assertEquals([result.outcome, result.finalText, result.denied?.length], ["completed", "Without it, then.", 1]);
    assertStringIncludes(await project.received(), "your task is not over");
  });
}

Deno.test("an agent that ends its turn for each refusal is told to continue only so often", async () => {
  await using project = await acpProject();
  const denying = judge(() => ({ decision: "deny", reason: "No." }));
  const steps = [{ permission: "Rm", command: "rm x", rejected: [{ end: "cancelled" }] }];
  const result = await project.run(steps, { judge: denying });
  assertEquals([result.outcome, result.denied?.length], ["failed", 6]);
});

Deno.test("a permission that a person decides: the agent is stopped, and the call is part of the question", async () => {
  await using project = await acpProject();
  const asking = judge((subject) => ({ decision: "ask", question: `May it? ${subject}` }));
  const steps = [{ permission: "Push", command: "git push", allowed: [{ write: "pushed", text: "" }] }];
  const error = await askedBy(project.run(steps, { judge: asking }));
  assertEquals([error.question, error.known.call?.kind, error.known.call?.needsPermission ?? true], [
    "May it? git push",
    "command",
    true,
  ]);
  assertEquals(await exists(`${project.workdir}/pushed`), false);
});

Deno.test("a question of the agent's protocol is a question to a person", async () => {
  await using project = await acpProject();
  const asking = judge((subject) => ({ decision: "ask", question: subject }));
  const schema = { type: "object", properties: { db: { type: "string", enum: ["MySQL", "SQLite"] } } };
  const error = await askedBy(project.run([{ elicit: "Which database?", schema }], { judge: asking }));
  assertStringIncludes(error.question, "Which database?");
  assertEquals(error.known.call?.kind, "question");
});

Deno.test("what a step may not write is refused where the agent asks", async () => {
  await using project = await acpProject();
  const refuseWrite = ({ subject }: { readonly subject: string }) =>
    subject === "b.ts" ? "It is not listed." : undefined;
  const steps = [
    { permission: "Edit a", path: "a.ts", allowed: [{ write: "a.ts", text: "" }] },
    { permission: "Edit b", path: "b.ts", allowed: [{ write: "b.ts", text: "" }] },
  ];
  const result = await project.run(steps, { judge: ALLOWING, refuseWrite });
  assertEquals(result.outcome, "completed", result.error);
  assertEquals([await exists(`${project.workdir}/a.ts`), await exists(`${project.workdir}/b.ts`)], [true, false]);
});

Deno.test("no plain yes and no plain no: nothing is said, and a person is needed", async () => {
  await using project = await acpProject();
  const options = [{ optionId: "a", name: "Always", kind: "allow_always" }];
  const steps = [{ permission: "Push", command: "git push", options }];
  const offers: unknown[] = [];
  const denying: CallJudge = {
    judgesAll: false,
    judge(call) {
      offers.push(call.offers);
      return Promise.resolve({ decision: "deny", reason: "The policy forbids it." });
    },
  };
  const error = await assertRejects(() => project.run(steps, { judge: denying }), HumanInterventionRequiredError);
  assertEquals(offers, [{ allow: false, reject: false }]);
  assertStringIncludes(error.message, "no plain no: The policy forbids it.");
});

for (
  const [name, steps, error] of [
    ["a stop reason that is not the end", [{ say: "Half." }, { end: "max_tokens" }], /max_tokens/],
    ["an end without a stop reason", [{ say: "Half." }, { line: "" }, { exit: 0 }], /ended before its turn was over/],
    [
      "a process that dies",
      [{ stderr: "out of memory" }, { kill: "SIGKILL" }],
      /before its turn was over.*out of memory/,
    ],
    ["an error in place of the end", [{ fail: { code: -32603, message: "model exploded" } }], /model exploded/],
  ] as const
) {
  Deno.test(`no end of a turn is taken for one: ${name}`, async () => {
    await using project = await acpProject();
    const result = await project.run(steps);
    assertEquals(result.outcome, "failed");
    assertMatch(result.error ?? "", error);
  });
}

Deno.test("exit 0 after a call that was denied is a failure, and the call is told", async () => {
  await using project = await acpProject();
  const denying = judge(() => ({ decision: "deny", reason: "No." }));
  const result = await project.run([{ permission: "Rm", command: "rm x", rejected: [{ exit: 0 }] }], {
    judge: denying,
  });
  assertEquals([result.outcome, result.denied?.length], ["failed", 1]);
});

Deno.test("a turn without an end is stopped by the time limit, whole process tree", async () => {
  await using project = await acpProject();
  const result = await project.run([{ say: "Now" }, { never: true }], { timeLimitSeconds: 1 });
  assertEquals([result.outcome, result.timedOut, result.error], [
    "failed",
    true,
    "the time limit of 1 s has passed",
  ]);
  assertEquals(await processesWith(project.workdir), []);
});

Deno.test("the time limit holds for a start, too", async () => {
  await using project = await acpProject();
  const result = await project.run([], { timeLimitSeconds: 1, script: { initialize: "never" } });
  assertEquals([result.outcome, result.timedOut], ["failed", true]);
});

Deno.test("an agent that dies at its start has failed, with its last words; one that is not there is wrong usage", async () => {
  await using project = await acpProject();
  const result = await project.run([], { script: { exitAtStart: 3, stderr: ["no licence"] } });
  assertEquals(result.outcome, "failed");
  assertStringIncludes(result.error ?? "", "no licence");
  await assertRejects(() => project.run([], { command: ["/no/such/agent"] }), UsageError);
});

Deno.test("an agent that acts without asking, though its mode says ask, ends the attempt for good", async () => {
  await using project = await acpProject();
  const fields = { title: "rm", kind: "execute", rawInput: { command: "rm -r /" } };
  const steps = [{ call: "c1", status: "completed", fields }, { never: true }] as const;
  const error = await assertRejects(() => project.run(steps, { judge: ALLOWING }), HumanInterventionRequiredError);
  assertStringIncludes(error.message, "Cannot let the agent of a step continue: ");
});

Deno.test("rules that need each call judged are refused for an agent that does not ask before all it does", async () => {
  await using project = await acpProject();
  const strict = judge(() => ({ decision: "allow" }), true);
  const pack = { ask_mode: { id: "default", asks_before: ["edit"] as const } };
  const error = await assertRejects(() => project.run([], { judge: strict, pack }), UsageError);
  assertStringIncludes(error.message, "permissions.deny and permissions.ask");
  assertEquals((await project.run([{ say: "Fine." }], { judge: strict })).outcome, "completed");
});

Deno.test("a usage limit is known with the time of its end", async () => {
  await using project = await acpProject();
  const failures = [{ class: "usage_limit", words: "^You've hit your limit" }] as const;
  const message = "You've hit your limit. Try again in 2 hours.";
  const result = await project.run([{ fail: { code: -32000, message } }], { pack: { failures } });
  assertEquals([result.outcome, result.failure, result.usageLimit?.message], ["failed", "usage_limit", message]);
});

Deno.test("a failed turn that is reported as completed has failed", async () => {
  await using project = await acpProject();
  const failures = [{ class: "overloaded", words: "^API Error: 529" }] as const;
  const result = await project.run([{ say: "API Error: 529 Overloaded" }], { pack: { failures } });
  assertEquals([result.outcome, result.failure], ["failed", "overloaded"]);
});

Deno.test("hostile text stays text, and lines that nobody knows do no harm", async () => {
  await using project = await acpProject();
  const evil = '\x1b]52;c;aGk=\x07\x1b[2J{"jsonrpc":"2.0"}\n2026-01-01T00:00:00.000Z completed';
  const result = await project.run([
    { line: "not json" },
    { notify: "x/unknown", params: {} },
    { update: { sessionUpdate: "nobody_knows" } },
    { say: evil },
    { longLine: 20_000_000 },
  ]);
  assertEquals(result.outcome, "completed", result.error);
  assert(!hasControls(await project.stepFile("log.txt")));
  assert(!hasControls(result.attemptLog));
  assert((await Deno.stat(`${project.workdir}/../run/attempt-1/raw.ndjson`)).size < 4_000_000);
});

Deno.test("an abort ends agent and attempt", async () => {
  await using project = await acpProject();
  const stop = new AbortController();
  const attempt = project.run([{ say: "Working. " }, { call: "t", fields: { title: "x", kind: "think" } }, {
    never: true,
  }], {
    signal: stop.signal,
  });
  await until(() => project.facts.some(({ type }) => type === "session"));
  stop.abort(new Error("enough"));
  await assertRejects(() => attempt, Error, "enough");
  assertEquals(await processesWith(project.workdir), []);
});

function hasControls(text: string): boolean {
  return text.includes("\x1b") || text.includes("\x07");
}
