import type { CommandHookSet } from "../process/command_hooks.ts";
import type { HookCommand } from "../hook_command.ts";
import { FILE_TOOL_NAMES } from "../hook_payload.ts";

/** A hook as Claude Code's settings have it (2.1.328). */
export function claudeHook({ command, timeoutSeconds: timeout }: HookCommand) {
  return { type: "command", command, timeout } as const;
}

/**
 * Goes with our hooks in `--settings`, before what a repository, or the person, has switched off (2.1.328). Policy of an
 * organization goes before this.
 */
export const CLAUDE_HOOKS_ON = { disableAllHooks: false } as const;

/** Variables with which Claude Code runs no hook of `--settings` (2.1.328); settings cannot set them. */
export const CLAUDE_HOOK_VARIABLES = { CLAUDE_CODE_SIMPLE: "0", CLAUDE_CODE_SAFE_MODE: "0" } as const;

/**
 * The arguments that replace our hooks, or with which none runs. Of several `--settings` the last one counts; a long
 * flag may stand with its value in one argument.
 */
export function findClaudeHookLoss(args: readonly string[]): string | undefined {
  return args.find((arg) => /^--(?:settings|managed-settings|bare|safe-mode)(?:=|$)/.test(arg));
}

/**
 * The hooks of `--settings` that tell of each shell command, before it runs and when it has ended, well or not, and
 * that ask about calls: about each command, each file to write and each tool of an MCP server, and about all that needs
 * a permission (2.1.328).
 */
export function claudeCommandHooks({ before, judges, after, permission }: CommandHookSet) {
  const of = (matcher: string, hook: HookCommand) => ({ matcher, hooks: [claudeHook(hook)] });
  return {
    PreToolUse: [of(["Bash", ...(judges ? [...FILE_TOOL_NAMES, "mcp__.*"] : [])].join("|"), before)],
    PostToolUse: [of("Bash", after)],
    PostToolUseFailure: [of("Bash", after)],
    ...(permission === undefined ? {} : { PermissionRequest: [of("*", permission)] }),
  };
}
