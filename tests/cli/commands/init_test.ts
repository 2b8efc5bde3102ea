import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { loadConfig, loadSettings } from "../../../lib/config/load.ts";
import { codexHeadless } from "../../../lib/providers/codex/headless/cli.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { runPanewright } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("init writes a config and a job that a run accepts as they are", async () => {
  await using dir = await tempDir();
  const { code, stdout, stderr } = await runPanewright(["init"], {
    cwd: dir.path,
    permissions: ["--allow-env", `--allow-read=${dir.path}`, `--allow-write=${dir.path}`],
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(
    stdout,
    `wrote ${dir.path}/panewright.jsonc\nwrote ${dir.path}/job.md\n\n` +
      'Next: describe the job in job.md, check the machine with "panewright doctor", then "panewright run".\n',
  );
  const loaded = await loadConfig({ cwd: dir.path, env: () => undefined });
  assertEquals([loaded.workdir, loaded.config.provider], [dir.path, "codex"]);
  assertStringIncludes(loaded.job.scenarioTest, "how the tester can see that it is done");
});

Deno.test("init does not touch what is there, neither file of the two, unless --force says so", async () => {
  await using dir = await tempDir();
  await dir.write({ "job.md": "mine" });
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["init"], io), 2);
  assertEquals(
    io.written.stderr,
    `panewright: Cannot write ${dir.path}/job.md: already there\n` +
      "  Nothing was written. Name another folder, or use --force to write over what is there.\n",
  );
  assertEquals([...Deno.readDirSync(dir.path)].map(({ name }) => name), ["job.md"]);
  assertEquals(await Deno.readTextFile(`${dir.path}/job.md`), "mine");
  assertEquals(await runCli(["init", "--force"], io), 0);
  assertStringIncludes(await Deno.readTextFile(`${dir.path}/job.md`), "*** SCENARIO TEST ***");
});

Deno.test("init makes the folder that it is given, and writes the provider that was chosen", async () => {
  await using dir = await tempDir();
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["init", "a/b", "--provider", "claude_code", "--json"], io), 0);
  const paths = io.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).path);
  assertEquals(paths, [`${dir.path}/a/b/panewright.jsonc`, `${dir.path}/a/b/job.md`]);
  const { config } = await loadConfig({ cwd: `${dir.path}/a/b`, env: () => undefined });
  assertEquals(config.provider, "claude_code");
});

Deno.test("init offers an allow list and a sandbox, at a terminal and by a flag", async () => {
  const written = async (keys: readonly string[] | undefined, args: readonly string[] = []) => {
    await using dir = await tempDir();
    const io = fakeIo({ cwd: dir.path, ...(keys === undefined ? {} : { keys, terminal: true }) });
    const code = await runCli(["init", ...args], io);
    if (code !== 0) return { code, asked: io.written.stderr, files: [...Deno.readDirSync(dir.path)].length };
    const { config } = await loadConfig({ cwd: dir.path, env: () => undefined });
    const { default: byDefault, auto_accept, allow } = config.permissions;
    return {
      asked: io.written.stderr.includes("Your choice"),
      chosen: [
        config.sandbox,
        byDefault,
        String(auto_accept),
        allow.length > 100 ? "a list" : "no list",
      ] as readonly unknown[],
    };
  };
  const list = ["off", "ask", "true", "a list"];
  const sandbox = ["cli", "allow", "true", "no list"];
  assertEquals(await written(undefined), { asked: false, chosen: list });
  assertEquals(await written(undefined, ["--permissions", "sandbox"]), { asked: false, chosen: sandbox });
  assertEquals(await written(["2\n"], ["--permissions", "allow-list"]), { asked: false, chosen: list });
  assertEquals(await written(["\n"]), { asked: true, chosen: list });
  assertEquals(await written(["2", "\n"]), { asked: true, chosen: sandbox });
  assertEquals(await written(["sandbox\r"]), { asked: true, chosen: sandbox });
  const refused = await written(["3\n"]);
  assertEquals([refused.code, refused.files], [2, 0]);
});

Deno.test("init --exec writes a pipeline and a task for the CLI that is there, with the project's tests as its check", async () => {
  const written = async (program: string, args: readonly string[], files: Readonly<Record<string, string>> = {}) => {
    await using dir = await tempDir();
    await dir.write({ [`bin/${program}`]: "#!/bin/sh\n", ...files });
    await Deno.chmod(`${dir.path}/bin/${program}`, 0o755);
    const env = { PATH: `${dir.path}/bin` };
    const io = fakeIo({ cwd: dir.path, env });
    assertEquals(await runCli(["init", "--exec", ...args], io), 0, io.written.stderr);
    assertStringIncludes(io.written.stdout, `wrote ${dir.path}/task.md`);
    assertEquals(await runCli(["validate"], fakeIo({ cwd: dir.path, env })), 0);
    const { config } = await loadSettings({ cwd: dir.path, env: () => undefined });
    const [step] = config.pipelines["main"] ?? [];
    return [config.provider, config.sandbox, step?.args ?? [], step?.check, step?.retry] as readonly unknown[];
  };
  const tests = { type: "shell", command: "make test", expect: "pass", time_limit_seconds: 600 } as const;
  const project = { Makefile: "test:\n\ttrue\n", ".git/HEAD": "" };
  assertEquals(await written("claude", [], project), ["claude_code", "off", [], tests, 2]);
  const write = ["--sandbox", "workspace-write"];
  assertEquals(await written("codex", [], project), ["codex", "off", write, tests, 2]);
  assertEquals(await written("codex", ["--permissions", "sandbox"], project), ["codex", "cli", [], tests, 2]);
  assertEquals((await written("codex", [])).slice(3), [{ type: "none" }, 0]);
  assertEquals((await written("claude", ["--provider", "claude_code"]))[0], "claude_code");
  const outside = codexHeadless.argsToWork?.({ isRepository: false, sandbox: true });
  assertEquals(outside, ["--skip-git-repo-check"]);
});
