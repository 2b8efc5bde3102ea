import { assertEquals, assertRejects } from "@std/assert";
import { toExecPlan } from "../../lib/config/exec_plan.ts";
import { ConfigError, loadConfig, loadSettings } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

async function load(config: object, env: Readonly<Record<string, string>> = {}) {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", ...config }, undefined, 1),
    "job.md": FLAG_JOB,
  });
  return await loadConfig({ cwd: dir.path, env: (name) => env[name] });
}

Deno.test("a sandbox is for every agent of a configuration, with the folders that permissions let it write to", async () => {
  assertEquals(toRunPlan(await load({})).sandbox, undefined);
  const config = { sandbox: "cli", permissions: { writable: ["/cache"] } };
  assertEquals(toRunPlan(await load(config)).sandbox, { writable: ["/cache"] });
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": JSON.stringify(config) });
  const loaded = await loadSettings({ cwd: dir.path, env: () => undefined });
  assertEquals(toExecPlan(loaded, { cwd: dir.path }).sandbox, { writable: ["/cache"] });
});

Deno.test("the person's variable goes before a configuration that wants no sandbox", async () => {
  const loaded = await load({ sandbox: "off" }, { PANEWRIGHT_SANDBOX: "cli" });
  assertEquals(toRunPlan(loaded).sandbox, { writable: [] });
});

Deno.test("what would take an agent out of the sandbox is a mistake with its place", async () => {
  const pipelines = { main: [{ name: "a", prompt: "self", check: { type: "none" }, args: ["--yolo"] }] };
  const wrong: readonly [object, string][] = [
    [{ sandbox: "yes" }, "panewright.jsonc:3:2: sandbox must be one of off, cli"],
    [{ roles: { tester: { sandbox: "off" } } }, 'unknown key "sandbox" in roles.tester'],
    [
      { providers: { codex: { args: ["--search", "--sandbox=danger-full-access"] } } },
      'providers.codex.args[1] is "--sandbox=danger-full-access", which changes the sandbox',
    ],
    [
      { roles: { tester: { args: ["-c", "sandbox_mode=x"] } } },
      'roles.tester.args[0] is "-c", which changes the sandbox of codex',
    ],
    [
      { roles: { tester: { provider: "claude_code", args: ["--settings", "x"] } } },
      'roles.tester.args[0] is "--settings", which changes the sandbox of claude_code',
    ],
    [{ pipelines }, 'pipelines.main[0].args[0] is "--yolo", which changes the sandbox of codex'],
    [
      { roles: { tester: { provider: "replay" } } },
      "roles.tester.provider asks for a sandbox, but the provider replay brings none",
    ],
  ];
  for (const [config, message] of wrong) {
    await assertRejects(() => load({ sandbox: "cli", ...config }), ConfigError, message);
  }
  // Without a sandbox a person may give such arguments.
  await load({ providers: { codex: { args: ["--sandbox=danger-full-access"] } } });
});
