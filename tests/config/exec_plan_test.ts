import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { toExecPlan } from "../../lib/config/exec_plan.ts";
import { loadAnyConfig, loadSettings } from "../../lib/config/load.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { EXEC_SETTINGS } from "../../lib/jobs/pipeline/settings.ts";
import { defaultsOf } from "../../lib/base/settings.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

async function planOf(dir: TempDir, config: unknown) {
  await dir.write({ "conf/panewright.jsonc": JSON.stringify(config) });
  const loaded = await loadSettings({ path: "conf/panewright.jsonc", cwd: dir.path, env: () => undefined });
  return toExecPlan(loaded, { cwd: dir.path });
}

Deno.test("a step goes before its provider's entry, and what neither says has the default", async () => {
  await using dir = await tempDir();
  const { pipelines, settings, defaultPipeline, workdir } = await planOf(dir, {
    provider: "claude_code",
    providers: {
      claude_code: { args: ["--a"], env: { A: "1", B: "1" }, model: "opus", command: ["my-claude"] },
      codex: { args: ["--c"], profile: "fast" },
    },
    default_pipeline: "main",
    pipelines: {
      main: [
        { name: "plain", prompt: "self", check: { type: "none" } },
        {
          name: "own",
          prompt: "prompts/own.md",
          model: "sonnet",
          args: [],
          env: { B: "2" },
          check: [{ type: "fileExists", path: "a" }, { type: "shell", command: "make", expect: "fail" }],
          retry: 2,
          next: { fail: "plain" },
          file_access: { allow_write: ["src/**"] },
          autonomy_level: 0,
          time_limit_seconds: 5,
        },
        { name: "codex", prompt: "self", provider: "codex", check: { type: "fileExists", path: ["a", "b"] } },
      ],
    },
  });
  const defaults = { ...defaultsOf(EXEC_SETTINGS), waitForUsageLimitReset: true };
  assertEquals([settings, defaultPipeline, workdir], [defaults, "main", `${dir.path}/conf`]);
  assertEquals(pipelines["main"], [
    {
      name: "plain",
      prompt: { kind: "self" },
      provider: claudeCodeProvider,
      command: ["my-claude"],
      args: ["--a"],
      env: { A: "1", B: "1" },
      model: "opus",
      checks: [{ type: "none" }],
      retry: 0,
      timeLimitSeconds: 7200,
    },
    {
      name: "own",
      prompt: { kind: "file", path: `${dir.path}/conf/prompts/own.md` },
      provider: claudeCodeProvider,
      command: ["my-claude"],
      args: [],
      env: { A: "1", B: "2" },
      model: "sonnet",
      checks: [
        { type: "fileExists", paths: ["a"] },
        { type: "shell", command: "make", expect: "fail", timeLimitSeconds: 600 },
      ],
      retry: 2,
      next: { fail: "plain" },
      allowWrite: ["src/**"],
      autonomyLevel: 0,
      timeLimitSeconds: 5,
    },
    {
      name: "codex",
      prompt: { kind: "self" },
      provider: codexProvider,
      args: ["--profile", "fast", "--c"],
      env: {},
      checks: [{ type: "fileExists", paths: ["a", "b"] }],
      retry: 0,
      timeLimitSeconds: 7200,
    },
  ]);
});

Deno.test("the settings of exec are taken over", async () => {
  await using dir = await tempDir();
  const { settings, notifications } = await planOf(dir, {
    autonomy_level: 5,
    notifications: { ntfy_topic: "t" },
    exec: {
      resume: "native",
      ask_commands: [["ask"]],
      max_questions_per_step: 0,
      at_level_0: "ask",
      answer_timeout_seconds: 9,
      default_answer: "no",
      wait_for_usage_limit_reset: true,
      max_repeats_per_step: 2,
      review: "always",
      writes_outside: "warn",
    },
  });
  assertEquals(settings, {
    autonomyLevel: 5,
    resume: "native",
    askCommands: [["ask"]],
    maxQuestionsPerStep: 0,
    atLevel0: "ask",
    answerTimeoutSeconds: 9,
    defaultAnswer: "no",
    waitForUsageLimitReset: true,
    maxRepeatsPerStep: 2,
    review: "always",
    writesOutside: "warn",
  });
  assertEquals(notifications, {
    ntfy: { url: "https://ntfy.sh", topic: "t" },
    delaySeconds: 20,
    ends: "each",
    buttons: "none",
  });
});

Deno.test("where there are pipelines a configuration may do without a job; a job that is named must be there", async () => {
  await using dir = await tempDir();
  const pipelines = { main: [{ name: "a", prompt: "self", check: { type: "none" } }] };
  const load = async (config: unknown) => {
    await dir.write({ "panewright.jsonc": JSON.stringify(config) });
    return await loadAnyConfig({ cwd: dir.path, env: () => undefined });
  };
  assertEquals((await load({ pipelines })).job, undefined);
  await assertRejects(() => load({}), UsageError, "there is no job");
  await assertRejects(() => load({ pipelines, prompt_file: "gone.md" }), UsageError, "there is no such file");
});
