import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { pasteText, sendKeys } from "../../lib/tmux/input.ts";
import { until } from "../tmux/support.ts";
import { setUpStage, untilStatus, watchStatus } from "./agent_stage.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `${index + 1}. line ${index + 1} of the long list`).join("\n");

for (const tui of ["fullscreen", "default"] as const) {
  Deno.test(`a real Claude Code (${tui}) works on a prompt, and is never said to rest meanwhile`, async () => {
    await using stage = await setUpStage({
      provider: "claude_code",
      tui,
      args: ["--allowedTools", "Bash"],
      respond: () => [
        { do: "wait", ms: 800 },
        { do: "say", text: "I will write the file first." },
        { do: "shell", command: "sleep 1; echo 'the response' > response.md" },
        { do: "wait", ms: 500 },
        { do: "say", text: LINES, chunkChars: 30, chunkMs: 120 },
      ],
    });
    const { server, sandbox, session } = stage;
    const claude = await stage.start();
    await using watch = watchStatus(claude, server);
    await claude.submit("Write your response to response.md, please.");
    await server.log.waitFor((entry) => entry.event === "step" && entry.step === "say", { timeoutMs: 15_000 });
    await server.log.waitFor((entry) => entry.event === "busy" && entry.n > 1, { timeoutMs: 15_000 });
    // A draft takes away all that the screen has to say while text streams.
    await systemClock.sleep(1200);
    await pasteText(session.client, claude.pane.paneId, { text: "a draft of a person" });
    await untilStatus(claude, "completed", { timeoutMs: 30_000 });
    watch.assertNoFalseRest();
    assert(watch.samples.filter((one) => one.openAfter).length > 10);
    assertEquals(await Deno.readTextFile(`${sandbox.project}/response.md`), "the response\n");
    // The alternate screen shows only the end of the answer, the transcript has all of it.
    assertStringIncludes(await claude.lastOutput(), "1. line 1 of");
    assertStringIncludes(await claude.lastOutput(), "40. line 40 of");
    assertEquals(stage.logged, []);
  });

  Deno.test(`a real Claude Code (${tui}) that is interrupted is idle, and takes the next prompt`, async () => {
    let turns = 0;
    await using stage = await setUpStage({
      provider: "claude_code",
      tui,
      respond: () => ++turns === 1 ? [{ do: "say", text: LINES }, { do: "hold" }] : [{ do: "say", text: "Here I am." }],
    });
    const claude = await stage.start();
    await claude.submit("Make a long list");
    await stage.server.log.waitFor((entry) => entry.event === "step" && entry.step === "hold", { timeoutMs: 15_000 });
    await untilStatus(claude, "processing");
    await sendKeys(stage.session.client, claude.id, { keys: ["Escape"] });
    await untilStatus(claude, "idle");
    await claude.submit("Are you there?");
    await untilStatus(claude, "completed");
    assertEquals(await claude.lastOutput(), "Here I am.");
  });

  Deno.test(`a real Claude Code (${tui}) that is killed at work is an error, whatever its files and its screen say`, async () => {
    await using stage = await setUpStage({ provider: "claude_code", tui, respond: () => [{ do: "hold" }] });
    const claude = await stage.start();
    await claude.submit("Think long");
    await untilStatus(claude, "processing");
    const file = `${stage.sandbox.home}/.claude/sessions/${claude.pane.pid}.json`;
    const told = async () => /"status":\s*"(\w+)"/.exec(await Deno.readTextFile(file))?.[1];
    await until(told, (status) => status === "busy");
    Deno.kill(claude.pane.pid, "SIGKILL");
    await untilStatus(claude, "error");
    assertEquals(await told(), "busy");
  });
}

