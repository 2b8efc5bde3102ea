import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { playPanewright, runPanewright } from "../../support/run_panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

const TOOLS = ["sh", "cat", "env", "find", "grep", "sleep", "rm", "true"];
const TMUX = ["tmux"];

interface Machine extends AsyncDisposable {
  readonly dir: TempDir;
  /** Runs panewright in the project, whose folder is `project`. */
  run(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Whether anything of a run is there. */
  hasRun(): Promise<boolean>;
}

/** A machine with the tools that are named, agent CLIs by their scripts, and a project. */
async function machineWith(
  { tools = [...TOOLS, ...TMUX], clis = {}, env = {}, files, call = playPanewright }: {
    readonly tools?: readonly string[];
    /** As npm installs them: a link to a script in their package. */
    readonly clis?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly files: Readonly<Record<string, string>>;
    /** Calls it: what starts agents is a program of its own. */
    readonly call?: typeof runPanewright;
  },
): Promise<Machine> {
  const dir = await tempDir();
  await dir.write({ "bin/.keep": "", "home/.keep": "", "project/.git/HEAD": "" });
  await dir.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`project/${name}`, text])));
  for (const name of tools) await Deno.symlink(await whereIs(name), `${dir.path}/bin/${name}`);
  for (const [name, script] of Object.entries(clis)) {
    const [folder, npmName, version] = PACKAGES[name] ?? ["", "", ""];
    await dir.write({
      [`npm/${folder}/package.json`]: JSON.stringify({ name: npmName, version }),
      [`npm/${folder}/bin/${name}.js`]: `#!/bin/sh\necho "$@" >> ${dir.path}/calls\n${script}\n`,
    });
    await Deno.chmod(`${dir.path}/npm/${folder}/bin/${name}.js`, 0o755);
    await Deno.symlink(`${dir.path}/npm/${folder}/bin/${name}.js`, `${dir.path}/bin/${name}`);
  }
  return {
    dir,
    run: (...args) =>
      call(args, {
        cwd: `${dir.path}/project`,
        env: { PATH: `${dir.path}/bin`, HOME: `${dir.path}/home`, TMUX_TMPDIR: dir.path, ...env },
        permissions: ["--allow-all"],
      }),
    hasRun: () => exists(`${dir.path}/project/.panewright/runs`),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const PACKAGES: Readonly<Record<string, readonly [string, string, string]>> = {
  codex: ["codex", "@openai/codex", "0.169.0"],
  claude: ["claude-code", "@anthropic-ai/claude-code", "2.1.330"],
  gemini: ["gemini-cli", "@google/gemini-cli", "0.9.0"],
  "claude-agent-acp": ["claude-agent-acp", "@agentclientprotocol/claude-agent-acp", "0.100.0"],
};

async function whereIs(name: string): Promise<string> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (await exists(`${folder}/${name}`)) return `${folder}/${name}`;
  }
  throw new Error(`Cannot test without ${name}`);
}

const reviewLoop = (config: object, job = FLAG_JOB) => ({
  "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", ...config }),
  "job.md": job,
});

const LOGGED_IN = 'case "$1" in --version) echo "codex-cli 0.169.0";; login) echo "Logged in";; esac';
const LOGGED_OUT = '[ "$1" = login ] && { echo "Not logged in" >&2; exit 1; }; exit 0';

Deno.test("what cannot be known is a warning, and the run starts", async () => {
  await using machine = await machineWith({
    clis: { codex: 'case "$1" in --version) exit 0;; esac; echo "unrecognized subcommand"; exit 2' },
    files: reviewLoop({}),
  });
  await machine.dir.write({
    "home/.codex/config.toml": `[projects."${machine.dir.path}/project"]\ntrust_level = "trusted"\n`,
  });
  const { code, stderr } = await machine.run("run");
  assertStringIncludes(stderr, "warning: Codex: it does not say whether it is logged in: unrecognized subcommand");
  assertStringIncludes(stderr, "Codex ended while it was starting");
  assertEquals([code, await machine.hasRun()], [1, true]);
});

