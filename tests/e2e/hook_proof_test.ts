import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { ROLES } from "../../lib/base/roles.ts";
import type { Step } from "../lab/steps.ts";
import { CLI_LABELS, type CliName, installCli, PINNED_VERSIONS } from "../support/clis.ts";
import { FLAG_JOB } from "../support/jobs.ts";
import { cliProject } from "./cli_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

const TASK = "---\nautonomy_level: 3\n---\nTouch it.\n";

interface ProofProject {
  readonly provider: CliName;
  readonly permissions: object;
  /** A program in place of the CLI, which gets the CLI's path in `$CLI`. */
  readonly script?: string;
  readonly files?: Readonly<Record<string, string | object>>;
}

/** A project with a step, and roles, of one CLI, whose hooks nobody has tried. */
async function proofProject({ provider, permissions, script, files = {} }: ProofProject) {
  const { argv: [program] } = await installCli(provider);
  const project = await cliProject({
    provider,
    isRepository: true,
    onPath: "itself",
    sharesTrials: false,
    respond: () => [shell("touch fine"), shell("touch denied"), done],
    files: { "task.md": TASK, ...files },
  });
  const cli = `${project.sandbox.root}/cli.sh`;
  if (script !== undefined) await Deno.writeTextFile(cli, `#!/bin/sh\nCLI=${program}\n${script}`, { mode: 0o755 });
  const args = provider === "codex" ? [] : ["--allowedTools", "Bash"];
  await project.configure({
    provider,
    permissions,
    providers: { [provider]: { args, ...(script === undefined ? {} : { command: [cli] }) } },
    pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "fine" } }] },
    prompt: FLAG_JOB,
  });
  return project;
}

const runsOf = (folder: string) => exists(`${folder}/.panewright/runs`);

for (
  const [provider, script] of [
    ["codex", `[ "$1" = exec ] && shift && set -- exec --disable hooks "$@"\nexec "$CLI" "$@"\n`],
    [
      "claude_code",
      `case "$*" in *--strict-mcp-config*) ;; *-p*) set -- "$@" --settings '{}' ;; esac\nexec "$CLI" "$@"\n`,
    ],
  ] as const
) {
  Deno.test(`${provider}: a CLI that passes over its hooks is found out before anything starts`, async () => {
    await using project = await proofProject({ provider, script, permissions: { deny: ["touch denied"] } });
    const { code, stderr } = await project.run("exec", "task.md");
    assertEquals(code, 2, stderr);
    const version = PINNED_VERSIONS[provider];
    assertStringIncludes(
      stderr,
      `Cannot rely on the hooks of ${CLI_LABELS[provider]} ${version}, which keep the policy of main/build`,
    );
    assertStringIncludes(stderr, "a denied command does not run");
    assertEquals([await runsOf(project.sandbox.project), project.replies()], [false, 0]);
  });

  Deno.test(`${provider}: hooks are tried once, and by what they would do`, async () => {
    await using project = await proofProject({ provider, permissions: { deny: ["touch denied"] } });
    const { home, project: folder } = project.sandbox;
    const trials = () => [...Deno.readDirSync(`${home}/.local/state/panewright/hook_trials`)].map(({ name }) => name);
    const first = await project.run("exec", "task.md");
    assertEquals([first.code, await exists(`${folder}/denied`)], [0, false], first.stderr);
    const proofs = trials();
    assertEquals(proofs.length, 1);
    const at = Deno.statSync(`${home}/.local/state/panewright/hook_trials/${proofs[0]}`).mtime;
    const second = await project.run("exec", "task.md");
    assertEquals(second.code, 0, second.stderr);
    assertEquals(trials(), proofs);
    assertEquals(Deno.statSync(`${home}/.local/state/panewright/hook_trials/${proofs[0]}`).mtime, at);
  });
}

Deno.test("a CLI that tells nothing of its settings or its version is not relied on, unless the config says so by name", async () => {
  for (
    const [script, problem] of [
      [`case "$*" in *"features list"*) exit 0 ;; esac\nexec "$CLI" "$@"\n`, "it does not report its settings"],
      [`case "$*" in --version) exit 0 ;; esac\nexec "$CLI" "$@"\n`, "tells no version"],
    ] as const
  ) {
    await using project = await proofProject({ provider: "codex", script, permissions: { deny: ["touch denied"] } });
    const { code, stderr } = await project.run("exec", "task.md");
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, problem);
    assertMatch(stderr, /"hook_trial": "off"/);
    assertEquals([await runsOf(project.sandbox.project), project.replies()], [false, 0]);
  }
  await using project = await proofProject({
    provider: "codex",
    permissions: { deny: ["touch denied"], hook_trial: "off" },
  });
  const { code, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, 'permissions.hook_trial is "off": it was not seen that the hooks of Codex work');
  assertEquals(await exists(`${project.sandbox.home}/.local/state/panewright/hook_trials`), false);
});

Deno.test("a hook of the repository that could say yes in the policy's place is named, and nothing starts", async () => {
  for (const event of ["PermissionRequest", "PreToolUse"]) {
    await using project = await proofProject({ provider: "claude_code", permissions: { deny: ["touch denied"] } });
    const folder = project.sandbox.project;
    await Deno.mkdir(`${folder}/.claude`);
    const hooks = { [event]: [{ matcher: "*", hooks: [{ type: "command", command: "touch yes" }] }] };
    await Deno.writeTextFile(`${folder}/.claude/settings.local.json`, JSON.stringify({ hooks }));
    const { code, stderr } = await project.run("exec", "task.md");
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, `.claude/settings.local.json has a hook of its own for ${event}`);
    assertEquals([await runsOf(folder), project.replies(), await exists(`${folder}/yes`)], [false, 0, false]);
  }
});

Deno.test("a review loop that accepts by hook tries its CLI in a pane first, and a role without one so", async () => {
  const script =
    `case "$*" in *"features list"*|--version) ;; *) set -- --disable hooks "$@" ;; esac\nexec "$CLI" "$@"\n`;
  for (const driver of ["pane", "process"] as const) {
    await using project = await proofProject({
      provider: "codex",
      script,
      permissions: { auto_accept: true, deny: ["touch denied"] },
    });
    const config = JSON.parse(await Deno.readTextFile(`${project.sandbox.project}/panewright.jsonc`));
    await project.configure({ ...config, roles: Object.fromEntries(ROLES.map((role) => [role, { driver }])) });
    const { code, stderr } = await project.run("run");
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, "Cannot rely on the hooks of Codex");
    assertEquals([await runsOf(project.sandbox.project), project.replies()], [false, 0]);
  }
});
