import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import type { BuiltInRole } from "../../../lib/base/roles.ts";
import { acpRoles } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import { until } from "../../support/until.ts";

const OF_MESSAGE = "A message from outside";

/** An agent that answers a message, and otherwise does its part after these steps. */
function answering(role: BuiltInRole, answer: readonly FakeStep[], ...steps: readonly FakeStep[]): FakeAgentScript {
  return {
    turns: [
      { when: "No response is wanted", times: 99, steps: [{ say: "Noted." }] },
      { when: OF_MESSAGE, times: 99, steps: [...answer, { say: "Done." }] },
      { steps: [...steps, { respond: ANSWERS[role] }, { say: "Done." }] },
    ],
  };
}

Deno.test("send: an agent at rest answers while another works; the loop, its rounds and verdicts stay as they are", async () => {
  await using stage = await acpRoles({
    scripts: {
      analyst: answering("analyst", [{ respond: `The port is 8443, the token ghp_${"a1".repeat(18)}.` }]),
      programmer: answering("programmer", [{ respond: "Yes." }], { await: "go" }),
    },
  });
  await using run = stage.start("run");
  await stage.record("turn_started", ({ role }) => role === "programmer");
  const sent = await stage.call("send", "@1", "analyst", "--wait", "--key", "k1", "Which port?");
  // The file has it as it is; what is shown, nobody knows who reads.
  const response = `The port is 8443, the token ${createRedactor([]).text(`ghp_${"a1".repeat(18)}`)}.\n`;
  assertEquals([sent.code, sent.stdout, response.includes("a1a1")], [0, response, false], sent.stderr);
  // The same key: the same message, and its response.
  const again = await stage.call("send", "@1", "analyst", "--wait", "--key", "k1", "Which port?");
  assertEquals([again.code, again.stdout], [0, response], again.stderr);
  const other = await stage.call("send", "@1", "analyst", "--key", "k1", "Which host?");
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, "another message of run");
  // Its agent has a turn of its own, so this one waits; so it is with one that wants no response.
  const waits = await stage.call("send", "@1", "programmer", "--json", "Are you done?");
  const { message } = JSON.parse(waits.stdout);
  await stage.record("message_received", ({ messageId }) => messageId === message);
  const quiet = await stage.call("send", "@1", "analyst", "--no-response", "--wait", "FYI: tests are slow.");
  assertEquals([quiet.code, quiet.stdout], [0, ""], quiet.stderr);
  const status = await stage.call("status");
  assertStringIncludes(
    status.stdout,
    `${message} from a person or program (panewright send): waits until programmer is at rest`,
  );
  assertEquals((await stage.records()).filter(({ type }) => type === "message_started").length, 2);
  await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  const records = await stage.records();
  const of = (type: string) => records.filter((record) => record.type === type);
  assertEquals(of("message_answered").map(({ role }) => role), ["analyst", "analyst", "programmer"]);
  assertEquals(of("message_failed"), []);
  assertEquals(of("turn_started").length, 5);
  assertEquals(of("round_finished").map(({ verdict }) => verdict), ["PASS"]);
  assertEquals(of("review_decided").map(({ verdict }) => verdict), ["APPROVED", "APPROVED"]);
  // The programmer's own turn was over before its message was sent.
  const index = (type: string, accept: (record: typeof records[number]) => boolean) =>
    records.findIndex((record) => record.type === type && accept(record));
  assert(
    index("response_received", ({ role }) => role === "programmer") <
      index("message_started", ({ messageId }) => messageId === message),
  );
  const prompts = await stage.received("analyst", "session/prompt");
  assertEquals(prompts.length, 3);
  assertStringIncludes(JSON.stringify(prompts[1]), "Which port?");
  assertMatch(JSON.stringify(prompts[1]), /a person or a program at this machine's command line/);
});

