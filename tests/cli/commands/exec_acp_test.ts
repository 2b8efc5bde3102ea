import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { until } from "../../support/until.ts";
import { type AcpExecProject, acpExecProject } from "./acp_exec_project.ts";

const once = (...steps: readonly FakeStep[]): FakeAgentScript => ({ turns: [{ steps }] });

const AUTOMATIC = { auto_accept: true };

const push = { permission: "Push", command: "git push", allowed: [{ write: "pushed", text: "" }] } as const;

/** The records of one type of a run's journal. */
async function recordsOf(project: AcpExecProject, run: string, type: string) {
  return (await project.records(run, "journal.ndjson")).filter((record) => record["type"] === type);
}

Deno.test("a step over ACP passes: tokens and cost in journal and table, decisions in the audit, nothing left", async () => {
  await using project = await acpExecProject({
    config: { permissions: { ...AUTOMATIC, allow: [{ command: "touch built" }] } },
    step: { check: { type: "fileExists", path: "built" }, model: "big" },
    pack: { model: { by: "session_model" } },
  });
  await project.script({
    models: ["small", "big"],
    turns: [{
      steps: [
        { say: "I build." },
        { permission: "Make it", command: "touch built", allowed: [{ write: "built", text: "" }] },
        { say: "It is built." },
        { usage: { used: 10, size: 100, cost: { amount: 0.125, currency: "USD" } } },
        { end: "end_turn", fields: { usage: { inputTokens: 300, outputTokens: 40, totalTokens: 340 } } },
      ],
    }],
  });
  assertEquals((await project.play("exec", "task.md")).code, 0);
  await Deno.remove(`${project.path}/built`);
  const passed = await project.run("exec", "task.md");
  assertEquals(passed.code, 0, passed.stderr);
  assertMatch(passed.stdout, /^✓ PASS +[^]*Cost +300 tokens in, 40 out \(big\)/);
  assertStringIncludes(passed.stderr, "300 tokens in, 40 out (big), 0.13 USD");
  await project.sandbox.assertNothingLeft();
  const { run } = JSON.parse((await project.call("runs", "--json")).stdout.split("\n")[0] ?? "");
  const [finished] = await recordsOf(project, run, "attempt_finished");
  assertEquals([finished?.["cost"], finished?.["finalText"]], [{ amount: 0.125, currency: "USD" }, "It is built."]);
  const [decided] = await recordsOf(project, run, "call_decided");
  assertEquals([decided?.["decision"], decided?.["subject"]], ["allow", "touch built"]);
  const audit = await project.records(run, "audit.ndjson");
  assert(audit.some((entry) => JSON.stringify(entry).includes("touch built")));
  assertEquals((await project.call("audit", "verify", run)).code, 0);
});

Deno.test("panewright ask in its shell: stopped, question, answer, resumed in the same session with the answer only", async () => {
  await using project = await acpExecProject();
  await project.script({
    turns: [
      { steps: [{ say: "Hm." }, { run: ["panewright", "ask", "Which database?"] }, { write: "late", text: "" }] },
      {
        steps: [{ say: "SQLite it is." }],
      },
    ],
  });
  const stopped = await project.play("exec", "task.md");
  assertEquals(stopped.code, 3, stopped.stderr);
  const waiting = stopped.events.find(({ type }) => type === "question_waiting");
  assertEquals(waiting?.["text"], "Which database?");
  await project.sandbox.assertNothingLeft();
  assertEquals(await exists(`${project.path}/late`), false);
  assertEquals((await project.call("answer", stopped.run, "SQLite, please")).code, 0);
  const resumed = await project.play("resume", stopped.run);
  assertEquals(resumed.code, 0, resumed.stderr);
  const [first, second, ...more] = await project.prompts();
  assertEquals([second?.sessionId, more.length], [first?.sessionId, 0]);
  assertStringIncludes(second?.text ?? "", "SQLite, please");
  assertNotMatch(second?.text ?? "", /Build a login/);
});

