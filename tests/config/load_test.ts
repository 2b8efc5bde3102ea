import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { loadConfig } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly path?: string;
}

function load(dir: TempDir, { env = {}, flags = {}, path }: Given = {}) {
  return loadConfig({
    cwd: dir.path,
    env: (name) => env[name],
    flags,
    ...(path === undefined ? {} : { path }),
  });
}

Deno.test("paths of the file start from its folder, paths of flags and variables from the working directory", async () => {
  await using dir = await tempDir();
  await dir.write({
    "conf/panewright.jsonc": '{ "wd": "../project", "prompt_file": "job.md" }',
    "conf/job.md": FLAG_JOB,
    "project/x": "",
    "other/x": "",
    "job.md": FLAG_JOB.replace("Add a flag.", "Add another."),
  });
  const fromFile = await load(dir, { path: "conf/panewright.jsonc" });
  assertEquals([fromFile.workdir, fromFile.job.exploreSummary], [`${dir.path}/project`, "Add a flag."]);
  const overridden = await load(dir, {
    path: "conf/panewright.jsonc",
    env: { PANEWRIGHT_WD: "other" },
    flags: { "prompt-file": "job.md" },
  });
  assertEquals([overridden.workdir, overridden.job.exploreSummary], [`${dir.path}/other`, "Add another."]);
});

Deno.test("the working directory is the config file's folder where nothing is said, with every link resolved", async () => {
  await using dir = await tempDir();
  await dir.write({ "real/panewright.jsonc": '{ "prompt_file": "job.md" }', "real/job.md": FLAG_JOB });
  await Deno.symlink(`${dir.path}/real`, `${dir.path}/link`);
  assertEquals((await load(dir, { path: "link/panewright.jsonc" })).workdir, `${dir.path}/real`);
});

Deno.test("a prompt given above the file replaces the file's prompt_file", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{ "prompt_file": "missing.md" }' });
  const { job, sources } = await load(dir, { env: { PANEWRIGHT_PROMPT: FLAG_JOB } });
  assertEquals(job.scenarioTest, "Run it.");
  assertEquals(sources.has("prompt_file"), false);
});

Deno.test("a role's own entry goes before its provider's; variables of both are put together", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": `{
      "prompt_file": "job.md",
      "providers": { "codex": { "command": ["/opt/codex"], "args": ["-c", "a=1"], "env": { "A": "1", "B": "1" } } },
      "roles": {
        "programmer": { "args": [], "env": { "B": "2" }, "model": "big" },
        "tester": { "provider": "claude_code", "profile": "p" },
      },
    }`,
    "job.md": FLAG_JOB,
  });
  const { agents } = toRunPlan(await load(dir));
  const common = { provider: codexProvider, command: ["/opt/codex"] };
  assertEquals(agents.analyst as unknown, { ...common, args: ["-c", "a=1"], env: { A: "1", B: "1" } });
  assertEquals(agents.programmer as unknown, { ...common, args: [], env: { A: "1", B: "2" }, model: "big" });
  assertEquals(agents.tester as unknown, { provider: claudeCodeProvider, args: [], env: {}, profile: "p" });
});

Deno.test("the project's test command is an argv array or a string", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": '{ "prompt_file": "job.md", "project_test_cmd": ["npm", "test"] }',
    "job.md": FLAG_JOB,
  });
  assertEquals(toRunPlan(await load(dir)).loop.projectTestCmd, ["npm", "test"]);
  const { loop } = toRunPlan(await load(dir, { env: { PROJECT_TEST_CMD: "npm test && true" } }));
  assertEquals(loop.projectTestCmd, "npm test && true");
});

Deno.test("a job that is not UTF-8 text is refused", async () => {
  await using dir = await tempDir();
  await Deno.writeFile(`${dir.path}/job.md`, new Uint8Array([0xff, 0xfe]));
  await assertRejects(() => load(dir, { flags: { "prompt-file": "job.md" } }), UsageError, "it is not UTF-8 text");
});