Deno.test("what Claude Code's composer would act upon reaches the model as a prompt", async () => {
  const prompts = ["!touch made-by-shell", "/help", "exit", "a path like C:\\", "see @READ", "# a heading\n\ttabbed"];
  await using stage = await setUpStage({
    provider: "claude_code",
    respond: () => [{ do: "say", text: "I see." }],
  });
  await Deno.writeTextFile(`${stage.sandbox.project}/README.md`, "");
  const claude = await stage.start();
  for (const prompt of prompts) {
    const from = stage.server.log.entries.length;
    await claude.submit(prompt);
    const busy = await stage.server.log.waitFor((entry) => entry.event === "busy", { timeoutMs: 10_000, from });
    assert(busy.event === "busy");
    assertStringIncludes(busy.prompt, prompt.split(/\s/).at(0) ?? "");
    await untilStatus(claude, "completed");
  }
  assertEquals([...Deno.readDirSync(stage.sandbox.project)].map(({ name }) => name), ["README.md"]);
});

Deno.test("a person's draft in Claude Code's composer is neither sent nor added to", async () => {
  await using stage = await setUpStage({ provider: "claude_code", respond: () => [{ do: "say", text: "Yes." }] });
  const claude = await stage.start();
  await sendKeys(stage.session.client, claude.pane.paneId, { keys: ["w", "a", "i", "t"] });
  await until(() => claude.look(), ({ composer }) => composer?.text === "wait");
  const error = await claude.submit("a prompt").then(() => undefined, (error: unknown) => error);
  assertStringIncludes(String(error), "draft");
  assertEquals(stage.server.log.entries.filter((entry) => entry.event === "busy"), []);
});

for (
  const [name, change, kind] of [
    ["a folder that is not trusted", { projects: {} }, "trust"],
    ["an API key that nobody allowed yet", { customApiKeyResponses: {} }, "login"],
    ["the offer of auto mode", { hasSeenAutoDefaultNudge: false, hasSeenAutoDefaultNotice: false }, "other"],
  ] as const
) {
  Deno.test(`a start of Claude Code with ${name} is stopped with a remedy, and nothing is answered`, async () => {
    let configPath = "";
    await using stage = await setUpStage({
      provider: "claude_code",
      respond: () => [{ do: "say", text: "Yes." }],
      async prepare({ home }) {
        configPath = `${home}/.claude.json`;
        const config = JSON.parse(await Deno.readTextFile(configPath));
        await Deno.writeTextFile(configPath, JSON.stringify({ ...config, ...change }));
      },
    });
    // The CLI may draw its composer before its dialog: then it is the prompt that is not sent.
    const begin = async () => {
      const claude = await stage.start();
      await untilStatus(claude, "waiting_user_answer");
      await claude.submit("a prompt");
    };
    const error = await assertRejects(begin, HumanInterventionRequiredError, `a dialog (${kind})`);
    assertMatch((error as HumanInterventionRequiredError).hint ?? "", /by hand|Only a person may answer/);
    const config = JSON.parse(await Deno.readTextFile(configPath));
    assertEquals(config.projects?.[stage.sandbox.project]?.hasTrustDialogAccepted ?? false, kind !== "trust");
    assertEquals(config.customApiKeyResponses?.approved?.length ?? 0, kind === "login" ? 0 : 1);
    assertEquals(config.customApiKeyResponses?.rejected?.length ?? 0, 0);
    const settings = JSON.parse(await Deno.readTextFile(`${stage.sandbox.home}/.claude/settings.json`));
    assertEquals(settings.permissions.defaultMode, "default");
  });
}

Deno.test("a session of Claude Code is gone on with by the id that its status file tells", async () => {
  await using stage = await setUpStage({
    provider: "claude_code",
    respond: ({ prompts }) => [{ do: "say", text: `You said: ${prompts.join(" + ")}` }],
  });
  const first = await stage.start("first");
  await first.submit("Remember the blue door");
  await untilStatus(first, "completed");
  const sessionId = first.sessionId!;
  await first.close();
  const second = await stage.start("second", { resume: sessionId });
  await second.submit("What shall you remember?");
  await untilStatus(second, "completed");
  assertEquals(await second.lastOutput(), "You said: Remember the blue door + What shall you remember?");
});