Deno.test("a session that is lost: a new one gets everything, with the answer", async () => {
  await using project = await acpExecProject();
  const turns = [
    { steps: [{ run: ["panewright", "ask", "Which?"] }] },
    { steps: [{ say: "Done." }] },
  ] as const;
  await project.script({ turns });
  const { run } = await project.play("exec", "task.md");
  await project.call("answer", run, "Any");
  await project.script({ turns, cannotLoad: true, cannotResume: true });
  const resumed = await project.play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  const [first, second] = await project.prompts();
  assert(first?.sessionId !== second?.sessionId);
  for (const text of ["Build a login.", "Which?", "Any"]) assertStringIncludes(second?.text ?? "", text);
});

Deno.test("a question of the protocol reaches a person, and the answer its session", async () => {
  await using project = await acpExecProject({ config: { permissions: AUTOMATIC } });
  const schema = { type: "object", properties: { db: { type: "string", enum: ["MySQL", "SQLite"] } } };
  await project.script({ turns: [{ steps: [{ elicit: "Which database?", schema }] }, { steps: [{ say: "Good." }] }] });
  const { run, code, events } = await project.play("exec", "task.md");
  assertEquals(code, 3);
  assertStringIncludes(String(events.find(({ type }) => type === "question_waiting")?.["text"]), "Which database?");
  await project.call("answer", run, "SQLite");
  assertEquals((await project.play("resume", run)).code, 0);
  assertStringIncludes((await project.prompts())[1]?.text ?? "", "SQLite");
});

Deno.test("a permission of the policy's ask: a person's yes lets the same call pass, once", async () => {
  await using project = await acpExecProject({
    config: { permissions: { ...AUTOMATIC, default: "ask" } },
    step: { check: { type: "fileExists", path: "pushed" } },
  });
  await project.script({ turns: [{ steps: [push] }, { steps: [push, { say: "Pushed." }] }, { steps: [push] }] });
  const { run, code, events } = await project.play("exec", "task.md");
  assertEquals(code, 3);
  const question = String(events.find(({ type }) => type === "question_waiting")?.["text"]);
  assertStringIncludes(question, "May it do this? The agent asks for permission: the command `git push`");
  await project.sandbox.assertNothingLeft();
  assertEquals(await exists(`${project.path}/pushed`), false);
  assertEquals((await project.call("answer", run, "yes")).code, 0);
  const resumed = await project.play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertEquals((await recordsOf(project, run, "call_decided")).map(({ decision, rule }) => [decision, rule]), [
    ["ask", "default"],
    ["allow", "person"],
  ]);
});

Deno.test("a command with a secret in it, which is masked where it is shown, takes no yes: it stays open, and a no counts", async () => {
  await using project = await acpExecProject({ step: { check: { type: "fileExists", path: "task.md" } } });
  const secret = "curl -H 'Authorization: Bearer sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789' localhost";
  const asks = { permission: "Ask it", command: secret, allowed: [{ write: "asked", text: "" }] };
  await project.script({ turns: [{ steps: [asks] }, { steps: [asks, { say: "Then not." }] }] });
  const { run, code } = await project.play("exec", "task.md");
  assertEquals(code, 3);
  const [question] = (await project.call("questions", "--json")).stdout.split("\n").map((line) =>
    JSON.parse(line || "{}")
  );
  assertEquals([question?.id, question?.shown], ["q1", "masked"]);
  const refused = await project.call("answer", run, "--question", "q1", "yes");
  assertEquals(refused.code, 3);
  assertStringIncludes(refused.stderr, "Cannot say yes to q1");
  assertStringIncludes(refused.stderr, "looks like a secret and is masked where it is shown");
  assertEquals((await project.call("answer", run, "--question", "q1", "no, use the test server")).code, 0);
  assertEquals((await project.play("resume", run)).code, 0);
  assertEquals(await exists(`${project.path}/asked`), false);
});

