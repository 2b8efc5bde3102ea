import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import type { Host } from "../../../lib/base/ports/host.ts";
import { claudeLaunchPlan } from "../../../lib/agents/claude_code/launch.ts";
import { findNativeClaude } from "../../../lib/agents/claude_code/program.ts";

function host(files: Readonly<Record<string, string>>, os = "linux", arch = "x86_64"): Host {
  return { os, arch, path: ["/a/bin", "/b/bin"], stateFolder: undefined, realFile: (file) => files[file] };
}

const NPM = "/b/lib/node_modules/@anthropic-ai/claude-code";

Deno.test("a start has the person's settings, and what was asked for on top", () => {
  const common = { workdir: "/work", role: "tester" };
  const plan = claudeLaunchPlan({ ...common, env: { A: "1" }, args: ["--allowedTools", "Bash"] }, host({}));
  assertEquals(plan, {
    argv: ["claude", "--allowedTools", "Bash"],
    env: { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false", A: "1" },
    cwd: "/work",
  });
  const all = claudeLaunchPlan({
    ...common,
    command: ["node", "cli.js"],
    model: "opus",
    keepScrollback: true,
    resume: "u1",
    env: { DISABLE_AUTOUPDATER: "0" },
  }, host({}));
  assertEquals(all.argv, ["node", "cli.js", "--settings", '{"tui":"default"}', "--model", "opus", "--resume", "u1"]);
  assertEquals(all.env["DISABLE_AUTOUPDATER"], "0");
});

Deno.test("a hook that decides is waited for, one that only tells of turns is not", () => {
  const [hook, turnHook] = [{ command: "decide", timeoutSeconds: 5 }, { command: "tell", timeoutSeconds: 5 }];
  const env = { CLAUDE_CODE_SIMPLE: "1" };
  const { argv, env: set } = claudeLaunchPlan({ workdir: "/work", role: "tester", hook, turnHook, env }, host({}));
  const decides = [{ matcher: "*", hooks: [{ type: "command", command: "decide", timeout: 5 }] }];
  const tells = [{ hooks: [{ type: "command", command: "tell", timeout: 5, async: true }] }];
  assertEquals(JSON.parse(argv[2] ?? "").hooks, {
    PermissionRequest: decides,
    UserPromptSubmit: tells,
    Stop: tells,
    StopFailure: tells,
  });
  // Nothing that a repository, or a variable, says switches them off.
  assertEquals(JSON.parse(argv[2] ?? "").disableAllHooks, false);
  assertEquals([set["CLAUDE_CODE_SIMPLE"], set["CLAUDE_CODE_SAFE_MODE"]], ["0", "0"]);
});

Deno.test("a profile is refused with what to use instead", () => {
  const start = () => claudeLaunchPlan({ workdir: "/work", role: "tester", profile: "fast" }, host({}));
  const error = assertThrows(start, UsageError, "no profiles");
  assertEquals((error as UsageError).hint?.includes("--settings"), true);
});

Deno.test("the native program is found beside or below the npm package, whatever its launcher is", () => {
  for (const launcher of [`${NPM}/bin/claude.exe`, `${NPM}/cli-wrapper.cjs`]) {
    for (
      const place of [
        `${NPM}/../claude-code-linux-x64/claude`,
        `${NPM}/node_modules/@anthropic-ai/claude-code-linux-x64/claude`,
      ]
    ) {
      assertEquals(findNativeClaude(host({ "/b/bin/claude": launcher, [place]: "/native" })), "/native");
      assertEquals(
        findNativeClaude(host({ "/b/bin/claude": launcher, [place]: "/native" }, "darwin", "aarch64")),
        undefined,
      );
    }
    assertEquals(findNativeClaude(host({ "/b/bin/claude": launcher })), undefined);
  }
});

Deno.test("a claude that is no launcher of npm's is started as it is", () => {
  for (const file of ["/home/dev/.local/share/claude/versions/2.1.328", `${NPM}/cli.js`]) {
    assertEquals(findNativeClaude(host({ "/a/bin/claude": file })), undefined);
  }
  assertEquals(findNativeClaude(host({})), undefined);
});
