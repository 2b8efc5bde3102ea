import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { basename } from "@std/path/posix";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { type AcpRoles, acpRoles } from "../../support/acp_roles.ts";

/** A tester that asks to make a file, and then responds. */
function asksToMake(name: string, ...more: readonly FakeStep[]): FakeAgentScript {
  const making: FakeStep = {
    permission: "make a file",
    command: `touch ${name}`,
    allowed: [{ write: name, text: "" }],
    rejected: [{ say: "It was refused." }, { end: "end_turn" }, { never: true }],
  };
  return {
    turns: [{ steps: [making, ...more, { respond: "RESULT: PASS" }] }, { steps: [{ respond: "RESULT: PASS" }] }],
  };
}

async function openStage(script: FakeAgentScript, permissions: Readonly<Record<string, unknown>>): Promise<AcpRoles> {
  return await acpRoles({ scripts: { tester: script }, config: { start_agent: "tester", permissions } });
}

/** What was answered, by the journal. */
async function answers(stage: AcpRoles) {
  const records = (await stage.records()).filter(({ type }) => type === "dialog_answered");
  return records.map(({ subject, answer, rule, result }) => ({ subject, answer, rule, result }));
}

/** Answers a question of the run as a person does in another terminal. */
async function answer(stage: AcpRoles, question: string, text: string): Promise<void> {
  const { code, stderr } = await stage.call("answer", basename(await stage.folder()), "--question", question, text);
  assertEquals(code, 0, stderr);
}

/** The options by which the agent was answered, in their order. */
async function chosen(stage: AcpRoles): Promise<readonly unknown[]> {
  const messages = await stage.agents.tester.received();
  return messages.flatMap((message) => {
    const { outcome } = (message["result"] ?? {}) as { outcome?: { optionId?: string; outcome: string } };
    return outcome === undefined ? [] : [outcome.optionId ?? outcome.outcome];
  });
}

async function assertAudited(stage: AcpRoles, ...decisions: readonly string[]): Promise<void> {
  const { code, stdout } = await stage.call("audit", "verify");
  assertEquals(code, 0, stdout);
  const lines = (await Deno.readTextFile(`${await stage.folder()}/audit.ndjson`)).split("\n").slice(0, -1);
  const records = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "decision");
  assertEquals(records.map(({ decision, source, command }) => `${decision} ${source} ${command}`), decisions);
}

Deno.test("what the policy allows is allowed once, at once and never always; the audit log has it", async () => {
  await using stage = await openStage(asksToMake("made.txt"), {
    auto_accept: true,
    default: "ask",
    allow: ["touch made.txt"],
  });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 0, stderr);
  assert(await exists(`${stage.sandbox.project}/made.txt`));
  assertEquals(await chosen(stage), ["yes"]);
  const [answer] = await answers(stage);
  assertEquals([answer?.subject, answer?.answer, answer?.result], ["touch made.txt", "accept", "closed"]);
  await assertAudited(stage, "allow acp touch made.txt");
  // Not by the way of dialogs, which has a pause between two.
  assertStringIncludes(String((await stage.record("note"))["message"]), "Auto-accepting the request");
});

Deno.test("no more is allowed in a turn than the cap says", async () => {
  const script = asksToMake("made.txt", { permission: "again", command: "touch more.txt", allowed: [] });
  await using stage = await openStage(script, { auto_accept: true, allow: ["touch **"], accept_cap: 1 });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "1 dialogs were accepted, and no more are allowed in a turn");
  assertEquals((await chosen(stage)).filter((option) => option === "yes"), ["yes"]);
});

Deno.test("what the policy denies is rejected once, and the agent is told why", async () => {
  await using stage = await openStage(asksToMake("made.txt"), { auto_accept: true, deny: ["touch **"] });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 0, stderr);
  assert(!await exists(`${stage.sandbox.project}/made.txt`));
  assertEquals(await chosen(stage), ["no"]);
  await assertAudited(stage, "deny acp touch made.txt");
  const [, refusal] = await stage.received("tester", "session/prompt");
  assertStringIncludes(JSON.stringify(refusal), "touch made.txt");
});

Deno.test("a role's command that is masked where it is shown takes no yes, and waits for a no", async () => {
  const name = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  await using stage = await openStage(asksToMake(name), { auto_accept: true, default: "ask" });
  await using run = stage.start("run");
  const waiting = await stage.record("dialog_waiting");
  assertEquals([waiting["question"], waiting["shown"]], ["q1", "masked"]);
  assert(!JSON.stringify(waiting).includes(name));
  const refused = await stage.call("answer", basename(await stage.folder()), "--question", "q1", "yes");
  assertEquals(refused.code, 3);
  assertStringIncludes(refused.stderr, "looks like a secret and is masked where it is shown");
  await answer(stage, "q1", "no");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assert(!await exists(`${stage.sandbox.project}/${name}`));
  assertEquals(await chosen(stage), ["no"]);
});

