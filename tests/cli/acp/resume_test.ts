import { believedJournal } from "../../support/believed_journal.ts";
import { ROLE_VARIABLE } from "../../../lib/base/ports/marks.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { basename } from "@std/path/posix";
import type { FakeAgentScript } from "../../lab/acp_fake_agent.ts";
import { findMarkedPids } from "../../../lib/base/ports/end_processes.ts";
import { type AcpRoles, acpRoles, responding } from "../../support/acp_roles.ts";
import { until } from "../../support/until.ts";

/** A tester that stops in the middle of its first turn, and responds in the next. */
const INTERRUPTED: FakeAgentScript = {
  turns: [
    { steps: [{ say: "I begin." }, { write: "begun", text: "" }, { await: "never" }] },
    ...responding("tester").turns!,
  ],
};

/** Kills panewright with kill -9 once the tester is at work. */
async function killAtWork(stage: AcpRoles): Promise<void> {
  await using run = stage.start("run");
  await stage.record("status_changed", ({ status, role }) => status === "processing" && role === "tester");
  // An agent that says something to nobody ends by that.
  await until(() => exists(`${stage.sandbox.project}/begun`));
  run.kill("SIGKILL");
  await run.ended;
}

async function agentsOf(stage: AcpRoles): Promise<readonly number[]> {
  return await findMarkedPids({ name: ROLE_VARIABLE, value: `${await stage.folder()}/` });
}

/** The sessions of the prompts that the tester was given, and how long these are. */
async function prompts(stage: AcpRoles) {
  return (await stage.received("tester", "session/prompt")).map(({ params }) => {
    const { sessionId, prompt } = params as { sessionId: string; prompt: readonly { text: string }[] };
    return { sessionId, text: prompt.map(({ text }) => text).join("\n") };
  });
}

Deno.test("kill -9 of panewright in the middle of a turn: its agents end, and resume continues with the session", async () => {
  await using stage = await acpRoles({ scripts: { tester: INTERRUPTED } });
  await killAtWork(stage);
  await until(async () => (await agentsOf(stage)).length === 0);
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
  const [first, second, ...others] = await prompts(stage);
  assertEquals(others, []);
  assertEquals(second!.sessionId, first!.sessionId);
  assert(second!.text.length < first!.text.length, "the prompt was sent once more");
  const responses = (await stage.records()).filter(({ type }) => type === "response_received");
  assertEquals(responses.length, 5);
  assertEquals((await stage.records()).filter(({ type }) => type === "turn_started").length, 5);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("an agent that cannot load its session gets a new one, with everything that its role must know", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { ...INTERRUPTED, cannotLoad: true, cannotResume: true } },
    config: { start_agent: "tester" },
  });
  await killAtWork(stage);
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
  const [first, second] = await prompts(stage);
  assert(second!.sessionId !== first!.sessionId);
  assertStringIncludes(second!.text, "Nothing happens.");
  assert(second!.text.length >= first!.text.length);
  const warnings = (await stage.records()).filter(({ type }) => type === "warning").map(({ message }) =>
    String(message)
  );
  assert(warnings.some((message) => message.includes("a new one replaces it")), warnings.join("\n"));
  const started = (await stage.records()).filter(({ type, role }) => type === "agent_starting" && role === "tester");
  assertEquals(started.map(({ resumes }) => resumes !== undefined), [false, true, false]);
});

Deno.test("an agent that outlives its panewright: no run begins beside it, and resume ends it first", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { ...INTERRUPTED, staysAtEnd: true, ignoresTerm: true } },
    config: { start_agent: "tester" },
  });
  await killAtWork(stage);
  const before = await agentsOf(stage);
  assert(before.length > 0);
  const beside = await stage.call("run");
  assertEquals(beside.code, 2, beside.stderr);
  assertStringIncludes(beside.stderr, "are alive, but its panewright is gone");
  const status = await stage.call("status");
  assertStringIncludes(status.stdout, basename(await stage.folder()));
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
  const after = await agentsOf(stage);
  assertEquals(after.filter((pid) => before.includes(pid)), []);
});

Deno.test("stop ends an agent that outlived its panewright", async () => {
  await using stage = await acpRoles({
    scripts: { tester: { ...INTERRUPTED, staysAtEnd: true, ignoresTerm: true } },
    config: { start_agent: "tester" },
  });
  await killAtWork(stage);
  assert((await agentsOf(stage)).length > 0);
  const { code, stdout, stderr } = await stage.call("stop");
  assertEquals(code, 0, stdout + stderr);
  assertEquals(await agentsOf(stage), []);
});