Deno.test("where npm left only a launcher, the native CLI behind it is looked at, which a run starts", async () => {
  const files = { ...reviewLoop({ provider: "claude_code" }), "task.md": "Fix it." };
  await using machine = await machineWith({ clis: {}, files });
  const { path } = machine.dir;
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  const native = `npm/@anthropic-ai/claude-code-${Deno.build.os}-${arch}/claude`;
  const launcher = "npm/@anthropic-ai/claude-code/bin/claude.exe";
  await machine.dir.write({
    "npm/@anthropic-ai/claude-code/package.json": '{ "name": "@anthropic-ai/claude-code", "version": "2.1.330" }',
    [launcher]: 'echo "Error: claude native binary not installed." >&2\nexit 1\n',
    [native]: '#!/bin/sh\ncase "$1" in --version) echo "2.1.330 (Claude Code)";; *) echo "Logged in";; esac\n',
    "home/.claude.json": `{ "projects": { "${path}/project": { "hasTrustDialogAccepted": true } } }`,
  });
  for (const file of [launcher, native]) await Deno.chmod(`${path}/${file}`, 0o755);
  await Deno.symlink(`${path}/${launcher}`, `${path}/bin/claude`);
  const { code, stdout } = await machine.run("doctor");
  assertEquals(code, 0, stdout);
  assertStringIncludes(stdout, "ok    Claude Code: 2.1.330 (Claude Code); Logged in\n");
  const { stderr } = await machine.run("run");
  assertStringIncludes(stderr, "Claude Code ended while it was starting");
  const preview = await machine.run("exec", "Fix it.", "--check", "true", "--provider", "claude_code", "--dry-run");
  assertStringIncludes(preview.stdout, `${path}/${native} -p`);
});

Deno.test("a model provider of its own needs no login with OpenAI, but its key", async () => {
  for (const [env, expected] of [[{ LAB_KEY: "x" }, 1], [{}, 3]] as const) {
    await using machine = await machineWith({ clis: { codex: LOGGED_OUT }, env, files: reviewLoop({}) });
    const provider = '[model_providers.lab]\nname = "lab"\nbase_url = "http://127.0.0.1:9"\nenv_key = "LAB_KEY"\n';
    await machine.dir.write({
      "home/.codex/config.toml":
        `model_provider = "lab"\n${provider}[projects."${machine.dir.path}/project"]\ntrust_level = "trusted"\n`,
    });
    const { code, stderr } = await machine.run("run");
    assertEquals([code, await machine.hasRun()], [expected, expected === 1], stderr);
    const doctor = await machine.run("doctor");
    if (expected === 1) assertMatch(doctor.stdout, /^ok {4}Codex: .*model provider lab, with its key in LAB_KEY$/m);
    else {
      assertStringIncludes(stderr, "Codex: its model provider lab needs a key in LAB_KEY, which is not set\n");
      assertStringIncludes(stderr, "or set the key of the model provider");
    }
  }
});

Deno.test("a sandbox is looked at with the variables of the agent that is to have it", async () => {
  const step = { name: "a", prompt: "self", check: { type: "none" } };
  await using machine = await machineWith({
    clis: { claude: LOGGED_IN },
    env: { CLAUDE_CODE_OAUTH_TOKEN: "x" },
    call: runPanewright,
    files: { "task.md": "Fix it." },
  });
  const { path } = machine.dir;
  const env = { PATH: `${path}/bin:${path}/sandbox` };
  const config = { provider: "claude_code", sandbox: "cli", pipelines: { main: [{ ...step, env }] } };
  await machine.dir.write({ "project/panewright.jsonc": JSON.stringify(config) });
  for (const name of ["bwrap", "socat"]) {
    await machine.dir.write({ [`sandbox/${name}`]: "#!/bin/sh\n" });
    await Deno.chmod(`${path}/sandbox/${name}`, 0o755);
  }
  const { stderr } = await machine.run("exec", "task.md");
  // That is what the CLI itself says at its start.
  assertStringIncludes(
    stderr,
    "Cannot start the agent in a sandbox: that of Claude Code is not on: it does not report",
  );
  assertEquals(await machine.hasRun(), true);
});