Deno.test("send: what cannot be sent is refused with the reason, and a message that fails leaves the run alone", async () => {
  await using stage = await acpRoles({
    scripts: {
      analyst: answering("analyst", [{ say: "I will not." }]),
      programmer: answering("programmer", [], { await: "go" }),
    },
    config: { handoff: { max_file_reminders: 0 } },
  });
  await using run = stage.start("run");
  await stage.record("turn_started", ({ role }) => role === "programmer");
  for (
    const [args, problem] of [
      [["@1", "analist", "Hello"], 'no such role (did you mean "analyst"?)'],
      [["@1", "analyst", " "], "it is empty"],
      [["@1", "analyst", "--key", "k".repeat(257), "Hello"], "1 to 256 characters"],
      [["20200101-000000-0000", "analyst", "Hello"], "20200101-000000-0000"],
    ] as const
  ) {
    const { code, stderr } = await stage.call("send", ...args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, problem);
  }
  const failed = await stage.call("send", "@1", "analyst", "--wait", "Hello");
  assertEquals(failed.code, 1);
  assertMatch(failed.stderr, /without a usable response file/);
  const json = await stage.call("send", "@1", "analyst", "--wait", "--json", "Hello again");
  assertEquals(json.code, 1);
  assertEquals(JSON.parse(json.stdout.trim().split("\n")[1]!).status, "failed");
  await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
  assertEquals((await run.ended).code, 0);
  const late = await stage.call("send", "@1", "analyst", "Hello");
  assertEquals(late.code, 2);
  assertStringIncludes(late.stderr, "it is over (pass)");
});

Deno.test("send: a message for a run that was killed is sent when it is resumed, once; one that comes too late fails", async () => {
  await using stage = await acpRoles({
    scripts: {
      analyst: answering("analyst", [{ await: "answer" }, { respond: "Eight." }]),
      programmer: answering("programmer", [{ respond: "Yes." }], { await: "go" }),
      tester: answering("tester", [{ respond: "Late." }], { await: "end" }),
    },
  });
  await using run = stage.start("run");
  await stage.record("turn_started", ({ role }) => role === "programmer");
  const first = await stage.call("send", "@1", "analyst", "--json", "How many?");
  const { message } = JSON.parse(first.stdout);
  await stage.record("message_sent", ({ turnId }) => turnId === message);
  Deno.kill(run.pid, "SIGKILL");
  await run.ended;
  const waiting = await stage.call("send", "@1", "analyst", "--wait", "Second?");
  assertEquals(waiting.code, 1);
  assertStringIncludes(waiting.stderr, "Resume with");
  await Deno.writeTextFile(`${stage.sandbox.project}/answer`, "");
  await using resumed = stage.start("resume", "@1");
  await until(
    async () => (await stage.records()).filter(({ type }) => type === "message_answered").length,
    (count) => count === 2,
  );
  await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
  await stage.record("turn_started", ({ role }) => role === "tester");
  const late = await stage.call("send", "@1", "tester", "--json", "Too late?");
  await stage.record("message_received", ({ messageId }) => messageId === JSON.parse(late.stdout).message);
  await Deno.writeTextFile(`${stage.sandbox.project}/end`, "");
  const { code, stderr } = await resumed.ended;
  assertEquals(code, 0, stderr);
  const records = await stage.records();
  const prompts = (await stage.received("analyst", "session/prompt")).map((prompt) => JSON.stringify(prompt));
  assertEquals(prompts.filter((prompt) => prompt.includes("Second?")).length, 1);
  assertEquals(records.filter(({ type }) => type === "message_received").length, 3);
  const ends = records.filter(({ type }) => type === "message_answered" || type === "message_failed");
  assertEquals(ends.length, 3);
});

Deno.test("send: the turn that a killed run was in the middle of is over before a message for the same agent is sent", async () => {
  await using stage = await acpRoles({
    scripts: {
      programmer: {
        turns: [
          { when: OF_MESSAGE, times: 99, steps: [{ respond: "Eight." }, { say: "Done." }] },
          { times: 99, steps: [{ await: "go" }, { respond: ANSWERS.programmer }, { say: "Done." }] },
        ],
      },
    },
    config: { start_agent: "programmer" },
  });
  await using run = stage.start("run");
  await stage.record("message_sent", ({ role }) => role === "programmer");
  await stage.call("send", "@1", "programmer", "How many?");
  await stage.record("message_received");
  Deno.kill(run.pid, "SIGKILL");
  await run.ended;
  await using resumed = stage.start("resume", "@1");
  await stage.record("run_resumed");
  await Deno.writeTextFile(`${stage.sandbox.project}/go`, "");
  const { code, stderr } = await resumed.ended;
  assertEquals(code, 0, stderr);
  const types = (await stage.records()).filter(({ role }) => role === "programmer").map(({ type }) => type)
    .filter((type) => ["turn_resumed", "response_received", "message_started", "message_answered"].includes(type));
  assertEquals(types, ["turn_resumed", "response_received", "message_started", "message_answered"]);
});
