import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CLI_LABELS } from "../support/clis.ts";
import { passAfter, type PrintedFact, setUpFailureStage, type StartedRun } from "./failures_stage.ts";
import { shellJoin } from "../../lib/shell/quote.ts";
import { until } from "../support/until.ts";
import { type OneTurnOptions, PROMPT_MARK, setUpOneTurn } from "./one_turn_stage.ts";

/** Claude Code in the sandbox around it, Codex without one: neither may make a difference. */
function setUp({ config, ...options }: OneTurnOptions) {
  const sandbox = options.provider === "claude_code" ? "agent" : "off";
  return setUpOneTurn({ ...options, config: { sandbox, ...config } });
}

function ofType(facts: readonly PrintedFact[], type: string): readonly PrintedFact[] {
  return facts.filter((fact) => fact.type === type);
}

function recoveriesOf(run: StartedRun): readonly unknown[] {
  return ofType(run.facts(), "agent_failed").map(({ class: failureClass, recovery }) => [failureClass, recovery]);
}

async function assertPassed(run: StartedRun): Promise<void> {
  const { code, stderr } = await run.program.ended;
  assertEquals(code, 0, stderr);
}

const TOO_LONG = {
  codex: {
    error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
  },
  claude_code: { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" },
} as const;

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`run: another session takes the place of one of a real ${CLI_LABELS[provider]} that is too long, and is told everything`, async () => {
    await using stage = await setUp({ provider, refusals: [() => TOO_LONG[provider]] });
    await using run = stage.watch("run");
    await assertPassed(run);
    assertEquals(recoveriesOf(run), [["context", "fresh_session"]]);
    assertEquals(ofType(run.facts(), "message_sent").map(({ what }) => what), ["prompt", "prompt"]);
    const started = ofType(run.facts(), "agent_starting").filter(({ role }) => role === "tester");
    assertEquals(started.map(({ resumes }) => resumes), [undefined, undefined]);
    assertStringIncludes(stage.conversation(), "Another agent was ended while it worked on the task below");
    assertStringIncludes(stage.conversation(), PROMPT_MARK);
    await stage.sandbox.assertNothingLeft();
  });

  Deno.test(`run: what a real ${CLI_LABELS[provider]} fails of that nobody knows is tried once more, then by another session, then left`, async () => {
    const unknown = { status: 400, message: "Something that nobody has heard of" } as const;
    await using cured = await setUp({ provider, refusals: [() => unknown, () => unknown] });
    await using run = cured.watch("run");
    await assertPassed(run);
    assertEquals(recoveriesOf(run), [["other", "continue"], ["other", "fresh_session"]]);
    assertEquals(ofType(run.facts(), "message_sent").map(({ what }) => what), ["prompt", "continuation", "prompt"]);
    await using stage = await setUp({ provider, refusals: [unknown, unknown, unknown].map((one) => () => one) });
    await using left = stage.watch("run");
    const { code, stderr } = await left.program.ended;
    assertEquals(code, 1, stderr);
    assertMatch(stderr, /the agent reports an error, after 2 retries: ".*Something that nobody has heard of/);
    assertEquals(recoveriesOf(left).at(-1), ["other", undefined]);
    await stage.sandbox.assertNothingLeft();
    // What was tried is tried anew.
    await using resumed = stage.watch("resume");
    await assertPassed(resumed);
    await stage.sandbox.assertNothingLeft();
  });
}

/** What is done when the model does not answer once, and twice. Claude Code takes a prompt back that is interrupted. */
const STALLED = {
  codex: [["interrupt"], ["interrupt", "restart"]],
  claude_code: [["interrupt", "restart"], ["interrupt", "restart", "fresh_session"]],
} as const;

