import type { HeadlessLaunch, HeadlessPlan, HeadlessPlanOptions, HeadlessProvider } from "../process/cli.ts";
import { findNativeCodex } from "./program.ts";
import { codexHookSettings } from "./hook_settings.ts";
import { CODEX_SETTINGS } from "./launch.ts";
import { codexSandboxSettings, foldCodexSandbox } from "./sandbox.ts";
import { codexSessionUsage, openCodexLog } from "./open_log.ts";
import { createCodexReader } from "./reader.ts";
import { NO_TERMINALS } from "./typed_input.ts";

export const codexHeadless: HeadlessProvider = {
  neverAsks: true,
  plan: codexExecPlan,
  // It may only read in a folder that it does not trust, and works in git repositories only (0.169.0).
  argsToWork: ({ isRepository, sandbox }) => [
    ...(sandbox ? [] : ["--sandbox", "workspace-write"]),
    ...(isRepository ? [] : ["--skip-git-repo-check"]),
  ],
  createReader: createCodexReader,
  openLog: openCodexLog,
  sessionUsage: codexSessionUsage,
  foldSandbox: (report, event, folders) => foldCodexSandbox(report, event, { folders, startedAt: 0 }),
};

/**
 * How Codex runs a step: `codex exec --json [--model M] [ARGS…] -c … [resume ID] -`, the prompt on standard input.
 *
 * Commands must find the launchers of `panewright ask`, so they do not run in a login shell: there /etc/profile sets
 * PATH anew, and what `shell_environment_policy.set` names outlives that only once Codex' snapshot of the shell is
 * ready (0.169.0). A version that does not know `allow_login_shell` passes over it. Hooks tell each exact command in any
 * case (0.130.0 and later).
 */
async function codexExecPlan(request: HeadlessLaunch, options: HeadlessPlanOptions): Promise<HeadlessPlan> {
  const { model, args = [], command, env = {}, resumeSessionId } = request;
  const [program, ...leading] = command ?? [findNativeCodex(options.host) ?? "codex"];
  const { ask, hooks, path } = options;
  const variables = { ...options.variables, PATH: ask === undefined ? path : `${ask.launcherFolder}:${path}` };
  const settings = [
    ...CODEX_SETTINGS,
    "allow_login_shell=false",
    ...Object.entries(variables).map(([name, value]) =>
      `shell_environment_policy.set.${name}=${JSON.stringify(value)}`
    ),
    ...(hooks === undefined ? [] : await codexHookSettings([
      ["PreToolUse", hooks.before],
      ["PostToolUse", hooks.after],
      ...(hooks.permission === undefined ? [] : [["PermissionRequest", hooks.permission] as const]),
    ])),
    ...(hooks?.judges === true ? [NO_TERMINALS] : []),
    ...(request.sandbox === undefined ? [] : codexSandboxSettings(request.sandbox)),
  ];
  return {
    argv: [
      program,
      ...leading,
      "exec",
      // Before `resume`, which takes fewer flags than `exec` does: no `--sandbox` (0.169.0), no `--json` (0.53.0).
      "--json",
      ...(model === undefined ? [] : ["--model", model]),
      ...args,
      ...settings.flatMap((setting) => ["-c", setting]),
      ...(resumeSessionId === undefined ? [] : ["resume", resumeSessionId]),
      "-",
    ],
    // For the CLI itself the launchers come last: it runs programs outside of the sandbox, and agents may write there.
    env: { ...env, ...options.variables, PATH: ask === undefined ? path : `${path}:${ask.launcherFolder}` },
  };
}