Deno.test("a question that nobody answers in time stays open: it is listed, answered later, and the resumed run uses the answer", async () => {
  const [first] = asksToMake("made.txt").turns ?? [];
  await using stage = await openStage({ turns: [first!, first!] }, {
    auto_accept: true,
    default: "ask",
    dialog_timeout_seconds: 1,
  });
  const parked = await stage.call("run");
  assertEquals(parked.code, 3, parked.stderr);
  assertStringIncludes(parked.stderr, "The question stays open: answer it, then resume the run.");
  const id = basename(await stage.folder());
  const [question, ...others] = (await stage.call("questions", "--json")).stdout.trim().split("\n");
  assertEquals([JSON.parse(question ?? "{}").id, others.length], ["q1", 0]);
  assertStringIncludes((await stage.call("status")).stdout, "touch made.txt");
  await answer(stage, "q1", "yes");
  const { code, stderr } = await stage.call("resume", id);
  assertEquals(code, 0, stderr);
  assert(await exists(`${stage.sandbox.project}/made.txt`));
  assertEquals((await stage.call("questions", "--json")).stdout, "");
  const given = (await answers(stage)).filter(({ rule }) => rule === "person");
  assertEquals(given, [{ subject: "touch made.txt", answer: "accept", rule: "person", result: "closed" }]);
});

Deno.test("an answer to what the resumed agent does not ask again is told to be unused", async () => {
  await using stage = await openStage(asksToMake("made.txt"), {
    auto_accept: true,
    default: "ask",
    dialog_timeout_seconds: 1,
  });
  assertEquals((await stage.call("run")).code, 3);
  await answer(stage, "q1", "yes");
  const { code, stderr } = await stage.call("resume", basename(await stage.folder()));
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "the answer to q1 was not used: the agent has not asked that again");
  assert(!await exists(`${stage.sandbox.project}/made.txt`));
});

Deno.test("what a person has to decide about waits for panewright answer", async () => {
  await using stage = await openStage(asksToMake("made.txt"), { auto_accept: true, default: "ask" });
  await using run = stage.start("run");
  const waiting = await stage.record("dialog_waiting");
  assertEquals([waiting["subject"], waiting["question"], waiting["attachCommand"]], [
    "touch made.txt",
    "q1",
    undefined,
  ]);
  await answer(stage, "q1", "yes");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assert(await exists(`${stage.sandbox.project}/made.txt`));
  assertEquals((await answers(stage)).map(({ answer, rule }) => [answer, rule]), [["accept", "person"]]);
  await assertAudited(stage, "ask acp touch made.txt", "allow acp touch made.txt");
});

Deno.test("in a dry run the policy decides nothing: a person's answer is given, for there is no pane to give it in", async () => {
  await using stage = await openStage(asksToMake("made.txt"), {
    auto_accept: true,
    dry_run: true,
    allow: ["touch **"],
  });
  await using run = stage.start("run");
  const waiting = await stage.record("dialog_waiting");
  assertStringIncludes(String(waiting["reason"]), "This is a dry run; it would have been accepted.");
  await answer(stage, "q1", "no");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assert(!await exists(`${stage.sandbox.project}/made.txt`));
  assertEquals((await answers(stage)).map(({ answer, rule }) => [answer, rule]), [["decline", "person"]]);
});

Deno.test("a person's no reaches the agent with its reason", async () => {
  await using stage = await openStage(asksToMake("made.txt"), { auto_accept: true, default: "ask" });
  await using run = stage.start("run");
  await stage.record("dialog_waiting");
  await answer(stage, "q1", "no, there is one already");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await chosen(stage), ["no"]);
  const [, refusal] = await stage.received("tester", "session/prompt");
  assertStringIncludes(JSON.stringify(refusal), "there is one already");
});

Deno.test("two requests in one turn are answered one by one; a call that nobody understands is a person's", async () => {
  const unknown: FakeStep = {
    permission: "do something",
    fields: { kind: "other", rawInput: { what: "something" } },
    options: [{ optionId: "always", name: "Always", kind: "allow_always" }, {
      optionId: "sure",
      name: "Sure",
      kind: "allow_once",
    }],
    allowed: [{ write: "second.txt", text: "" }],
  };
  await using stage = await openStage(asksToMake("made.txt", unknown), { auto_accept: true, allow: ["touch **"] });
  await using run = stage.start("run");
  await stage.record("dialog_waiting");
  await answer(stage, "q1", "yes");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await chosen(stage), ["yes", "sure"]);
  assert(await exists(`${stage.sandbox.project}/second.txt`));
});

Deno.test("an agent that offers only an always is asked nothing of it: a person's yes cannot be given, a no ends its turn", async () => {
  const always: FakeStep = {
    permission: "do something",
    command: "touch made.txt",
    options: [{ optionId: "always", name: "Always", kind: "allow_always" }],
    allowed: [{ write: "made.txt", text: "" }],
  };
  await using stage = await openStage(
    { turns: [{ steps: [always] }, { steps: [{ respond: "RESULT: PASS" }] }] },
    { auto_accept: true, allow: ["touch **"] },
  );
  await using run = stage.start("run");
  const waiting = await stage.record("dialog_waiting");
  assertStringIncludes(String(waiting["reason"]), "no plain yes");
  await answer(stage, "q1", "yes");
  const again = await stage.record("dialog_waiting", ({ question }) => question === "q2");
  assertStringIncludes(String(again["reason"]), "could not be given");
  await answer(stage, "q2", "no");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await chosen(stage), ["cancelled"]);
  assert(!await exists(`${stage.sandbox.project}/made.txt`));
});