Deno.test("a response that was written while panewright was gone is taken, and nothing is sent", async () => {
  await using stage = await acpRoles({ scripts: { tester: INTERRUPTED }, config: { start_agent: "tester" } });
  await killAtWork(stage);
  await Deno.writeTextFile(`${stage.sandbox.project}/.tmp/agent-responses/test_result.md`, "RESULT: PASS\n");
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
  assertEquals((await prompts(stage)).length, 1);
});

Deno.test("Ctrl-C ends the agents, and resume continues", async () => {
  await using stage = await acpRoles({ scripts: { tester: INTERRUPTED }, config: { start_agent: "tester" } });
  await using run = stage.start("run");
  await stage.record("status_changed", ({ status }) => status === "processing");
  run.kill("SIGINT");
  assertEquals((await run.ended).code, 130);
  assertEquals(await agentsOf(stage), []);
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
});

Deno.test("a prompt that was about to be sent is sent whole, also to an agent with the session of earlier turns", async () => {
  const config = { start_agent: "programmer", limits: { max_rounds: 2 } };
  const tester: FakeAgentScript = { turns: [{ steps: [{ respond: "RESULT: FAIL" }] }, ...responding("tester").turns!] };
  await using stage = await acpRoles({ scripts: { tester }, config });
  assertEquals((await stage.call("run")).code, 0);
  // As a kill would have left it, right after the record of what is about to be done.
  const records = await stage.records();
  const about = (turn: string) => ({ type, turnId }: { type: string; turnId?: unknown }) =>
    type === "message_sending" && turnId === turn;
  const cut = records.findIndex(about("r2-programmer-c1"));
  const turn = String(records[cut]?.["turnId"]);
  assertEquals(turn, "r2-programmer-c1");
  const folder = await stage.folder();
  const journal = believedJournal(folder, stage.sandbox.home);
  const lines = (await Deno.readTextFile(journal)).split("\n").slice(0, cut + 1);
  await Deno.writeTextFile(journal, `${lines.join("\n")}\n`);
  const known = records.slice(0, cut).filter(({ type }) => type === "response_received").length;
  const kept = (await Array.fromAsync(Deno.readDir(`${folder}/responses`))).map(({ name }) => name).toSorted();
  for (const name of kept.slice(known)) await Deno.remove(`${folder}/responses/${name}`);
  const before = (await stage.received("programmer", "session/prompt")).length;
  const { code, stdout, stderr } = await stage.call("resume");
  assertEquals(code, 0, stdout + stderr);
  const [prompt] = (await stage.received("programmer", "session/prompt")).slice(before);
  assertStringIncludes(JSON.stringify(prompt), "Round 2 of at most 2");
});

Deno.test("a role that is given an agent over ACP while its pane lives: the pane is closed, the other one is kept", async () => {
  const replayed = { provider: "replay", command: undefined, args: ["--script", "replay.json"] };
  await using stage = await acpRoles({
    tmux: true,
    config: { start_agent: "programmer", roles: { programmer: replayed, programmer_review: replayed } },
  });
  const { project } = stage.sandbox;
  const replay = {
    roles: {
      programmer: { turns: [[{ respond: "Files changed: src/greet.ts." }]], repeatLast: true },
      programmer_review: { turns: [[{ think: 3_600_000 }]] },
    },
  };
  await Deno.writeTextFile(`${project}/replay.json`, JSON.stringify(replay));
  await using run = stage.start("run");
  await stage.record("status_changed", ({ status, role }) => status === "processing" && role === "programmer_review");
  run.kill("SIGKILL");
  await run.ended;
  const config = JSON.parse(await Deno.readTextFile(`${project}/panewright.jsonc`));
  config.roles.programmer_review = { command: [stage.agents.programmer_review.path] };
  await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
  const { code, stdout, stderr } = await stage.call("resume", "--accept-changes");
  assertEquals(code, 0, stdout + stderr);
  const adopted = (await stage.records()).filter(({ type }) => type === "agent_adopted").map(({ role }) => role);
  assertEquals(adopted, ["programmer"]);
  await stage.sandbox.assertNothingLeft();
});
