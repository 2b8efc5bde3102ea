import type {
  HeadlessLaunch,
  HeadlessPlan,
  HeadlessPlanOptions,
  HeadlessProvider,
  SessionUsageQuery,
} from "../process/cli.ts";
import { shellJoin } from "../../shell/mod.ts";
import { CLAUDE_HOOK_VARIABLES, CLAUDE_HOOKS_ON, claudeCommandHooks } from "./hooks.ts";
import { findNativeClaude } from "./program.ts";
import { claudeSandboxSettings } from "./sandbox.ts";
import { usageOfSession } from "../pane/session_tokens.ts";
import type { Usage } from "../../base/usage.ts";
import { findTranscript, transcriptTokens } from "./transcript_files.ts";
import { createClaudeReader } from "./reader.ts";

/** The tools that write files. In a sandbox they keep to the folders in which its commands may write (2.1.328). */
const FILE_TOOLS = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

export const claudeHeadless: HeadlessProvider = {
  plan: claudePrintPlan,
  createReader: createClaudeReader,
  sessionUsage: claudeSessionUsage,
};

async function claudeSessionUsage(
  { sessionId, workdir: cwd, env, since }: SessionUsageQuery,
): Promise<Usage | undefined> {
  const path = await findTranscript(env["CLAUDE_CONFIG_DIR"] ?? `${env["HOME"] ?? ""}/.claude`, { cwd, sessionId });
  if (path === undefined) return undefined;
  return await usageOfSession(transcriptTokens(path), since);
}

/**
 * How Claude Code runs a step: `claude -p --output-format stream-json --verbose [--model M] [--resume ID] [ARGS…]`, the
 * prompt on standard input.
 *
 * Commands that ask are allowed beforehand; in a sandbox so are all others, and the tools that write files. What else
 * the agent may do is for the arguments and the settings to say. Of several `--settings` the last one counts (2.1.328):
 * one among the arguments replaces ours with the hooks, but not the sandbox.
 */
function claudePrintPlan(request: HeadlessLaunch, options: HeadlessPlanOptions): HeadlessPlan {
  const { model, args = [], env = {}, resumeSessionId, sandbox } = request;
  const { ask, path } = options;
  const command = request.command ?? [findNativeClaude(options.host) ?? "claude"];
  const settings = {
    ...(sandbox === undefined ? {} : claudeSandboxSettings(sandbox, { autoAllow: true })),
    ...(options.hooks === undefined ? {} : { ...CLAUDE_HOOKS_ON, hooks: claudeCommandHooks(options.hooks) }),
  };
  const ours = Object.keys(settings).length === 0 ? [] : ["--settings", JSON.stringify(settings)];
  const folder = ask?.launcherFolder ?? "";
  const allowed = [
    ...(sandbox === undefined ? [] : FILE_TOOLS),
    ...(ask?.commands ?? []).map((words) => `Bash(${words.join(" ")}:*)`),
    // A rule cannot name every path.
    ...(/[()*,]/.test(folder) ? [] : ask?.commands ?? []).map((words) =>
      `Bash(${shellJoin([`${folder}/${words[0]}`, ...words.slice(1)])}:*)`
    ),
  ];
  return {
    argv: [
      ...command,
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      ...(sandbox === undefined ? [...ours, ...args] : [...args, ...ours]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(resumeSessionId === undefined ? [] : ["--resume", resumeSessionId]),
      ...(allowed.length === 0 ? [] : ["--allowedTools", ...allowed]),
    ],
    env: {
      ...env,
      ...(options.hooks === undefined ? {} : CLAUDE_HOOK_VARIABLES),
      ...options.variables,
      PATH: ask === undefined ? path : `${folder}:${path}`,
    },
  };
}
