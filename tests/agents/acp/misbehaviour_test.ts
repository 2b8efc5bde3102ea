// What only a program shows that misbehaves; how else agents misbehave, agent_test.ts and protocol/ play.

import { assertMatch, assertRejects } from "@std/assert";
import { startAcpAgent } from "../../../lib/agents/acp/agent.ts";
import { RuntimeError, UsageError } from "../../../lib/base/errors.ts";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { fakeAcpAgent } from "../../support/acp_fake.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { testProvider } from "./support.ts";

/** Starts a program; the clock is moved by hand for whatever takes 5 s or longer. */
async function start(command: (folder: string) => Promise<readonly [string, ...string[]]>) {
  const dir = await tempDir();
  const clock = patientClock({ pace: 10, byHandFromMs: 5000 });
  try {
    const agent = await startAcpAgent({
      provider: testProvider(),
      name: "tester",
      launch: { workdir: dir.path, command: await command(dir.path) },
      mark: { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() },
      clock,
      signal: new AbortController().signal,
    });
    return {
      ...{ agent, clock },
      async [Symbol.asyncDispose]() {
        await agent[Symbol.asyncDispose]();
        await dir[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await dir[Symbol.asyncDispose]();
    throw error;
  }
}

const startFake = (script: FakeAgentScript) => start(async (folder) => [(await fakeAcpAgent(folder, script)).path]);

Deno.test("an agent that does not read its prompt is ended, and whoever waits for that is told", async () => {
  const modes = { currentModeId: "default", availableModes: [{ id: "default", name: "Default" }] };
  const say = (id: number, result: unknown) => `read line; echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const script = [say(0, { protocolVersion: 1 }), say(1, { sessionId: "s", modes }), "exec sleep 1000"].join("\n");
  await using started = await start(() => Promise.resolve(["sh", "-c", script]));
  const { agent, clock } = started;
  // More than the system takes for a program that does not read.
  const failed = assertRejects(() => agent.send("x".repeat(1_000_000)), RuntimeError);
  clock.advance(900_000);
  await until(() => {
    clock.advance(30_000);
    return agent.describeEnd();
  });
  assertMatch(agent.describeEnd() ?? "", /^it was silent for 900 s/);
  await failed;
});

Deno.test("security: an agent that acts without asking is killed, also where what it tells of that cannot be read", async () => {
  const about = { toolCallId: "t1", kind: "execute", status: "completed" };
  const params = { update: { sessionUpdate: "tool_call_update", ...about, rawInput: "DEEP" } };
  const deep = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })
    .replace('"DEEP"', `${"[".repeat(300)}${"]".repeat(300)}`);
  const steps: readonly FakeStep[] = [
    { update: { sessionUpdate: "tool_call_update", ...about, locations: [{ path: null }] } },
    { update: { sessionUpdate: "tool_call", ...about } },
    { update: { sessionUpdate: "tool_call", ...about, toolCallId: 7, title: "Run" } },
    { line: deep },
    { update: { sessionUpdate: "current_mode_update", currentModeId: ["yolo"] } },
  ];
  for (const step of steps) {
    await using fake = await startFake({ turns: [{ steps: [step, { never: true }] }] });
    await fake.agent.send("Go");
    await fake.agent.ended;
    assertMatch(fake.agent.violation() ?? "", /without asking|cannot be read/, JSON.stringify(step).slice(0, 200));
  }
});

Deno.test("an agent that ends, or says nothing, at its start: its last lines", async () => {
  const error = await assertRejects(
    () => startFake({ stderr: ["Error: no licence"], exitAtStart: 3 }),
    RuntimeError,
  );
  assertMatch(error.message, /^Cannot start Toy: its process has ended \(exit code 3\)\n {2}Error: no licence$/);
  await assertRejects(
    () => startFake({ initialize: { protocolVersion: 2 } }),
    UsageError,
    "it speaks version 2 of the Agent Client Protocol, and not 1",
  );
});
