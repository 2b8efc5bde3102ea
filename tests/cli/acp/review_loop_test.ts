import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROLES } from "../../../lib/base/roles.ts";
import type { FakeAgentScript } from "../../lab/acp_fake_agent.ts";
import { acpRoles, responding } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";

Deno.test("a review loop with five agents over ACP ends in PASS where there is no tmux", async () => {
  await using stage = await acpRoles();
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals([code, stderr.match(/error:.*/)?.[0]], [0, undefined], stdout + stderr);
  const records = await stage.records();
  const ofType = (type: string) => records.filter((record) => record.type === type);
  assertEquals(ofType("session_opening"), []);
  assertEquals(ofType("agent_ready").map(({ role }) => role).toSorted(), [...ROLES].toSorted());
  assertEquals(ofType("response_received").map(({ role }) => role), [...ROLES]);
  assertEquals(ofType("reminder_sent"), []);
  const [end] = ofType("status_changed").filter(({ status, role }) => status === "completed" && role === "tester");
  assertEquals(end?.["rule"], "acp.stop_reason");
  assertStringIncludes(String(end?.["record"]), "end_turn");
  const explained = await stage.call("explain", "--run", "@1", "--role", "tester");
  assertMatch(explained.stdout, /tester: completed, by acp\.stop_reason: .*end_turn/);
  const { stdout: json } = await stage.call("explain", "--run", "@1", "--json");
  assertEquals(json.split("\n").length - 1, ofType("status_changed").length);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("a run has roles over ACP and roles in panes: only these have tmux", async () => {
  const replay = { roles: { tester: { turns: [[{ respond: "RESULT: PASS\nIt is as it should be." }]] } } };
  await using stage = await acpRoles({
    tmux: true,
    config: {
      roles: { tester: { provider: "replay", command: undefined, args: ["--script", "replay.json"] } },
    },
  });
  await Deno.writeTextFile(`${stage.sandbox.project}/replay.json`, JSON.stringify(replay));
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals(code, 0, stdout + stderr);
  const started = (await stage.records()).filter(({ type }) => type === "agent_starting");
  assertEquals(
    Object.fromEntries(started.map(({ role, protocol }) => [String(role), protocol])),
    { ...Object.fromEntries(ROLES.map((role) => [role, "acp"])), tester: undefined },
  );
  assertEquals((await stage.records()).filter(({ type }) => type === "session_opening").length, 1);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("an agent that rests without its response file is reminded of it", async () => {
  await using stage = await acpRoles({
    scripts: {
      tester: {
        turns: [{ when: "Scenario|scenario", steps: [{ say: "I am done." }] }, ...responding("tester").turns!],
      },
    },
    config: { start_agent: "tester" },
  });
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals(code, 0, stdout + stderr);
  assertEquals((await stage.records()).filter(({ type }) => type === "reminder_sent").length, 1);
  assertEquals((await stage.received("tester", "session/prompt")).length, 2);
});

Deno.test("a response that comes after the end of the turn is taken, and nobody is reminded", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { turns: [{ steps: [{ later: [{ await: "go" }, { respond: "RESULT: PASS" }] }] }] } },
    config: { start_agent: "tester", handoff: { idle_grace_seconds: 600 } },
  });
  await using run = stage.start("run");
  await stage.record("status_changed", ({ status }) => status === "completed");
  await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals((await stage.records()).filter(({ type }) => type === "reminder_sent"), []);
});

Deno.test("an agent that dies in the middle of a turn is started again, with its session, and told to continue", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { turns: [{ steps: [{ say: "I begin." }, { exit: 3 }] }, ...responding("tester").turns!] } },
    config: { start_agent: "tester" },
  });
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals(code, 0, stdout + stderr);
  const lost = await stage.record("agent_lost");
  assertStringIncludes(String(lost["reason"]), "3");
  const [first, second, ...others] = await stage.received("tester", "session/prompt");
  assertEquals(others, []);
  assertEquals((second!["params"] as Params).sessionId, (first!["params"] as Params).sessionId);
  assertEquals((await stage.received("tester", "session/load")).length, 1);
  assert(textOf(second!).length < textOf(first!).length, "the prompt was sent once more");
  await stage.sandbox.assertNothingLeft();
});

Deno.test("an agent that never tells the end of its turn: its response is taken once it rests, and the turn is cancelled", async () => {
  // That it says so itself spares the silence that is waited for otherwise.
  const rests = { update: { sessionUpdate: "state_update", state: "idle" } };
  const steps = [{ say: "I begin." }, { respond: "RESULT: PASS" }, rests, { never: true as const }];
  await using stage = await acpRoles({
    scripts: { tester: { turns: [{ steps }] } },
    config: { start_agent: "tester" },
  });
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals(code, 0, stdout + stderr);
  const end = await stage.record("status_changed", ({ status }) => status === "completed");
  assertEquals(end["rule"], "acp.response");
  assert((await stage.received("tester", "session/cancel")).length > 0);
  await stage.sandbox.assertNothingLeft();
});

