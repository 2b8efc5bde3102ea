import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { runCli } from "../../../lib/cli/main.ts";
import { loadConfig, loadSettings } from "../../../lib/config/load.ts";
import { codexHeadless } from "../../../lib/agents/codex/headless.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { runPanewright } from "../../support/run_panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

/** A folder with the programs of agent CLIs in `bin`, and files of a project. */
async function project(
  programs: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<TempDir & { readonly env: Readonly<Record<string, string>> }> {
  const dir = await tempDir();
  await dir.write({ ...Object.fromEntries(programs.map((name) => [`bin/${name}`, "#!/bin/sh\n"])), ...files });
  for (const name of programs) await Deno.chmod(`${dir.path}/bin/${name}`, 0o755);
  return { ...dir, env: { PATH: `${dir.path}/bin` } };
}

Deno.test("init writes a config and a job that a run accepts as they are", async () => {
  await using dir = await tempDir();
  const { code, stdout, stderr } = await runPanewright(["init"], {
    cwd: dir.path,
    permissions: ["--allow-env", `--allow-read=${dir.path}`, `--allow-write=${dir.path}`],
    env: { PATH: dir.path },
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(
    stdout,
    `wrote ${dir.path}/panewright.jsonc\nwrote ${dir.path}/job.md\n\n` +
      "agents       Codex (not on PATH: install it first)\n" +
      "tests        none is known: name the command in the config\n" +
      "permissions  an allow list\n\n" +
      'Next: describe the job in job.md, check the machine with "panewright doctor", then "panewright run".\n',
  );
  const loaded = await loadConfig({ cwd: dir.path, env: () => undefined });
  assertEquals([loaded.workdir, loaded.config.provider], [dir.path, "codex"]);
  assertStringIncludes(loaded.job.scenarioTest, "how the tester can check that it is done");
  assertEquals(await Deno.readTextFile(`${dir.path}/.panewright/.gitignore`), "*\n");
});

Deno.test("init writes ten lines with a schema that an editor finds, and the project's test command as words", async () => {
  await using dir = await project(["claude"], { "package.json": '{ "scripts": { "test": "node --test" } }' });
  const io = fakeIo({ cwd: dir.path, env: dir.env });
  assertEquals(await runCli(["init"], io), 0);
  const text = await Deno.readTextFile(`${dir.path}/panewright.jsonc`);
  assertEquals(text.trimEnd().split("\n").length, 10, text);
  const { config } = await loadConfig({ cwd: dir.path, env: () => undefined });
  assertEquals([config.provider, config.project_test_cmd, config.permissions.default], [
    "claude_code",
    ["npm", "test"],
    "ask",
  ]);
  const schema = JSON.parse(await Deno.readTextFile(`${dir.path}/${config.$schema}`));
  assertEquals(schema.properties.provider.anyOf[0].enum.slice(0, 3), ["codex", "claude_code", "copilot"]);
  await Deno.remove(`${dir.path}/panewright.jsonc`);
  await Deno.remove(`${dir.path}/job.md`);
  assertEquals(await runCli(["init", "--full"], io), 0);
  const full = await Deno.readTextFile(`${dir.path}/panewright.jsonc`);
  assertStringIncludes(full, '\n    // "max_rounds": 8,\n');
  assertStringIncludes(full, '\n  "project_test_cmd": ["npm", "test"],\n');
});

Deno.test("init leaves .gitignore alone outside of a repository, and follows no link that stands in a file's place", async () => {
  // A sandbox has left an empty .git, which git passes over.
  await using dir = await project(["codex"], { ".git/info/exclude": "" });
  assertEquals(await runCli(["init"], fakeIo({ cwd: dir.path, env: dir.env })), 0);
  assertEquals(await exists(`${dir.path}/.gitignore`), false);

  await using linked = await project(["codex"], { ".git/HEAD": "", "theirs": "mine\n" });
  for (const name of [".gitignore", "job.md"]) await Deno.symlink(`${linked.path}/theirs`, `${linked.path}/${name}`);
  const io = fakeIo({ cwd: linked.path, env: linked.env });
  assertEquals(await runCli(["init", "--force"], io), 2);
  assertStringIncludes(io.written.stderr, `Cannot add to ${linked.path}/.gitignore: it is a link`);
  assertEquals(await exists(`${linked.path}/panewright.jsonc`), false);
  assertEquals(await runCli(["init", "--force", "--no-gitignore"], io), 0);
  assertEquals(await Deno.readTextFile(`${linked.path}/theirs`), "mine\n");
  assertStringIncludes(await Deno.readTextFile(`${linked.path}/job.md`), "*** SCENARIO TEST ***");

  await using folder = await project(["codex"], { "elsewhere/x": "" });
  await Deno.symlink(`${folder.path}/elsewhere`, `${folder.path}/.panewright`);
  const refused = fakeIo({ cwd: folder.path, env: folder.env });
  assertEquals(await runCli(["init"], refused), 2);
  assertStringIncludes(refused.written.stderr, ".panewright: it is a symbolic link");
  assertEquals(await exists(`${folder.path}/panewright.jsonc`), false);
});

Deno.test("init asks at a terminal for what it cannot know, and for nothing that a flag says", async () => {
  const both = ["codex", "claude"];
  const makefile = { Makefile: "test:\n\ttrue\n" };
  const two = { ...makefile, "Cargo.toml": "" };
  const answered = async (
    keys: readonly (string | undefined)[],
    { args = [], programs = ["codex"], files = {} }: {
      readonly args?: readonly string[];
      readonly programs?: readonly string[];
      readonly files?: Readonly<Record<string, string>>;
    },
  ) => {
    await using dir = await project(programs, files);
    const io = fakeIo({ cwd: dir.path, env: dir.env, keys, terminal: true });
    const code = await runCli(["init", ...args], io);
    const asked = io.written.stderr.match(/^(?:Which agent|How may|Which command)/gm) ?? [];
    if (code !== 0) return [asked.length, code, await exists(`${dir.path}/panewright.jsonc`)] as const;
    const { config } = await loadConfig({ cwd: dir.path, env: () => undefined });
    return [asked.length, config.provider, config.sandbox, config.project_test_cmd ?? "none"] as const;
  };
  const none = { programs: [] };
  assertEquals(await answered(["\n", "\n"], {}), [2, "codex", "off", "none"]);
  assertEquals(await answered(["\n", "\n"], { files: makefile }), [2, "codex", "off", ["make", "test"]]);
  assertEquals(await answered(["2\n", "none\n"], { files: makefile }), [2, "codex", "auto", "none"]);
  assertEquals(await answered(["\n", "2\n"], { files: two }), [2, "codex", "off", ["make", "test"]]);
  assertEquals(await answered(["\n", "./check.sh -a && b\n"], { files: two }), [
    2,
    "codex",
    "off",
    "./check.sh -a && b",
  ]);
  assertEquals(await answered(["2\n", "\n", "\n"], { programs: both }), [3, "claude_code", "off", "none"]);
  assertEquals(await answered(["claude_code\n", "\n", "\n"], none), [3, "claude_code", "off", "none"]);
  assertEquals(await answered(["3\n", undefined], { programs: both }), [1, 2, false]);
  assertEquals(await answered(["\n", "3\n", undefined], { files: two }), [2, 2, false]);
  assertEquals(await answered(["\n", "0\n", undefined], {}), [2, 2, false]);
  assertEquals(
    await answered(["\n", undefined], { files: two }),
    [2, 2, false],
    "the input ends at the second question",
  );
  assertEquals(await answered([], { args: ["--test-cmd", "  "] }), [0, 2, false]);
  const all = ["--provider", "codex", "--permissions", "sandbox", "--test-cmd", "make check"];
  assertEquals(await answered([], { args: all, programs: both, files: two }), [0, "codex", "auto", ["make", "check"]]);
  assertEquals(await answered([], { args: ["--no-input"], programs: both, files: two }), [0, "codex", "off", "none"]);
  const without = [...all.slice(0, -1), "none"];
  assertEquals(await answered([], { args: without, files: makefile }), [0, "codex", "auto", "none"]);
});

Deno.test("init offers an allow list and a sandbox, at a terminal and by a flag", async () => {
  const written = async (keys: readonly (string | undefined)[] | undefined, args: readonly string[] = []) => {
    await using dir = await project(["codex"]);
    const { path: cwd, env } = dir;
    const io = fakeIo({ cwd, env, ...(keys === undefined ? {} : { keys, terminal: true }) });
    const code = await runCli(["init", "--test-cmd", "none", ...args], io);
    const asked = io.written.stderr.includes("Your choice");
    if (code !== 0) return { asked, code, written: await exists(`${dir.path}/panewright.jsonc`) };
    const { config } = await loadConfig({ cwd, env: () => undefined });
    const { default: byDefault, auto_accept, allow_everyday } = config.permissions;
    return { asked, chosen: [config.sandbox, byDefault, auto_accept, allow_everyday] as readonly unknown[] };
  };
  const list = ["off", "ask", true, true];
  const sandbox = ["auto", "allow", true, false];
  assertEquals(await written(undefined), { asked: false, chosen: list });
  assertEquals(await written(undefined, ["--permissions", "sandbox"]), { asked: false, chosen: sandbox });
  assertEquals(await written(["2\n"], ["--permissions", "allow-list"]), { asked: false, chosen: list });
  assertEquals(await written(["\n"]), { asked: true, chosen: list });
  assertEquals(await written(["2", "\n"]), { asked: true, chosen: sandbox });
  assertEquals(await written(["sandbox\r"]), { asked: true, chosen: sandbox });
  assertEquals(await written(["3\n", undefined]), { asked: true, code: 2, written: false });
});

Deno.test("init --exec writes a pipeline and a task for the CLI that is there, with the project's tests as its check", async () => {
  const written = async (program: string, args: readonly string[], files: Readonly<Record<string, string>> = {}) => {
    await using dir = await project([program, "make"], files);
    const { env } = dir;
    const io = fakeIo({ cwd: dir.path, env });
    assertEquals(await runCli(["init", "--exec", ...args], io), 0, io.written.stderr);
    assertStringIncludes(io.written.stdout, `wrote ${dir.path}/task.md`);
    const validated = fakeIo({ cwd: dir.path, env });
    assertEquals(await runCli(["validate", "task.md"], validated), 0);
    assertStringIncludes(validated.written.stdout, "warning: task.md: it is as `panewright init` wrote it");
    const { config } = await loadSettings({ cwd: dir.path, env: () => undefined });
    const [step] = config.pipelines["main"] ?? [];
    return [config.provider, config.sandbox, step?.args ?? [], step?.check, step?.retry] as readonly unknown[];
  };
  const tests = { type: "shell", command: "make test", expect: "pass", time_limit_seconds: 600 } as const;
  const tested = { Makefile: "test:\n\ttrue\n", ".git/HEAD": "" };
  assertEquals(await written("claude", [], tested), ["claude_code", "off", [], tests, 2]);
  const write = ["--sandbox", "workspace-write"];
  assertEquals(await written("codex", [], tested), ["codex", "off", write, tests, 2]);
  assertEquals(await written("codex", ["--permissions", "sandbox"], tested), ["codex", "auto", [], tests, 2]);
  assertEquals((await written("codex", [])).slice(3), [{ type: "none" }, 0]);
  assertEquals((await written("claude", ["--provider", "claude_code"]))[0], "claude_code");
  const outside = codexHeadless.argsToWork?.({ isRepository: false, sandbox: true });
  assertEquals(outside, ["--skip-git-repo-check"]);
});

Deno.test("init takes an agent over ACP where that is what is there, and puts it into a sandbox", async () => {
  await using dir = await project(["gemini"], {});
  const inside = fakeIo({ cwd: dir.path, env: dir.env });
  assertEquals(await runCli(["init", "--permissions", "sandbox"], inside), 0, inside.written.stderr);
  assertEquals((await loadConfig({ cwd: dir.path, env: () => undefined })).config.sandbox, "auto");
  const io = fakeIo({ cwd: dir.path, env: dir.env, keys: ["allow-list\n", "none\n"], terminal: true });
  assertEquals(await runCli(["init", "--force"], io), 0, io.written.stderr);
  assertStringIncludes(io.written.stdout, "agents       Gemini CLI\n");
  const { config } = await loadConfig({ cwd: dir.path, env: () => undefined });
  assertEquals([config.provider, config.sandbox, config.permissions.default], ["gemini", "off", "ask"]);
  assertEquals(await runCli(["init", "--force", "--exec", "--no-input"], fakeIo({ cwd: dir.path, env: dir.env })), 0);
});