Deno.test("a question of the agent is a person's to answer", async () => {
  const schema = {
    type: "object",
    properties: { database: { type: "string", title: "Which database?", enum: ["PostgreSQL", "SQLite"] } },
    required: ["database"],
  };
  await using stage = await openStage(
    { turns: [{ steps: [{ elicit: "Which database?", schema }, { respond: "RESULT: PASS" }] }] },
    { auto_accept: true },
  );
  await using run = stage.start("run");
  const waiting = await stage.record("dialog_waiting");
  assertEquals([waiting["kind"], waiting["question"]], ["question", "q1"]);
  await answer(stage, "q1", "SQLite");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals((await answers(stage)).map(({ answer }) => answer), ["reply"]);
  const received = JSON.stringify(await stage.agents.tester.received());
  assertStringIncludes(received, '"SQLite"');
});

Deno.test("a question that cannot be put to a person can be declined", async () => {
  const schema = { type: "object", properties: { servers: { type: "object", properties: {} } } };
  await using stage = await openStage(
    {
      turns: [{ steps: [{ elicit: "Which servers?", schema }, { respond: "RESULT: PASS" }] }, {
        steps: [{ respond: "RESULT: PASS" }],
      }],
    },
    { auto_accept: true },
  );
  await using run = stage.start("run");
  await stage.record("dialog_waiting", ({ question }) => question === "q1");
  await answer(stage, "q1", "no");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertStringIncludes(JSON.stringify(await stage.agents.tester.received()), '"decline"');
});

Deno.test("an agent that acts without asking, although its mode says ask, ends the run with that reason", async () => {
  await using stage = await openStage(
    {
      turns: [{
        steps: [
          {
            call: "c1",
            status: "in_progress",
            fields: { title: "rm", kind: "execute", rawInput: { command: "rm -rf x" } },
          },
          { call: "c1", status: "completed" },
          { await: "never" },
        ],
      }],
    },
    { auto_accept: true },
  );
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 3, stderr);
  assertStringIncludes(stderr, "rm -rf x");
  assertEquals((await stage.records()).filter(({ type }) => type === "agent_lost"), []);
  await stage.sandbox.assertNothingLeft();
});

/** A tester that is allowed to edit a file of the project, and tells then what it has edited. */
function edits(path: string, { told }: { readonly told: string }): FakeAgentScript {
  const done = { sessionUpdate: "tool_call_update", toolCallId: "call-0", status: "completed" };
  const files = { locations: [{ path: told }], content: [{ type: "diff", path: told, newText: "x" }] };
  const steps: FakeStep[] = [
    { permission: "Edit", path, allowed: [{ write: path, text: "x" }] },
    { update: { ...done, ...files } },
    { respond: "RESULT: PASS" },
  ];
  return { turns: [{ steps }] };
}

Deno.test("security: an agent that edits another file than the one that it was allowed to ends the run with that reason", async () => {
  await using stage = await openStage(edits("made.txt", { told: "../other.txt" }), {
    auto_accept: true,
    default: "allow",
  });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 3, stderr);
  assertStringIncludes(stderr, "The agent was allowed to change made.txt, and changes something else: ../other.txt.");
  await stage.sandbox.assertNothingLeft();
});

Deno.test("an agent that tells a file by another path than the one that it asked with does what it was allowed", async () => {
  for (const told of ["made.txt", "./sub/../made.txt", "linked/made.txt"]) {
    await using stage = await openStage(edits("made.txt", { told }), { auto_accept: true, default: "allow" });
    await Deno.symlink(".", `${stage.sandbox.project}/linked`);
    await Deno.mkdir(`${stage.sandbox.project}/sub`);
    const { code, stderr } = await stage.call("run");
    assertEquals(code, 0, stderr);
  }
});

Deno.test("an agent that keeps another mode than the one that was set is not used", async () => {
  await using stage = await openStage({ modes: ["yolo", "default"], setMode: "ignored" }, { auto_accept: true });
  const { code, stderr } = await stage.call("run");
  assert(code !== 0);
  assertStringIncludes(stderr, "the mode default");
  assertEquals(await stage.received("tester", "session/prompt"), []);
});

Deno.test("a request that nobody answers in time stops the run for a person", async () => {
  await using stage = await openStage(asksToMake("made.txt"), {
    auto_accept: true,
    default: "ask",
    dialog_timeout_seconds: 1,
  });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 3, stderr);
  assertStringIncludes(stderr, "touch made.txt");
  assert(!await exists(`${stage.sandbox.project}/made.txt`));
});
