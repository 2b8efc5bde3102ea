import { assertEquals, assertStringIncludes } from "@std/assert";
import { loadConfig, loadSettings } from "../../lib/config/load.ts";
import { toPermissionPolicy } from "../../lib/config/common_plan.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { DEFAULT_PERMISSION_POLICY } from "../../lib/policy/mod.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

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
    acceptTypedInput: false,
    answersFrom: "person",
    dialogTimeoutSeconds: 30,
    hookTrial: "required",
  });
});

Deno.test("without a word about it the policy is the default one, and a config needs no job to be read for it", async () => {
  await using dir = await tempDir();
  const { config, workdir, file } = await loadSettings({ cwd: dir.path, env: () => undefined });
  assertEquals(toPermissionPolicy(config.permissions), { ...DEFAULT_PERMISSION_POLICY, writable: [] });
  assertEquals([config.permissions.dry_run, config.permissions.dialog_timeout_seconds], [false, undefined]);
  assertEquals([workdir, file], [dir.path, undefined]);
});

for (
  const [provider, args, loss] of [
    ["claude_code", ["--settings", "mine.json"], "--settings"],
    ["claude_code", ["--bare"], "--bare"],
    ["codex", ["-c", "features.hooks=false"], "-c"],
    ["codex", ["--disable", "hooks"], "--disable"],
  ] as const
) {
  Deno.test(`${provider}: an argument that takes the policy's hooks away is refused by its place: ${args.join(" ")}`, async () => {
    const refused = async (permissions: object, owner: object) => {
      await using dir = await tempDir();
      await dir.write({ "panewright.jsonc": JSON.stringify({ provider, permissions, ...owner }) });
      return await loadSettings({ cwd: dir.path, env: () => undefined }).then(() => "", (error) => error.message);
    };
    for (const permissions of [{ deny: ["git push"] }, { ask: [{ path: "src/**" }] }, { auto_accept: true }]) {
      for (
        const [owner, place] of [
          [{ providers: { [provider]: { args } } }, `providers.${provider}.args[0]`],
          [{ roles: { tester: { args } } }, "roles.tester.args[0]"],
        ] as const
      ) {
        const message = await refused(permissions, owner);
        assertStringIncludes(message, `${place} is "${loss}", which takes our hooks away`);
      }
    }
    // Nobody relies on hooks there.
    assertEquals(await refused({}, { roles: { tester: { args } } }), "");
  });
}