Deno.test("without a state folder that can be written no run begins, and nothing of one is left", async () => {
  await using machine = await machineWith({
    clis: { codex: LOGGED_IN },
    env: { XDG_STATE_HOME: "/proc" },
    call: runPanewright,
    files: {
      "task.md": "Fix it.",
      "panewright.jsonc": '{"pipelines":{"main":[{"name":"a","prompt":"self","check":{"type":"none"}}]}}',
    },
  });
  const { code, stderr } = await machine.run("exec", "task.md");
  assertStringIncludes(stderr, "Cannot keep the journal of run");
  assertStringIncludes(stderr, "PANEWRIGHT_STATE_DIR");
  assertEquals([code, [...Deno.readDirSync(`${machine.dir.path}/project/.panewright/runs`)]], [2, []]);
});

Deno.test("a session of tmux that is not there is told before a run is made", async () => {
  await using machine = await machineWith({
    clis: { codex: LOGGED_IN },
    files: reviewLoop({ tmux: { session: "work" } }),
  });
  const { code, stderr } = await machine.run("run");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "tmux session: there is no session work on socket default\n");
  const doctor = await machine.run("doctor");
  assertStringIncludes(doctor.stdout, "fail  tmux session: there is no session work on socket default\n");
  assertEquals(await machine.hasRun(), false);
});

Deno.test("what init wrote validates, and needs its job to be written before it runs", async () => {
  await using machine = await machineWith({ tools: TOOLS, files: {} });
  assertEquals((await machine.run("init")).code, 0);
  const { code, stdout } = await machine.run("validate");
  assertEquals(code, 0, stdout);
  assertStringIncludes(stdout, 'warning: job: job.md is as "panewright init" writes it');
  assertEquals((await machine.run("run")).code, 2);
  assertEquals((await machine.run("demo")).code, 2);
});

Deno.test("a test command that is still not there at the test stops the run, which continues with it when it is", async () => {
  const replay = { roles: { tester: { turns: [[{ respond: ["RESULT: PASS", "It works."] }]] } } };
  await using machine = await machineWith({
    call: runPanewright,
    files: {
      ...reviewLoop({
        provider: "replay",
        providers: { replay: { args: ["--script", "replay.json"] } },
        start_agent: "tester",
        project_test_cmd: ["./check.sh"],
        limits: { max_rounds: 1 },
        handoff: { poll_seconds: 0.2 },
        quiet_seconds: 0.5,
      }),
      "replay.json": JSON.stringify(replay),
    },
  });
  const first = await machine.run("run");
  assertEquals(first.code, 2, first.stderr);
  assertStringIncludes(
    first.stderr,
    'warning: test command: ./check.sh (panewright.jsonc:1) cannot be run: there is no program "./check.sh"',
  );
  assertStringIncludes(first.stderr, "Cannot run the project's test command (exit code 127): ./check.sh\n");
  const find = await Deno.readLink(`${machine.dir.path}/bin/find`);
  await Deno.remove(`${machine.dir.path}/bin/find`);
  const [run] = [...Deno.readDirSync(`${machine.dir.path}/project/.panewright/runs`)].filter((each) =>
    each.isDirectory
  );
  const journal = `${machine.dir.path}/project/.panewright/runs/${run?.name}/journal.ndjson`;
  const before = await Deno.readTextFile(journal);
  const refused = await machine.run("resume");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "Cannot resume the run: 1 problem\n  programs: there is no find on PATH\n");
  assertEquals(await Deno.readTextFile(journal), before, "the run is as it was");
  await Deno.symlink(find, `${machine.dir.path}/bin/find`);
  await Deno.writeTextFile(`${machine.dir.path}/project/check.sh`, "#!/bin/sh\n", { mode: 0o755 });
  const second = await machine.run("resume");
  assertEquals(second.code, 0, second.stderr);
});

