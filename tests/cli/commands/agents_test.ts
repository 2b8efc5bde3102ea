import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { runPanewright } from "../../support/run_panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

const PERMISSIONS = ["--allow-env", "--allow-read", "--allow-run", "--allow-sys=uid"] as const;

/** A folder with programs that are found there and nowhere else. */
async function folderWith(
  programs: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "home/.keep": "", "bin/.keep": "", ...files });
  for (const [name, script] of Object.entries(programs)) {
    await Deno.writeTextFile(`${dir.path}/bin/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return dir;
}

async function panewright(dir: TempDir, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return await runPanewright(args, {
    cwd: dir.path,
    env: { HOME: `${dir.path}/home`, PATH: `${dir.path}/bin`, ...env },
    permissions: PERMISSIONS,
  });
}

async function agentsIn(dir: TempDir, env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, code } = await panewright(dir, ["agents", "--json"], env);
  assertEquals(code, 0, stderr);
  return new Map(stdout.trim().split("\n").map((line) => JSON.parse(line)).map((agent) => [agent.id, agent]));
}

Deno.test("agents lists those that are here, with version, login and what they can do, and how to get the others", async () => {
  await using dir = await folderWith({ gemini: "echo 0.61.0", codex: "echo codex-cli 0.169.0" });
  const agents = await agentsIn(dir, { GEMINI_API_KEY: "dummy" });
  assertEquals([...agents.keys()].slice(0, 3), ["codex", "claude_code", "copilot"]);
  const { state, version, login, over, roles, steps, asks } = agents.get("gemini");
  assertEquals([state, version, login, over, roles, steps, asks], [
    ...["ready", "0.61.0", "login by GEMINI_API_KEY", "acp", true, true, "changes"],
  ]);
  assertEquals(agents.get("opencode").state, "absent");
  assertEquals(agents.get("opencode").remedy, "Install it with: npm install --global opencode-ai");
  assertMatch(agents.get("acp").remedy, /name its command in providers\.acp/);

  const { stdout } = await panewright(dir, ["agents"]);
  assertMatch(stdout, /^Here:\n {2}\S+ +codex +Codex 0\.169\.0\n/);
  assertStringIncludes(stdout, "gemini       Gemini CLI 0.61.0\n");
  assertStringIncludes(stdout, "nothing shows a login: no GEMINI_API_KEY, ");
  assertMatch(stdout, /\nNot here:\n +claude_code +Install it with: npm install --global @anthropic-ai\/claude-code\n/);
  assert(stdout.split("\n").every((line) => line.length <= 100), stdout);
});

Deno.test("an agent that is too old, that does not work, or whose Node.js is too old says so, with the remedy", async () => {
  await using dir = await folderWith({
    gemini: "echo 0.9.0",
    opencode: "echo broken >&2; exit 3",
    node: "echo v18.1.0",
  });
  await Deno.writeTextFile(`${dir.path}/bin/qwen`, "#!/usr/bin/env node\n", { mode: 0o755 });
  const agents = await agentsIn(dir);
  const problem = (id: string) => [agents.get(id).state, agents.get(id).problem];
  assertEquals(problem("gemini"), ["unusable", "gemini 0.9.0 is too old: panewright needs 0.61.0 or newer"]);
  assertEquals(problem("opencode"), ["unusable", "opencode --version ended with code 3: broken"]);
  assertEquals(problem("qwen"), ["unusable", "qwen runs on Node.js 22 or newer, and the one on PATH is 18.1.0"]);
  assertEquals(agents.get("qwen").remedy, "Install it with: npm install --global @qwen-code/qwen-code");
});

const CONFIG = '{ "prompt_file": "job.md", "provider": "mine", "agents": { "mine": "mine.jsonc" } }';
Deno.test("an agent that a config adds is listed and looked for, and not run: nobody has trusted it", async () => {
  const pack = '{ "label": "My agent", "program": "mine", "version_args": ["v"], "login_status_args": ["l"] }';
  await using dir = await folderWith({ mine: "touch $HOME/ran" }, {
    ...{ "panewright.jsonc": CONFIG, "mine.jsonc": pack, "job.md": FLAG_JOB },
  });
  const { state, from, login } = (await agentsIn(dir)).get("mine");
  assertEquals([state, from, login], ["unclear", "config", "it is the configuration's, and was not asked"]);
  for (const command of [["doctor"], ["validate"], ["config", "show"], ["trust"]]) {
    const { stderr, stdout } = await panewright(dir, command, { PANEWRIGHT_TRUST: "" });
    assertNotMatch(stderr + stdout, /Cannot use/, command.join(" "));
    if (command[0] === "doctor") {
      assertStringIncludes(stdout, "ok    My agent: mine of the config is there; doctor does");
    }
  }
  assertEquals([...Deno.readDirSync(`${dir.path}/home`)].some(({ name }) => name === "ran"), false);
  await Deno.remove(`${dir.path}/bin/mine`);
  assertEquals((await agentsIn(dir)).get("mine").state, "absent");
});

Deno.test("a config that cannot be used keeps nobody from the list, unless it is named", async () => {
  await using dir = await folderWith({}, { "panewright.jsonc": CONFIG });
  const { stdout, stderr, code } = await panewright(dir, ["agents"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "Not here:\n");
  assertMatch(
    stderr,
    /^warning: agents of panewright\.jsonc are not listed: [^]*mine\.jsonc, but there is no such file/,
  );
  assertEquals((await panewright(dir, ["agents", "panewright.jsonc"])).code, 2);
});
