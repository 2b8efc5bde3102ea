import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
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