Deno.test("a person's no holds for the whole step", async () => {
  await using project = await acpExecProject({ step: { check: { type: "fileExists", path: "task.md" } } });
  await project.script({
    turns: [{ steps: [push] }, { steps: [push, push, { say: "Then not." }] }],
  });
  const { run } = await project.play("exec", "task.md");
  assertEquals((await project.call("answer", run, "no, it is not yours")).code, 0);
  const resumed = await project.play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertEquals(await exists(`${project.path}/pushed`), false);
  const decisions = (await recordsOf(project, run, "call_decided")).map(({ decision }) => decision);
  assertEquals(decisions, ["ask", "deny", "deny"]);
});

Deno.test("a call that the policy denies is refused; a step that did nothing else, and has no check, has failed", async () => {
  await using project = await acpExecProject({
    config: { permissions: { ...AUTOMATIC, default: "ask", deny: [{ command: "git push*" }] } },
  });
  await project.script(once(push, { say: "I am done." }));
  const { code, events } = await project.play("exec", "task.md");
  assertEquals(code, 1);
  assertStringIncludes(String(events.find(({ type }) => type === "run_finished")?.["reason"]), "git push");
  assertEquals(await exists(`${project.path}/pushed`), false);
});

Deno.test("an entry of deny is refused for an agent that does not ask before all it does, before anything starts", async () => {
  await using project = await acpExecProject({
    config: { permissions: { deny: [{ command: "git push*" }] } },
    pack: { ask_mode: { id: "default", asks_before: ["edit"] } },
  });
  await project.script(once({ say: "Hi." }));
  const { code, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "cannot keep the entries of permissions.deny and permissions.ask with fake");
  assertEquals(await exists(`${project.path}/.panewright/runs`), false);
});

Deno.test("kill -9 of panewright: its agent dies with it, and resume begins the attempt anew", async () => {
  await using project = await acpExecProject();
  await project.script({
    turns: [{
      steps: [
        { say: "I begin." },
        { call: "c", fields: { title: "Look", kind: "read" } },
        { write: "begun", text: "" },
        { await: "go" },
      ],
    }, {
      steps: [{ say: "Ended." }],
    }],
  });
  await using running = project.start("exec", "task.md", "--json");
  await until(async () => (await project.logs()).includes("said: I begin."));
  running.kill("SIGKILL");
  await running.ended;
  await project.sandbox.assertNothingLeft();
  const { run } = JSON.parse((await project.call("runs", "--json")).stdout.split("\n")[0] ?? "");
  const resumed = await project.play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  const [, second, ...more] = await project.prompts();
  assertEquals(more, []);
  assertStringIncludes(second?.text ?? "", "I begin.");
  assertEquals((await recordsOf(project, run, "attempt_finished")).length, 1);
});

Deno.test("an ask that nobody heard because panewright was killed waits for its answer at resume", async () => {
  await using project = await acpExecProject();
  await project.script({ turns: [{ steps: [{ write: "begun", text: "" }, { await: "go" }] }, { steps: [] }] });
  await using running = project.start("exec", "task.md", "--json");
  await until(() => exists(`${project.path}/begun`));
  running.kill("SIGKILL");
  await running.ended;
  const { run } = JSON.parse((await project.call("runs", "--json")).stdout.split("\n")[0] ?? "");
  const [started] = await recordsOf(project, run, "attempt_started");
  const folder = `${project.path}/.panewright/runs/${run}/${started?.["folder"]}/ask`;
  const record = { version: 1, question: "Lost?", attempt: "x", askedAt: "2026-11-22T10:00:00.000Z" };
  await Deno.writeTextFile(`${folder}/lost.json`, JSON.stringify(record));
  assertEquals((await project.play("resume", run)).code, 3);
  const [asked] = await recordsOf(project, run, "question_asked");
  assertEquals(asked?.["text"], "Lost?");
});

