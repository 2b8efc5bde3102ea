import { assertEquals, assertMatch } from "@std/assert";
import { exists } from "@std/fs";
import { findHooks, type TrialProvider } from "../../lib/cli/doctor/hook_trial.ts";
import { codexHookTrial } from "../../lib/agents/codex/hook_trial.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { installCli } from "../support/clis.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { tempDir } from "../support/temp_dir.ts";

const folderOf = (program: string) => program.slice(0, program.lastIndexOf("/"));

Deno.test("doctor tries the hooks of the real CLIs, and leaves no folder of the trial", async () => {
  const panewright = await panewrightFromSource();
  const clis = await Promise.all([installCli("codex"), installCli("claude_code")]);
  await using sandbox = await createSandbox();
  const { home, project } = sandbox;
  const PATH = [...clis.map(({ argv }) => folderOf(argv[0])), sandbox.env.PATH].join(":");
  const { stdout, stderr } = await runProgram([
    ...panewright.argv,
    "doctor",
    "--hooks",
    "--hooks-limit",
    "120",
    "--json",
  ], {
    cwd: project,
    env: { ...sandbox.env, ...panewright.env, PATH },
    timeoutMs: 300_000,
  });
  const findings = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const detail = "they work, in a pane and without one: the policy is asked before a command runs, and its word holds";
  assertEquals(
    findings.filter(({ check }) => / hooks$/.test(check)),
    ["Codex hooks", "Claude Code hooks"].map((check) => ({ type: "finding", v: 1, check, status: "ok", detail })),
    stderr,
  );
  assertEquals(await exists(`${home}/.local/state/panewright/hooks`), false);
  assertEquals([...Deno.readDirSync(sandbox.env["TMPDIR"]!)].filter(({ name }) => name.startsWith("panewright-")), []);
});

Deno.test("a CLI that passes over its hooks opens its dialog, and doctor says what is used instead", async () => {
  const { argv: [program] } = await installCli("codex");
  const { launch } = codexProvider.terminal;
  const { headless: _headless, ...inPane } = codexProvider;
  const provider = {
    ...inPane,
    cli: codexProvider.cli!,
    terminal: {
      ...codexProvider.terminal,
      launch: ({ hook: _hook, turnHook: _turnHook, ...request }, host) => launch(request, host),
    },
  } satisfies TrialProvider["provider"];
  const finding = await findHooks({ provider, trial: codexHookTrial }, {
    version: "",
    searchPath: `${folderOf(program)}:${Deno.env.get("PATH")}`,
    limitSeconds: 120,
    signal: new AbortController().signal,
  });
  assertEquals([finding.check, finding.status], ["Codex hooks", "warn"]);
  assertMatch(finding.detail, /^in a pane, this did not hold: an allowed .*; an asked .*; a denied .*; the turn /);
});

Deno.test("what cannot be started cannot be tried, and gets nothing of the person's", async () => {
  await using dir = await tempDir();
  await dir.write({ "bin/.keep": "" });
  const script = `#!/bin/sh\nenv > '${dir.path}/seen'\necho broken\nexit 3\n`;
  await Deno.writeTextFile(`${dir.path}/bin/codex`, script, { mode: 0o755 });
  const provider = { ...codexProvider, cli: codexProvider.cli! };
  const finding = await findHooks({ provider, trial: codexHookTrial }, {
    version: "",
    searchPath: `${dir.path}/bin:/usr/bin:/bin`,
    limitSeconds: 120,
    signal: new AbortController().signal,
  });
  assertEquals([finding.check, finding.status], ["Codex hooks", "warn"]);
  assertMatch(finding.detail, /^in a pane, they cannot be tried: .*; without one, they cannot be tried: /);
  const names = (await Deno.readTextFile(`${dir.path}/seen`)).split("\n").map((line) => line.split("=")[0]!);
  const allowed =
    "CODEX_HOME HOME LANG PANEWRIGHT_ATTEMPT PANEWRIGHT_NO_KEY PANEWRIGHT_SESSION_MARK PATH PWD SHLVL TERM TMPDIR TMUX TMUX_PANE _";
  assertEquals(names.filter((name) => name !== "" && !allowed.split(" ").includes(name)), []);
});