Deno.test("a job may still be written, and changed, after a run refused the one of init", async () => {
  // An agent that asks by its protocol has no hooks to be tried first.
  const said = `[ "$1" = --cli ] && echo '{ "loggedIn": true }'; exit 1`;
  const clis = { "claude-agent-acp": said };
  await using machine = await machineWith({ clis, env: { PANEWRIGHT_TRUST: "0" }, files: {} });
  assertEquals((await machine.run("init", "--provider", "claude_acp", "--test-cmd", "true")).code, 0);
  const refused = await machine.run("run");
  assertEquals(refused.code, 2, refused.stderr);
  await machine.dir.write({ "project/job.md": FLAG_JOB });
  // A clone has nothing of what git ignores: the run writes again what editors read.
  const schema = `${machine.dir.path}/project/.panewright/config.schema.json`;
  const written = await Deno.readTextFile(schema);
  await Deno.remove(`${machine.dir.path}/project/.panewright`, { recursive: true });
  const { stderr } = await machine.run("run");
  assertEquals(await machine.hasRun(), true, stderr);
  assertEquals(await Deno.readTextFile(schema), written);
  await machine.dir.write({ "project/job.md": FLAG_JOB.replace("Add", "Remove") });
  // Another job needs no other trust.
  const changed = await machine.run("run");
  assertEquals(changed.stderr.includes("trusted"), false, changed.stderr);
});

Deno.test("an agent over ACP that says it is not logged in is for a person; a Node.js that is too old is named", async () => {
  const files = reviewLoop({ provider: "claude_acp" });
  const said = `[ "$1" = --cli ] && echo '{ "loggedIn": false }'; exit 1`;
  await using out = await machineWith({ tools: TOOLS, clis: { "claude-agent-acp": said }, files });
  const refused = await out.run("run");
  assertEquals([refused.code, await out.hasRun()], [3, false], refused.stderr);
  assertStringIncludes(
    refused.stderr,
    "  Claude Code (ACP): not logged in\n    Log in once with: claude-agent-acp --cli ",
  );
  // A project's settings may hold a login that it does not tell of: that is seen at its start.
  await out.dir.write({ "project/.claude/settings.json": '{ "apiKeyHelper": "./key" }' });
  const started = await out.run("run");
  assertEquals(await out.hasRun(), true, started.stderr);
  assertStringIncludes(started.stderr, "Claude Code (ACP): not logged in, unless by .claude/settings.json");

  await using old = await machineWith({ tools: TOOLS, clis: { "claude-agent-acp": "exit 1" }, files });
  await Deno.writeTextFile(`${old.dir.path}/npm/claude-agent-acp/bin/claude-agent-acp.js`, "#!/usr/bin/env node\n");
  await Deno.writeTextFile(`${old.dir.path}/bin/node`, "#!/bin/sh\necho v18.20.1\n", { mode: 0o755 });
  const { code, stderr } = await old.run("run");
  assertEquals(code, 2, stderr);
  assertStringIncludes(
    stderr,
    "  Claude Code (ACP): claude-agent-acp runs on Node.js 22 or newer, and the one on PATH is 18.20.1\n",
  );
});

Deno.test("a script of a Node.js of its own is judged by that one, not by the one on PATH", async () => {
  const step = { name: "a", prompt: "self", check: { type: "none" } };
  await using machine = await machineWith({
    clis: { "claude-agent-acp": "exit 1" },
    env: { ANTHROPIC_API_KEY: "dummy" },
    files: {
      "panewright.jsonc": JSON.stringify({ provider: "claude_acp", pipelines: { main: [step] } }),
      "task.md": "Fix it.",
    },
  });
  const { path } = machine.dir;
  const script = `${path}/npm/claude-agent-acp/bin/claude-agent-acp.js`;
  const nodes = { "bin/node": "v18.20.1", "own/node": "v24.1.0", "old/node": "v20.1.0" };
  for (const [file, version] of Object.entries(nodes)) {
    await machine.dir.write({ [file]: `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n` });
    await Deno.chmod(`${path}/${file}`, 0o755);
  }
  for (
    const [row, problem] of [
      [`#!${path}/old/node`, `, and ${path}/old/node is 20.1.0`],
      [`#!${path}/none/node`, `, and there is no program "${path}/none/node"`],
      ["#!/usr/bin/env -S NODE_ENV=x node --no-warnings", ", and the one on PATH is 18.20.1"],
      [`#!${path}/own/node`, undefined],
    ]
  ) {
    await Deno.writeTextFile(script, `${row}\n`);
    const { stderr } = await machine.run("exec", "task.md");
    assertEquals(await machine.hasRun(), problem === undefined, stderr);
    if (problem !== undefined) assertStringIncludes(stderr, `runs on Node.js 22 or newer${problem}\n`);
  }
});
