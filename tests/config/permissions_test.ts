import { assertEquals, assertRejects } from "@std/assert";
import { loadConfig, loadSettings } from "../../lib/config/load.ts";
import { toPermissionPolicy, toRunPlan } from "../../lib/config/plan.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { DEFAULT_PERMISSION_POLICY } from "../../lib/policy/mod.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

/** What is said to be wrong with `permissions` of a config whose second line it is. */
async function problemsOf(permissions: string): Promise<string[]> {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": `{\n"permissions": ${permissions} }` });
  const error = await assertRejects(() => loadSettings({ cwd: dir.path, env: () => undefined }), UsageError);
  return error.message.split("\n").slice(1).map((line) => line.trim());
}

Deno.test("rules are strings or objects, and become the run's policy", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": `{
  "prompt_file": "job.md",
  "permissions": {
    "deny": ["git push", { "command": "npm **", "roles": ["tester"], "providers": ["codex"], "kinds": ["command"] }],
    "ask": [{ "path": ".github/**" }],
    "allow": [{ "kinds": ["file_edit"] }],
    "lift_builtin": ["sudo"],
    "writable": ["/tmp"],
    "default": "deny",
    "dry_run": true,
    "dialog_timeout_seconds": 30,
  },
}`,
    "job.md": FLAG_JOB,
  });
  const plan = toRunPlan(await loadConfig({ cwd: dir.path, env: () => undefined }));
  assertEquals(plan.permissions, {
    policy: {
      deny: [
        { command: "git push" },
        { command: "npm **", roles: ["tester"], providers: ["codex"], kinds: ["command"] },
      ],
      ask: [{ path: ".github/**" }],
      allow: [{ kinds: ["file_edit"] }],
      liftBuiltin: ["sudo"],
      writable: ["/tmp"],
      default: "deny",
    },
    dryRun: true,
    modelAnswers: "questions",
    dialogTimeoutSeconds: 30,
  });
});

Deno.test("without a word about it the policy is the default one, and a config needs no job to be read for it", async () => {
  await using dir = await tempDir();
  const { config, workdir, file } = await loadSettings({ cwd: dir.path, env: () => undefined });
  assertEquals(toPermissionPolicy(config.permissions), { ...DEFAULT_PERMISSION_POLICY, writable: [] });
  assertEquals([config.permissions.dry_run, config.permissions.dialog_timeout_seconds], [false, 600]);
  assertEquals([workdir, file], [dir.path, undefined]);
});

Deno.test("a pattern that is none is refused with its place and the reason", async () => {
  assertEquals(await problemsOf(`{ "deny": ["ls", "git push; ls"] }`), [
    'panewright.jsonc:2:33: permissions.deny[1] is not a command pattern: "git push; ls" has more than one command in it: a rule is about one',
  ]);
  assertEquals(await problemsOf(`{ "ask": [{ "command": "echo 'x" }] }`), [
    `panewright.jsonc:2:28: permissions.ask[0].command is not a command pattern: "echo 'x" is not a command: a ' that is not closed`,
  ]);
  assertEquals(await problemsOf(`{ "allow": ["echo $HOME", "", "a > b"] }`), [
    'panewright.jsonc:2:28: permissions.allow[0] is not a command pattern: "echo $HOME" has an expansion, $HOME: put it in single quotes',
    'panewright.jsonc:2:42: permissions.allow[1] is not a command pattern: "" has no words',
    'panewright.jsonc:2:46: permissions.allow[2] is not a command pattern: "a > b" has a redirection: a rule is about words',
  ]);
});

Deno.test("a rule that is none is refused with its place and the reason", async () => {
  const where = "panewright.jsonc:2:27: permissions.deny[0]";
  assertEquals(await problemsOf(`{ "deny": [7] }`), [`${where} must be a string or an object, but is 7`]);
  assertEquals(await problemsOf(`{ "deny": [{}] }`), [
    `${where} says nothing: a rule has at least one of command, path, roles, providers and kinds`,
  ]);
  assertEquals(await problemsOf(`{ "deny": [{ "command": "a", "path": "b" }] }`), [
    `${where} has both command and path: a dialog is about one of them`,
  ]);
  assertEquals(await problemsOf(`{ "deny": [{ "comand": "a" }] }`), [
    'panewright.jsonc:2:29: unknown key "comand" in permissions.deny[0]; did you mean "command"? ' +
    "Allowed here: command, path, roles, providers, kinds",
  ]);
  assertEquals(await problemsOf(`{ "deny": [{ "roles": ["testr"] }] }`), [
    "panewright.jsonc:2:39: permissions.deny[0].roles[0] must be one of analyst, analyst_review, programmer, " +
    'programmer_review, tester, but is the string "testr"; did you mean "tester"?',
  ]);
});

Deno.test("a kind that is never accepted cannot be named, and a built-in rule only by its name", async () => {
  const [kind = ""] = await problemsOf(`{ "allow": [{ "kinds": ["trust"] }] }`);
  assertEquals(kind.includes("must be one of command, patch, file_write, file_edit, plan, other, but is"), true, kind);
  const [lifted = ""] = await problemsOf(`{ "lift_builtin": ["pipe-to-shell"] }`);
  assertEquals(lifted.endsWith('did you mean "pipe_to_shell"?'), true, lifted);
});