for (const provider of ["codex", "claude_code"] as const) {
  for (const [index, recoveries] of STALLED[provider].entries()) {
    Deno.test(`run: a real ${CLI_LABELS[provider]} whose model does not answer: ${recoveries.join(", ")}`, async () => {
      await using stage = await setUp({
        provider,
        refusals: Array.from({ length: index + 1 }, () => () => "hang"),
        config: { handoff: { stall_minutes: 0.2 } },
      });
      await using run = stage.watch("run");
      await assertPassed(run);
      assertEquals(recoveriesOf(run), recoveries.map((recovery) => ["other", recovery]));
      assertStringIncludes(
        String(ofType(run.facts(), "agent_failed")[0]?.["message"]),
        "nothing has changed for 0.2 minutes",
      );
      const [{ recovered }] = ofType(run.facts(), "run_finished") as unknown as [{ readonly recovered: unknown[] }];
      assertEquals(recovered.length, recoveries.length);
      await stage.sandbox.assertNothingLeft();
    });
  }

  Deno.test(`run: a real ${CLI_LABELS[provider]} that never ends its turn after its response is interrupted, and that counts`, async () => {
    await using stage = await setUp({
      provider,
      failsAtLast: "hang",
      config: { handoff: { stall_minutes: 0.2 } },
    });
    await using run = stage.watch("run");
    await assertPassed(run);
    assertEquals(recoveriesOf(run), []);
    const warnings = ofType(run.facts(), "warning").map(({ message }) => String(message));
    assertStringIncludes(warnings.join("\n"), "it worked on after it had written its response, which is taken");
    await stage.sandbox.assertNothingLeft();
  });

  Deno.test(`run: a command of a real ${CLI_LABELS[provider]} that runs for long is no standstill`, async () => {
    await using stage = await setUp({
      provider,
      commands: ["sleep 20"],
      config: { handoff: { stall_minutes: 0.1 } },
    });
    await using run = stage.watch("run");
    await assertPassed(run);
    assertEquals(ofType(run.facts(), "agent_failed"), []);
    await stage.sandbox.assertNothingLeft();
  });
}

for (
  const [how, end] of [
    ["its tmux server is killed", (run: StartedRun) => run.tmux("kill-server")],
    ["its pane is closed", async (run: StartedRun) => {
      // A server ends with its last pane.
      await run.tmux("new-window", "-d", "--", "sleep", "600");
      await run.tmux("kill-pane", "-t", (await run.testerPane()).paneId);
    }],
  ] as const
) {
  Deno.test(`run: an agent at work continues, and the run passes, when ${how}`, async () => {
    await using stage = await setUpFailureStage({
      tester: passAfter(1500),
      config: { limits: { max_rounds: 1, max_agent_restarts: 1 } },
    });
    await using run = stage.run();
    await run.untilTesterWorks();
    await end(run);
    const { code, stderr } = await run.ended();
    assertEquals(code, 0, stderr);
    const lost = run.facts().filter(({ type }) => type === "ground_lost" || type === "agent_lost");
    assertEquals(lost.map(({ restart, maxRestarts }) => [restart, maxRestarts]), [[1, 1]]);
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("run: a CLI that is gone when its agent is started again, as while it is updated, is waited for", async () => {
  const limits = { max_rounds: 1, max_agent_restarts: 1 };
  await using stage = await setUpFailureStage({ tester: passAfter(1500), config: { limits } });
  const { panewright: { argv }, sandbox: { root } } = stage;
  const agent = `${root}/agent`;
  await Deno.writeTextFile(agent, `#!/bin/sh\nexec ${shellJoin(argv)} "$@"\n`, { mode: 0o755 });
  await stage.configure({
    ...{ limits, providers: { replay: { command: [agent], args: ["--script", `${root}/replay.json`] } } },
  });
  await using run = stage.run();
  await run.untilTesterWorks();
  await Deno.rename(agent, `${agent}.old`);
  await run.tmux("new-window", "-d", "--", "sleep", "600");
  await run.tmux("kill-pane", "-t", (await run.testerPane()).paneId);
  await run.fact("warning", ({ message }) => /agent is not there, as while it is updated/.test(`${message}`));
  await Deno.rename(`${agent}.old`, agent);
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  await run.fact("warning", ({ message }) => /agent is there again$/.test(`${message}`));
  await stage.sandbox.assertNothingLeft();
});

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`run: a real ${CLI_LABELS[provider]} whose conversation was made shorter is told its task once more`, async () => {
    await using stage = await setUp({
      provider,
      forgetsOnce: true,
      config: { handoff: { idle_grace_seconds: 12 } },
    });
    await using run = stage.watch("run");
    await until(() => run.facts().some(({ type, status }) => type === "status_changed" && status === "completed"));
    const { paneId } = await run.testerPane();
    await run.tmux("send-keys", "-t", paneId, "-l", "/compact");
    await until(async () => (await run.tmux("capture-pane", "-p", "-t", paneId)).includes("/compact"));
    await run.tmux("send-keys", "-t", paneId, "Enter");
    await assertPassed(run);
    assertEquals(ofType(run.facts(), "agent_compacted").map(({ role, times }) => [role, times]), [["tester", 1]]);
    assertEquals(ofType(run.facts(), "message_sent").map(({ what }) => what), ["prompt", "reminder"]);
    const [, reminder = ""] = stage.conversation().split("--- PREVIOUS PROMPT ---");
    assertStringIncludes(reminder, PROMPT_MARK);
    assertStringIncludes(reminder, "Your turn is not finished: your response file cannot be used");
    await stage.sandbox.assertNothingLeft();
  });
}