for (const acknowledge of ["m1", ""]) {
  const by = acknowledge === "" ? "by nothing at all, as in its earlier drafts" : "by the id of its message";
  Deno.test(`a prompt that is only acknowledged, as in version 2 of the protocol, ${by}: its turn ends when the agent rests`, async () => {
    const rests = { update: { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" } };
    const steps = [{ acknowledge }, { say: "I begin." }, { await: "go" }, { respond: "RESULT: PASS" }, rests];
    await using stage = await acpRoles({
      scripts: { tester: { turns: [{ steps }] } },
      config: { start_agent: "tester", handoff: { idle_grace_seconds: 0 } },
    });
    await using run = stage.start("run");
    await stage.record("status_changed", ({ status }) => status === "processing");
    await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
    const { code, stderr } = await run.ended;
    assertEquals(code, 0, stderr);
    assertEquals((await stage.records()).filter(({ type }) => type === "reminder_sent"), []);
    const end = await stage.record("status_changed", ({ status }) => status === "completed");
    assertEquals(end["rule"], "acp.stop_reason");
  });
}

Deno.test("a turn of version 2 that ends with an error has failed, with the agent's words", async () => {
  const fails = {
    sessionUpdate: "state_update",
    state: "idle",
    stopReason: "error",
    error: { message: "model exploded" },
  };
  const steps = [{ acknowledge: "m1" }, { say: "I begin." }, { update: fails }];
  await using stage = await acpRoles({
    scripts: { tester: { turns: [{ steps }] } },
    config: { start_agent: "tester", handoff: { max_error_retries: 0 } },
  });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "model exploded");
});

Deno.test("tokens are counted in the journal, and end the run at their cap", async () => {
  const tokens = { inputTokens: 900, outputTokens: 100, totalTokens: 1000 };
  const counted: FakeAgentScript = {
    turns: [{ steps: [{ respond: ANSWERS.programmer }, { end: "end_turn", fields: { usage: tokens } }] }],
  };
  await using stage = await acpRoles({
    scripts: { programmer: counted, programmer_review: counted, tester: counted },
    config: { start_agent: "programmer", limits: { max_tokens: 1000 } },
  });
  const { code, stdout, stderr } = await stage.call("run");
  assertEquals(code, 3, stdout + stderr);
  assertStringIncludes(stderr, "max_tokens");
  const [count] = (await stage.records()).filter(({ type }) => type === "tokens_counted");
  assertEquals(count?.["role"], "programmer");
  assertEquals((await stage.received("programmer_review", "session/prompt")).length, 0);
});

Deno.test("a turn that fails in passing is tried again; one that fails for good ends the run with the agent's words", async () => {
  const failing = (message: string): FakeAgentScript => ({
    turns: [{ steps: [{ fail: { code: -32603, message } }] }, ...responding("tester").turns!],
  });
  const pack = {
    failures: [{ class: "overloaded", words: "^Overloaded" }, { class: "model", words: "^No such model" }],
  };
  const config = { start_agent: "tester", handoff: { error_retry_seconds: 0.2 } };
  await using passing = await acpRoles({ scripts: { tester: failing("Overloaded") }, pack, config });
  const passed = await passing.call("run");
  assertEquals(passed.code, 0, passed.stderr);
  assertEquals((await passing.record("agent_failed"))["class"], "overloaded");
  await using lasting = await acpRoles({ scripts: { tester: failing("No such model") }, pack, config });
  const failed = await lasting.call("run");
  assertEquals(failed.code, 1, failed.stderr);
  assertStringIncludes(failed.stderr, "No such model");
  const evidence = await Array.fromAsync(Deno.readDir(`${await lasting.folder()}/evidence`));
  assertEquals(evidence.map(({ name }) => name.replace(/^.*\./, "")), ["txt"]);
});

Deno.test("without strict handoff what the agent said last is its response", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { turns: [{ steps: [{ say: "I looked.\nRESULT: PASS" }] }] } },
    config: { start_agent: "tester", handoff: { strict_file_handoff: false, max_file_reminders: 0 } },
  });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 0, stderr);
});

Deno.test("an agent that cannot be started ends the run with its last words, and leaves nothing", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { stderr: ["cannot read its settings"], exitAtStart: 7 } },
    config: { start_agent: "tester" },
  });
  const { code, stderr } = await stage.call("run");
  assert(code !== 0);
  assertStringIncludes(stderr, "cannot read its settings");
  await stage.sandbox.assertNothingLeft();
});

interface Params {
  readonly sessionId: string;
  readonly prompt: readonly { readonly text: string }[];
}

function textOf(message: Readonly<Record<string, unknown>>): string {
  return (message["params"] as Params).prompt.map(({ text }) => text).join("\n");
}

Deno.test("a role whose conversation was made shorter in its turn gets all of the job with its next prompt, another one what changed", async () => {
  const update = { sessionUpdate: "compaction_update", status: "completed" };
  for (const steps of [[{ update }], []] as const) {
    await using stage = await acpRoles({
      scripts: {
        analyst: {
          turns: [{ steps: [...steps, { respond: ANSWERS.analyst }] }, { steps: [{ respond: ANSWERS.analyst }] }],
        },
      },
      config: {
        limits: { min_review_cycles_before_approval: 2 },
        condensation: { max_cross_phase_lines: 1 },
        ...LONG_JOB,
      },
    });
    const { code, stderr } = await stage.call("run");
    assertEquals(code, 0, stderr);
    const prompts = (await stage.received("analyst", "session/prompt")).map((one) => JSON.stringify(one));
    assertEquals(prompts.length, 2);
    assertEquals(prompts.map((prompt) => prompt.includes("EXPLORE SUMMARY, condensed")), [false, steps.length === 0]);
    const compacted = (await stage.records()).filter(({ type }) => type === "agent_compacted");
    assertEquals(compacted.map(({ role, times }) => [role, times]), steps.map(() => ["analyst", 1]));
  }
});

/** A job whose summary has more lines than a role is told again. */
const LONG_JOB = {
  prompt_file: undefined,
  prompt: `Greet.\n\n*** ORIGINAL EXPLORE SUMMARY ***\n${
    Array.from({ length: 30 }, (_, line) => `Line ${line} of what was found.`).join("\n")
  }\n\n*** SCENARIO TEST ***\nIt greets.\n`,
};
