import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { toExecPlan } from "../../lib/config/exec_plan.ts";
import { ConfigError, loadConfig } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { agentsOf, loginOf } from "../../lib/jobs/fallback.ts";
import { FLAG_JOB } from "../support/jobs.ts";
import { tempDir } from "../support/temp_dir.ts";

async function load(config: object) {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", ...config }, undefined, 1),
    "job.md": FLAG_JOB,
  });
  return await loadConfig({ cwd: dir.path, env: () => undefined });
}

Deno.test("who may take an agent's place is started as its provider says; what a role or step says is of its own agent", async () => {
  const loaded = await load({
    providers: { codex: { args: ["-c", "x=1"] }, claude_code: { model: "opus", env: { A: "1" } } },
    roles: { tester: { model: "m1", args: ["--own"], env: { B: "2" } } },
    fallback: ["codex", "claude_code", { provider: "codex", login: "/logins/codex" }, {
      provider: "codex",
      login: "~/c",
    }],
    pipelines: { main: [{ name: "a", prompt: "self", provider: "claude_code", check: { type: "none" } }] },
  });
  const home = Deno.env.get("HOME");
  const agents = agentsOf(toRunPlan(loaded).agents["tester"]!);
  assertEquals(agents.map((agent) => [loginOf(agent), agent.model, agent.args, agent.env]), [
    ["codex", "m1", ["--own"], { B: "2" }],
    ["claude_code", "opus", [], { A: "1", B: "2" }],
    ["codex (/logins/codex)", "m1", ["--own"], { B: "2", CODEX_HOME: "/logins/codex" }],
    ["codex (~/c)", "m1", ["--own"], { B: "2", CODEX_HOME: `${home}/c` }],
  ]);
  const [step] = toExecPlan(loaded, { cwd: "/" }).pipelines["main"]!;
  assertEquals(agentsOf(step!).map(loginOf), ["claude_code", "codex", "codex (/logins/codex)", "codex (~/c)"]);
  assertEquals(toRunPlan(await load({})).agents["tester"]!.fallbacks, undefined);
});

/** An agent of which nothing is known. */
const ANY = { providers: { acp: { command: ["any-agent"] } } };

Deno.test("what cannot take an agent's place is a mistake with its place", async () => {
  const cases: readonly (readonly [config: object, words: string])[] = [
    [{ fallback: "codex" }, "fallback must be an array"],
    [{ fallback: ["nobody"] }, "fallback[0]"],
    [{ fallback: [{ provider: "codex", login: "work" }] }, "must be an absolute path, or one that begins with ~/"],
    [
      { fallback: [{ provider: "gemini", login: "/logins" }] },
      "fallback[0].login cannot be chosen: where gemini keeps",
    ],
    [{ fallback: ["acp"], sandbox: "agent", ...ANY }, "acp is not known to work in one"],
  ];
  for (const [config, words] of cases) {
    const error = await assertRejects(() => load(config), ConfigError);
    assertStringIncludes(error.message, words);
    assertStringIncludes(error.message, "panewright.jsonc:");
  }
});
