import { sendKeys } from "../../lib/tmux/input.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { walk } from "@std/fs";
import { RuntimeError } from "../../lib/base/errors.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { setUpStage, untilStatus, watchStatus } from "./agent_stage.ts";

const LINES = Array.from({ length: 60 }, (_, index) => `${index + 1}. line ${index + 1} of the long list`).join("\n");

/** Without animations neither the screen nor the title of Codex tells a streaming answer from a finished one. */
const STILL = ["-c", "tui.animations=false"] as const;

Deno.test("a real Codex without animations works on a prompt, and is never said to rest meanwhile", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    args: STILL,
    respond: () => [
      { do: "say", text: "I will write the file first.", phase: "commentary" },
      { do: "shell", command: "sleep 1; echo 'the response' > response.md" },
      { do: "wait", ms: 500 },
      { do: "say", text: LINES.slice(0, 900), chunkChars: 30, chunkMs: 100 },
    ],
  });
  const { server, sandbox } = stage;
  const codex = await stage.start();
  await using watch = watchStatus(codex, server);
  await codex.submit("Write your response to response.md, please.");
  const rule = await untilStatus(codex, "completed", { timeoutMs: 30_000 });
  watch.assertNoFalseRest();
  // The session log was needed, and it was found.
  assert(watch.samples.some((one) => one.status === "processing" && one.rule === "session-log"), rule);
  assertEquals(await Deno.readTextFile(`${sandbox.project}/response.md`), "the response\n");
  assertEquals(await codex.lastOutput(), LINES.slice(0, 900).trim());
  assertEquals(stage.logged, []);
});

Deno.test("an answer of Codex without animations that stands still is not taken for a finished one", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    args: STILL,
    respond: () => [{ do: "say", text: LINES }, { do: "hold" }, { do: "say", text: "The end." }],
  });
  const codex = await stage.start();
  await codex.submit("Make a long list");
  await stage.server.log.waitFor((entry) => entry.event === "step" && entry.step === "hold", { timeoutMs: 15_000 });
  await using watch = watchStatus(codex, stage.server);
  // Longer than a screen must stand still where nothing else tells.
  await systemClock.sleep(4500);
  await assertRejects(() => codex.submit("Another prompt"), RuntimeError, "still at work");
  while (watch.samples.length <= 50) await systemClock.sleep(50);
  watch.assertNoFalseRest();
  stage.server.release();
  await untilStatus(codex, "completed");
});

Deno.test("five Codex agents of one folder and one home each have their own session log", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    args: STILL,
    // Only the session logs can tell that a turn has ended.
    quietMs: 3_600_000,
    respond: ({ prompts }) => {
      const [, wait = "0", name = ""] = /after (\d+) ms: (\w+)/.exec(prompts.at(-1) ?? "") ?? [];
      return [
        { do: "wait", ms: 500 },
        { do: "say", text: "One moment." },
        { do: "wait", ms: Number(wait) },
        { do: "say", text: `I am ${name}.` },
      ];
    },
  });
  const names = ["ada", "bob", "cyd", "dan", "eve"];
  const agents = await Promise.all(names.map((name) => stage.start(name)));
  for (let round = 0; round < 2; round++) {
    const ends: string[] = [];
    await Promise.all(agents.map(async (agent, index) => {
      await agent.submit(`Answer after ${round === 0 ? 1500 + index * 1000 : 5500 - index * 1000} ms: ${agent.name}`);
      await untilStatus(agent, "processing");
      await untilStatus(agent, "completed", { timeoutMs: 30_000 });
      ends.push(agent.name);
      assertEquals(await agent.lastOutput(), `I am ${agent.name}.`);
    }));
    assertEquals(ends, round === 0 ? names : names.toReversed());
  }
  assertEquals(stage.logged, []);
});

Deno.test("a Codex that is interrupted is idle, and one whose model fails is an error", async () => {
  let turns = 0;
  await using stage = await setUpStage({
    provider: "codex",
    args: STILL,
    respond: () =>
      ++turns === 1
        ? [{ do: "say", text: LINES }, { do: "hold" }]
        : [{ do: "refuse", status: 400, message: "No such model" }],
  });
  const codex = await stage.start();
  await codex.submit("Make a long list");
  await stage.server.log.waitFor((entry) => entry.event === "step" && entry.step === "hold", { timeoutMs: 15_000 });
  await untilStatus(codex, "processing");
  await sendKeys(stage.session.client, codex.id, { keys: ["Escape"] });
  await untilStatus(codex, "idle");
  await codex.submit("Again");
  await untilStatus(codex, "error");
});

Deno.test("a real Codex 0.53.0, which records no turns, is not said to rest while its answer streams", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    version: "0.53.0",
    respond: () => [{ do: "say", text: LINES, chunkChars: 30, chunkMs: 100 }],
  });
  const codex = await stage.start();
  await using watch = watchStatus(codex, stage.server);
  await codex.submit("Make a long list");
  await untilStatus(codex, "completed", { timeoutMs: 40_000 });
  watch.assertNoFalseRest();
  assert(watch.samples.some((one) => one.rule === "not-quiet-yet"));
});

Deno.test("a session of Codex is gone on with, and its old turns say nothing about the new one", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    args: STILL,
    respond: (
      { prompts },
    ) => [{ do: "wait", ms: 1500 }, { do: "say", text: `You said: ${prompts.slice(-2).join(" + ")}` }],
  });
  const first = await stage.start("first");
  await first.submit("Remember the blue door");
  await untilStatus(first, "completed");
  const log = await findLog(`${stage.sandbox.root}/codex-home/sessions`);
  await first.close();
  const second = await stage.start("second", {
    resume: /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(log)![1]!,
  });
  await using watch = watchStatus(second, stage.server);
  await second.submit("What shall you remember?");
  await untilStatus(second, "processing");
  await untilStatus(second, "completed");
  watch.assertNoFalseRest();
  assertEquals(await second.lastOutput(), "You said: Remember the blue door + What shall you remember?");
});

async function findLog(folder: string): Promise<string> {
  const [log] = await Array.fromAsync(walk(folder, { includeDirs: false, exts: ["jsonl"] }));
  assert(log !== undefined);
  return log.path;
}
