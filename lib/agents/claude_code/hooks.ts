import type { CommandHookSet } from "../process/command_hooks.ts";
import type { HookCommand } from "../hook_command.ts";
import { FILE_TOOL_NAMES } from "../hook_payload.ts";

/** A hook as Claude Code's settings have it (2.1.328). */
export function claudeHook({ command, timeoutSeconds: timeout }: HookCommand) {
  return { type: "command", command, timeout } as const;
}

/**
 * The hooks of `--settings` that tell of each shell command, before it runs and when it has ended, well or not, and
 * that ask about calls: about each command and each file to write, and about all that needs a permission (2.1.328).
 */
export function claudeCommandHooks({ before, judges, after, permission }: CommandHookSet) {
  const of = (matcher: string, hook: HookCommand) => ({ matcher, hooks: [claudeHook(hook)] });
  return {
    PreToolUse: [of(["Bash", ...(judges ? FILE_TOOL_NAMES : [])].join("|"), before)],
    PostToolUse: [of("Bash", after)],
    PostToolUseFailure: [of("Bash", after)],
    ...(permission === undefined ? {} : { PermissionRequest: [of("*", permission)] }),
  };
}
