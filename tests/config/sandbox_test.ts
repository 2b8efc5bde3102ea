import { assertEquals } from "@std/assert";
import { toExecPlan } from "../../lib/config/exec_plan.ts";
import { loadConfig, loadSettings } from "../../lib/config/load.ts";
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
