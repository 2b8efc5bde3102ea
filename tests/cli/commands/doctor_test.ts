import { assertEquals, assertStringIncludes } from "@std/assert";
import { basename, dirname } from "@std/path/posix";
import type { CliIo } from "../../../lib/cli/console/command.ts";
import { checkAgent } from "../../../lib/cli/preflight/agent.ts";
import { lookAtMachine, type Machine } from "../../../lib/cli/preflight/machine_look.ts";
import { checkFolder, checkTerminal, checkTmux } from "../../../lib/cli/preflight/machine.ts";
import { type CommandResult, type ProcessRunner, systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { claudeCodeProvider } from "../../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import type { Provider } from "../../../lib/agents/provider.ts";
import { callCli } from "../../support/call_cli.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { playPanewright, runPanewright } from "../../support/run_panewright.ts";
import { until } from "../../support/until.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

/** Programs by their command line; a command line that is not there is a program that is not installed. */
function runnerOf(programs: Readonly<Record<string, Partial<CommandResult>>>): ProcessRunner {
  return {
    run({ argv }) {
      const result = programs[argv.join(" ")];
      if (result === undefined) return Promise.reject(new Deno.errors.NotFound(argv[0]));
      return Promise.resolve({ code: 0, stdout: "", stderr: "", timedOut: false, truncated: false, ...result });
    },
  };
}

function machineOf(programs: Readonly<Record<string, Partial<CommandResult>>>, io: CliIo = fakeIo()): Machine {
  return lookAtMachine({ processRunner: runnerOf(programs), signal: io.signal, env: io.env });
}

const codex = agentOf(codexProvider);

function agentOf(provider: Provider) {
  return { provider: { ...provider, cli: provider.cli! }, workdir: "/", asksPerson: true };
}

Deno.test("an agent CLI is found with its version and its login", async () => {
  const machine = machineOf({
    "codex --version": { stdout: "codex-cli 0.169.0\n" },
    "codex login status": { stdout: "Logged in using ChatGPT\n" },
  });
  assertEquals(await checkAgent(machine.cli(codex), { needed: true }), {
    check: "Codex",
    installed: true,
    status: "ok",
    detail: "codex-cli 0.169.0; Logged in using ChatGPT",
  });
});

Deno.test("an agent CLI without a login is a warning: a model provider of its own needs none", async () => {
  const machine = machineOf({
    "codex --version": { stdout: "codex-cli 0.169.0\n" },
    "codex login status": { code: 1, stderr: "Not logged in\n" },
  });
  assertEquals(await checkAgent(machine.cli(codex), { needed: true }), {
    check: "Codex",
    installed: true,
    status: "warn",
    detail: "codex-cli 0.169.0; Not logged in",
    remedy: codexProvider.terminal.startupRemedies.login!,
  });
});

Deno.test("a key that the agent CLI was told not to use is not good, whatever its login status says", async () => {
  await using home = await tempDir();
  const key = "sk-test-0123456789abcdefghij";
  const machine = machineOf({
    "claude --version": { stdout: "2.1.328 (Claude Code)\n" },
    "claude auth status --text": { stdout: "Logged in with an API key\n" },
  }, fakeIo({ env: { HOME: home.path, ANTHROPIC_API_KEY: key } }));
  const claude = agentOf(claudeCodeProvider);
  const statusWith = async (answers: Readonly<Record<string, readonly string[]>>) => {
    await home.write({ ".claude.json": JSON.stringify({ customApiKeyResponses: answers }) });
    const { status, detail } = await checkAgent(machine.cli(claude), { needed: true });
    return { status, detail };
  };
  assertEquals(await statusWith({ approved: [key.slice(-20)], rejected: [] }), {
    status: "ok",
    detail: "2.1.328 (Claude Code); Logged in with an API key",
  });
  assertEquals(await statusWith({ approved: [], rejected: [key.slice(-20)] }), {
    status: "warn",
    detail: "2.1.328 (Claude Code); it was told not to use the key in ANTHROPIC_API_KEY",
  });
});

Deno.test("an agent CLI that is missing fails where it is needed, and warns where it is not", async () => {
  for (const [needed, status] of [[true, "fail"], [false, "warn"]] as const) {
    assertEquals(await checkAgent(machineOf({}).cli(codex), { needed }), {
      check: "Codex",
      installed: false,
      status,
      detail: 'there is no program "codex" on PATH',
      remedy: codex.provider.cli.installHint,
    });
  }
});

Deno.test("an agent CLI that cannot tell its version is not taken for one that works", async () => {
  const machine = machineOf({ "codex --version": { code: 126, stderr: "\nexec format error\n" } });
  const { status, detail } = await checkAgent(machine.cli(codex), { needed: true });
  assertEquals([status, detail], ["fail", "codex --version ended with code 126: exec format error"]);
});

Deno.test("the terminal and the locale are looked at", () => {
  const statuses = (env: Record<string, string>) =>
    checkTerminal(machineOf({}, fakeIo({ env }))).map(({ status }) => status);
  assertEquals(statuses({ TERM: "xterm", LANG: "de_DE.UTF-8" }), ["ok", "ok"]);
  assertEquals(statuses({ TERM: "xterm", LANG: "C.utf8", LC_ALL: "" }), ["ok", "ok"]);
  assertEquals(statuses({ TERM: "dumb", LANG: "C.UTF-8", LC_ALL: "C" }), ["warn", "warn"]);
  assertEquals(statuses({}), ["warn", "warn"]);
});

Deno.test("a folder that cannot be written to fails", async () => {
  await using dir = await tempDir();
  assertEquals((await checkFolder("working directory", dir.path)).status, "ok");
  assertEquals([...Deno.readDirSync(dir.path)], [], "nothing is left behind");
  const { status, detail } = await checkFolder("working directory", `${dir.path}/none`);
  assertEquals(status, "fail");
  assertStringIncludes(detail, `${dir.path}/none is not writable: `);
});

Deno.test("in a narrow terminal doctor breaks its lines at words", async () => {
  await using dir = await tempDir();
  const env = { PATH: dir.path, HOME: dir.path, TERM: "xterm", NO_COLOR: "1" };
  const { stdout } = await callCli(["doctor"], { cwd: dir.path, env, terminal: true, columns: 60 });
  assertStringIncludes(
    stdout,
    "warn  locale: none of LC_ALL, LC_CTYPE and LANG is set\n" +
      "      Set a UTF-8 locale, for example LANG=C.UTF-8, so that\n" +
      "      agents draw their screens as they were recorded.\n",
  );
});

/** A machine whose PATH holds only what is given: scripts by their names. */
async function doctorOn(
  scripts: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  /** Calls it; as a program of its own it has no more permissions than it needs. */
  call: typeof runPanewright = playPanewright,
) {
  await using dir = await tempDir();
  const trust = `[projects."${dir.path}"]\ntrust_level = "trusted"\n`;
  await dir.write({ ".codex/config.toml": trust, ...files, "bin/.keep": "" });
  for (const name of TOOLS) await Deno.symlink(`/bin/${name}`, `${dir.path}/bin/${name}`);
  for (const [name, script] of Object.entries(scripts)) {
    await Deno.writeTextFile(`${dir.path}/bin/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const result = await call(["doctor", ...args], {
    cwd: dir.path,
    env: { PATH: `${dir.path}/bin`, HOME: dir.path },
    permissions: ["--allow-env", "--allow-read", `--allow-write=${dir.path}`, "--allow-run", "--allow-sys=uid"],
  });
  return { ...result, path: dir.path };
}

const TOOLS = ["sh", "cat", "env", "find", "grep", "sleep"];
const TMUX = 'case "$*" in *-V*) echo "tmux 3.4";; esac';
const CODEX = 'case "$1" in --version) echo "codex-cli 0.169.0";; login) echo "Logged in";; esac';

/** Codex' sandbox as its probe sees it: the program behind `--` may write what it writes first, or all of it. */
const sandboxed = (what: "inside" | "all") =>
  `${CODEX}\n[ "$1" = sandbox ] || exit 0\nwhile [ "$1" != -- ]; do shift; done\nshift\n` +
  (what === "inside" ? ': > "$5"' : ': > "$5"; : > "$6"');

Deno.test("doctor on a machine that has everything ends with 0", async () => {
  const files = { "panewright.jsonc": '{ "prompt_file": "job.md" }', "job.md": FLAG_JOB };
  const { code, stdout, stderr, path } = await doctorOn(
    { tmux: TMUX, codex: sandboxed("inside") },
    files,
    [],
    runPanewright,
  );
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(stdout.split("\n").slice(1), [
    "ok    programs: sh, cat, env, find, grep, sleep",
    "ok    tmux: tmux 3.4, starts a server",
    "ok    Codex: codex-cli 0.169.0; Logged in",
    `ok    trust of Codex: it trusts ${path}`,
    'ok    sandbox of Codex: it can be switched on with "sandbox": "commands"',
    "ok    sandbox around agents: not asked for; it could not be opened here: there is no bwrap, socat, rg, bash on PATH",
    "ok    rules for codex: built in, version 0.1.0",
    "ok    rules for claude_code: built in, version 0.1.0",
    `ok    HOME: ${path}`,
    "ok    terminal: TERM is xterm-256color",
    "ok    locale: C.UTF-8",
    `ok    working directory: ${path} is writable`,
    "ok    config: panewright.jsonc",
    "",
  ]);
});

Deno.test("a look at tmux removes what earlier ones left that were killed, and nothing else", async () => {
  await using dir = await tempDir();
  const processRunner: ProcessRunner = {
    run: (spec) => systemProcessRunner.run({ ...spec, env: { ...spec.env, TMUX_TMPDIR: dir.path } }),
  };
  const tmux = async (...args: readonly string[]) =>
    (await processRunner.run({ argv: ["tmux", "-f", "/dev/null", ...args] })).stdout.trim();
  const start = (name: string) =>
    tmux("-L", name, "new-session", "-d", "-P", "-F", "#{pid} #{socket_path}", "sleep", "100");
  const [pid = "", dead = ""] = (await start("panewright-doctor-dead")).split(" ");
  const [, alive = ""] = (await start("panewright-doctor-alive")).split(" ");
  try {
    Deno.kill(Number(pid), "SIGKILL");
    await until(async () => (await tmux("-S", dead, "list-sessions")) === "");
    await Deno.writeTextFile(`${dirname(dead)}/own`, "");
    assertEquals((await checkTmux({ processRunner })).status, "ok");
    const left = [...Deno.readDirSync(dirname(dead))].map(({ name }) => name).sort();
    assertEquals(left, ["own", basename(alive)]);
  } finally {
    await tmux("-S", alive, "kill-server");
  }
});

Deno.test("what looks at a config runs nothing that it names, and a run does not either before it is trusted", async () => {
  await using dir = await tempDir();
  const evil = `${dir.path}/evil`;
  await dir.write({ "job.md": FLAG_JOB, "home/.keep": "", "plan.md": "Plan.", "task.md": "Task." });
  await Deno.writeTextFile(evil, `#!/bin/sh\necho "$*" >> ${dir.path}/marker\n`, { mode: 0o755 });
  const env = { LD_PRELOAD: `${dir.path}/evil.so`, PATH: dir.path };
  const agent = { command: [evil], env };
  const config = {
    prompt_file: "job.md",
    providers: { codex: agent, claude_code: agent },
    roles: { tester: { provider: "claude_code" } },
    project_test_cmd: [evil],
    post_processing: { openspec_change: "x", git_commit_message: "x" },
    notifications: { ntfy_url: "http://127.0.0.1:9", ntfy_topic: "x" },
    permissions: { auto_accept: true, lift_builtin: [] },
    tmux: { socket: `${dir.path}/tmux` },
    exec: { ask_commands: [["evil"]] },
    pipelines: { main: [{ name: "a", prompt: "plan.md", ...agent, check: { type: "shell", command: [evil] } }] },
  };
  await dir.write({ "panewright.jsonc": JSON.stringify(config) });
  for (
    const [args, expected] of [
      [["doctor"], undefined],
      [["validate"], 0],
      [["config", "show"], 0],
      [["permissions", "test", "ls"], 0],
      [["trust"], 3],
      [["run"], 3],
      [["exec", "task.md"], 3],
    ] as const
  ) {
    const { code, stdout, stderr } = await playPanewright(args, {
      cwd: dir.path,
      env: { HOME: `${dir.path}/home`, PANEWRIGHT_TRUST: "" },
    });
    if (expected !== undefined) assertEquals(code, expected, `${args.join(" ")}: ${stdout}${stderr}`);
    else assertStringIncludes(stdout, `ok    Codex: ${evil} of the config is there; doctor does not run it\n`);
    const left = [...Deno.readDirSync(dir.path)].map(({ name }) => name).toSorted();
    assertEquals(left, ["evil", "home", "job.md", "panewright.jsonc", "plan.md", "task.md"], args.join(" "));
  }
  // The trap is one: a run that is trusted steps into it.
  const { code } = await playPanewright(["exec", "task.md"], {
    cwd: dir.path,
    env: { HOME: `${dir.path}/home` },
  });
  assertEquals([code, (await Deno.readTextFile(`${dir.path}/marker`)).length > 0], [0, true]);
});
