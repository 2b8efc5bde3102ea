import { sha256Hex } from "../../base/text/digest.ts";
import type { HookCommand } from "../hook_command.ts";

const TRUST_NAMES = {
  PermissionRequest: "permission_request",
  PreToolUse: "pre_tool_use",
  PostToolUse: "post_tool_use",
  UserPromptSubmit: "user_prompt_submit",
  Stop: "stop",
} as const;

export type CodexHookEvent = keyof typeof TRUST_NAMES;

/**
 * Hooks as settings of one session (`-c`), together with the trust that Codex wants for them (0.130.0 to 0.169.0; older
 * versions pass over both). No file of the person's is touched, and a repository's own hooks stay unreviewed and do not
 * run, which `--dangerously-bypass-hook-trust` would not see to.
 *
 * What is trusted is the SHA-256 of each hook as compact JSON with sorted keys, under the place of the hook.
 */
export async function codexHookSettings(
  hooks: readonly (readonly [event: CodexHookEvent, hook: HookCommand])[],
): Promise<readonly string[]> {
  if (hooks.length === 0) return [];
  const trusted = await Promise.all(hooks.map(async ([event, hook]) => {
    const name = TRUST_NAMES[event];
    return `"/<session-flags>/config.toml:${name}:0:0"={trusted_hash="sha256:${await trustedHash(name, hook)}"}`;
  }));
  return [
    ...hooks.map(([event, { command, timeoutSeconds }]) =>
      `hooks.${event}=[{hooks=[{type="command",command=${JSON.stringify(command)},timeout=${timeoutSeconds}}]}]`
    ),
    `hooks.state={${trusted.join(",")}}`,
  ];
}

function trustedHash(name: string, { command, timeoutSeconds }: HookCommand): Promise<string> {
  return sha256Hex(
    `{"event_name":"${name}","hooks":[{"async":false,"command":${JSON.stringify(command)},` +
      `"timeout":${timeoutSeconds},"type":"command"}]}`,
  );
}