const FAILURES: readonly (readonly [name: string, steps: readonly FakeStep[], reason: RegExp])[] = [
  [
    "the time limit stops a turn without end",
    [{ say: "On and on." }, { never: true }],
    /the time limit of 2 s has passed/,
  ],
  [
    "an agent that dies",
    [{ stderr: "out of memory" }, { kill: "SIGKILL" }],
    /before its turn was over.*out of memory/s,
  ],
  ["exit 0 after a denied tool", [{ ...push, rejected: [{ exit: 0 }] }], /before its turn was over/],
  ["a stop reason that is no end", [{ say: "Half" }, { end: "max_tokens" }], /max_tokens/],
  ["an end without a stop reason", [{ end: "" }, { never: true }], /./],
  ["a failed turn that is reported as completed", [{ say: "API Error: 529 Overloaded" }], /529/],
];

for (const [name, steps, reason] of FAILURES) {
  Deno.test(`a step over ACP fails: ${name}`, async () => {
    await using project = await acpExecProject({
      config: {
        permissions: { ...AUTOMATIC, default: "ask", deny: [{ command: "git push*" }] },
        handoff: { max_error_retries: 0 },
      },
      step: { time_limit_seconds: name.startsWith("the time limit") ? 2 : 600 },
      pack: { failures: [{ class: "overloaded", words: "^API Error: 529" }] },
    });
    await project.script(once(...steps));
    const { code, events, stderr } = await project.play("exec", "task.md");
    assertEquals(code, 1, stderr);
    assertMatch(String(events.find(({ type }) => type === "run_finished")?.["reason"]), reason);
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("a usage limit fails the step with the time of its end where it is not waited for", async () => {
  await using project = await acpExecProject({
    config: { exec: { wait_for_usage_limit_reset: false } },
    pack: { failures: [{ class: "usage_limit", words: "^You have hit your limit" }] },
  });
  await project.script(once({ fail: { code: -32000, message: "You have hit your limit. Try again in 2 hours." } }));
  const { code, events } = await project.play("exec", "task.md");
  assertEquals(code, 1);
  const finished = events.find(({ type }) => type === "run_finished");
  assertMatch(String(finished?.["reason"]), /the account's usage limit was reached \(until .*You have hit your limit/);
});

Deno.test("an agent that acts without asking ends the run with that reason", async () => {
  await using project = await acpExecProject({ config: { permissions: AUTOMATIC } });
  const fields = { title: "rm", kind: "execute", rawInput: { command: "rm -r src" } };
  await project.script(once({ call: "c1", status: "completed", fields }, { say: "Gone." }));
  const { code, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 3);
  assertStringIncludes(stderr, "without asking");
  assertStringIncludes(stderr, "rm -r src");
});

Deno.test("a mode that is not the one that was set ends the run with that reason", async () => {
  await using project = await acpExecProject();
  await project.script({ ...once({ say: "Hi." }), modes: ["yolo", "default"], setMode: "ignored" });
  const { code, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "it does not confirm that it is in the mode default");
  assertEquals((await project.prompts()).length, 0);
});

Deno.test("what a step writes outside of file_access is refused where it asks, and found where it does not", async () => {
  await using project = await acpExecProject({
    config: { permissions: { ...AUTOMATIC, default: "allow" } },
    step: { file_access: { allow_write: ["src/**"] } },
    pack: { ask_mode: { id: "default", asks_before: ["edit"] } },
  });
  await Deno.mkdir(`${project.path}/src`);
  await project.script(once(
    { permission: "Edit", path: `${project.path}/src/a.ts`, allowed: [{ write: "src/a.ts", text: "a" }] },
    { permission: "Edit", path: `${project.path}/b.ts`, allowed: [{ write: "b.ts", text: "b" }] },
    { say: "Both." },
  ));
  const refused = await project.play("exec", "task.md");
  assertEquals(refused.code, 0, refused.stderr);
  assertEquals([await exists(`${project.path}/src/a.ts`), await exists(`${project.path}/b.ts`)], [true, false]);
  await project.script(once({ write: "c.ts", text: "c" }, { say: "By the way." }));
  const found = await project.play("exec", "task.md");
  assertEquals(found.code, 1);
  assertStringIncludes(
    String(found.events.find(({ type }) => type === "run_finished")?.["reason"]),
    "it changed files outside of allow_write: c.ts",
  );
});

Deno.test("a dry run starts nothing, and tells how the agent would be started; a sandbox is refused", async () => {
  await using project = await acpExecProject({ step: { args: ["--verbose"] } });
  await project.script(once({ say: "Hi." }));
  const dry = await project.run("exec", "task.md", "--dry-run");
  assertEquals(dry.code, 0, dry.stderr);
  assertStringIncludes(dry.stdout, "acp_fake_agent.ts");
  assertStringIncludes(dry.stdout, "--verbose");
  assertEquals((await project.prompts()).length, 0);
  await using boxed = await acpExecProject({ config: { sandbox: "cli" } });
  await boxed.script(once({ say: "Hi." }));
  const refused = await boxed.run("exec", "task.md");
  assertEquals(refused.code, 2);
  assertMatch(refused.stderr, /sandbox/);
  assertEquals((await boxed.prompts()).length, 0);
});

Deno.test("hostile text of an agent never reaches the terminal as it is", async () => {
  await using project = await acpExecProject();
  const evil = "\x1b]52;c;aGk=\x07\x1b[2J\u202eevil\n✓ PASS  forged";
  const fields = { title: evil, kind: "read", locations: [{ path: evil }] };
  await project.script(once({ think: evil }, { call: "c", fields }, { call: "c", status: "completed" }, { say: evil }, {
    stderr: evil,
  }, { line: evil }));
  const { code, stdout, stderr } = await project.run("exec", "task.md", "--verbose");
  assertEquals(code, 0, stderr);
  for (const text of [stdout, stderr]) {
    for (const control of ["\x1b", "\x07", "\u202e"]) assertEquals(text.includes(control), false);
    assertEquals(text.split("\n").filter((line) => line.startsWith("✓ PASS  forged")), []);
  }
});

Deno.test("an agent that is not logged in: a person is needed, and nothing of the run is lost", async () => {
  await using project = await acpExecProject();
  await project.script({ ...once({ say: "Hi." }), login: "browser" });
  const { code, stderr, run } = await project.play("exec", "task.md");
  assertEquals(code, 3);
  assertStringIncludes(stderr, "Cannot use Fake: it is not logged in");
  await project.sandbox.assertNothingLeft();
  await project.script(once({ say: "Hi." }));
  const resumed = await project.play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("an agent that dies while it is given its prompt fails the attempt, with its last words, and a retry follows", async () => {
  const modes = { currentModeId: "default", availableModes: [{ id: "default", name: "Default" }] };
  const say = (id: number, result: unknown) => `read line; echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const dies = ["head -c 1 >/dev/null", "echo 'I fall' >&2", "exit 3"];
  const script = [say(0, { protocolVersion: 1 }), say(1, { sessionId: "s", modes }), ...dies].join("\n");
  await using project = await acpExecProject({
    config: { providers: { fake: { command: ["sh", "-c", script] } } },
    step: { retry: 1 },
  });
  // More than the system takes for a program that does not read.
  await Deno.writeTextFile(`${project.path}/task.md`, "Build a login.\n".repeat(30_000));
  const { code, run } = await project.play("exec", "task.md");
  assertEquals(code, 1);
  const attempts = await recordsOf(project, run, "attempt_finished");
  assertEquals(attempts.map(({ outcome }) => outcome), ["failed", "failed"]);
  for (const { error } of attempts) assertMatch(String(error), /ended before its turn was over: exit code 3: I fall$/);
});

Deno.test("an agent that dies at its start fails the attempt, and a retry gets another one", async () => {
  await using project = await acpExecProject({ step: { retry: 1 } });
  await project.script({ exitAtStart: 4, stderr: ["no licence"] });
  const { code, stderr, events } = await project.play("exec", "task.md");
  assertEquals(code, 1, stderr);
  assertStringIncludes(String(events.find(({ type }) => type === "run_finished")?.["reason"]), "no licence");
  assertEquals(events.filter(({ type }) => type === "attempt_started").length, 2);
});
