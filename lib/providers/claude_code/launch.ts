import { UsageError } from "../../errors.ts";
import type { Host } from "../../ports/host.ts";
import type { HookCommand, LaunchPlan, LaunchRequest } from "../provider.ts";

/**
 * Variables that every start gets, unless the role sets them itself: a program must not be replaced while it works, and
 * a suggested prompt in the composer looks like a draft where there is no colour (2.1.328).
 */
const VARIABLES = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" } as const;

/**
 * How Claude Code is started in a pane: `claude [--model M] [--resume ID] [ARGS…]`.
 *
 * The person's settings stay as they are, also the renderer: both are known. Only where all of an answer must stay
 * readable (`keepScrollback`) the classic one is asked for, by `--settings`, which also names the hook.
 *
 * @throws {UsageError} for a profile, which Claude Code does not have
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const host = { os: "linux", arch: "x86_64", path: [], realFile: () => undefined };
 * const plan = claudeLaunchPlan({ workdir: "/work", role: "tester", model: "opus" }, host);
 * assertEquals(plan.argv, ["claude", "--model", "opus"]);
 * ```
 */
export function claudeLaunchPlan(request: LaunchRequest, host: Host): LaunchPlan {
  const { workdir, role, command, args = [], env = {}, model, profile, keepScrollback = false } = request;
  if (profile !== undefined) {
    throw new UsageError(`Cannot start ${role} with the profile "${profile}": Claude Code has no profiles`, {
      hint: 'Name a file of settings instead: "args": ["--settings", "FILE"].',
    });
  }
  const [program, ...leading] = command ?? [findNativeClaude(host) ?? "claude"];
  const settings = {
    ...(keepScrollback ? { tui: "default" } : {}),
    ...(request.hook === undefined ? {} : { hooks: hookSettings(request.hook) }),
  };
  return {
    argv: [
      program,
      ...leading,
      ...(Object.keys(settings).length === 0 ? [] : ["--settings", JSON.stringify(settings)]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(request.resume === undefined ? [] : ["--resume", request.resume]),
      ...args,
    ],
    env: { ...VARIABLES, ...env },
    cwd: workdir,
  };
}

/** Hooks of `--settings` come on top of the person's own, which run as well (2.1.328). */
function hookSettings({ command, timeoutSeconds }: HookCommand) {
  return { PermissionRequest: [{ matcher: "*", hooks: [{ type: "command", command, timeout: timeoutSeconds }] }] };
}

/** The npm packages that may hold the native program (2.1.328), by operating system and CPU. */
const NATIVE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "linux x86_64": ["claude-code-linux-x64", "claude-code-linux-x64-musl"],
  "linux aarch64": ["claude-code-linux-arm64", "claude-code-linux-arm64-musl"],
  "darwin x86_64": ["claude-code-darwin-x64"],
  "darwin aarch64": ["claude-code-darwin-arm64"],
};

/**
 * The native Claude Code that the npm package's `claude` on PATH stands for, or `undefined` where `claude` is something
 * else, such as the native program itself. npm may have left out the package's install script, and then its own
 * `claude` only says so; versions up to 2.1.104 are scripts.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const files: Record<string, string> = {
 *   "/bin/claude": "/lib/@anthropic-ai/claude-code/bin/claude.exe",
 *   "/lib/@anthropic-ai/claude-code/../claude-code-linux-x64/claude": "/lib/native/claude",
 * };
 * const host = { os: "linux", arch: "x86_64", path: ["/none", "/bin"], realFile: (file: string) => files[file] };
 * assertEquals(findNativeClaude(host), "/lib/native/claude");
 * ```
 */
export function findNativeClaude(host: Host): string | undefined {
  const launcher = host.path.map((folder) => host.realFile(`${folder}/claude`)).find((file) => file !== undefined);
  const root = launcher === undefined
    ? undefined
    : /^(.*\/claude-code)\/(?:bin\/claude\.exe|cli-wrapper\.cjs)$/.exec(launcher)?.[1];
  if (root === undefined) return undefined;
  const candidates = (NATIVE_PACKAGES[`${host.os} ${host.arch}`] ?? []).flatMap((name) => [
    `${root}/node_modules/@anthropic-ai/${name}/claude`,
    `${root}/../${name}/claude`,
  ]);
  return candidates.map((file) => host.realFile(file)).find((file) => file !== undefined);
}
