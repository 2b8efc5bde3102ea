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
    ...HOOKS_ON,
    ...hooks.map(([event, { command, timeoutSeconds }]) =>
      `hooks.${event}=[{hooks=[{type="command",command=${JSON.stringify(command)},timeout=${timeoutSeconds}}]}]`
    ),
    `hooks.state={${trusted.join(",")}}`,
  ];
}

/**
 * Before what the settings of a repository that the person trusts say. The tool of an MCP server must come to a hook by
 * a name that says so (0.169.0).
 */
export const HOOKS_ON = ["features.hooks=true", "features.non_prefixed_mcp_tool_names=false"] as const;

const LOSING_KEY = /^(?:hooks(?:\..*)?|features(?:\.(?:hooks|codex_hooks|non_prefixed_mcp_tool_names))?)$/;
const LOSING_FEATURE = /^(?:hooks|codex_hooks|non_prefixed_mcp_tool_names)$/;

/**
 * The first argument that replaces our hooks, or switches them off: `--disable` goes before every `-c` (0.169.0), and
 * without the trust for each hook those of a repository would run as well.
 */
export function findCodexHookLoss(args: readonly string[]): string | undefined {
  return args.find((arg, index) => {
    if (/^--dangerously-bypass-hook-trust(?:=|$)/.test(arg)) return true;
    const feature = valueOf(["--disable", "--enable"], { arg, next: args[index + 1] });
    if (feature !== undefined) return LOSING_FEATURE.test(feature.trim());
    const [key = ""] = valueOf(["--config", "-c"], { arg, next: args[index + 1] })?.split("=") ?? [];
    return LOSING_KEY.test(key.replace(/["'\s]/g, ""));
  });
}

/** What a flag of these names is given by an argument, or by the one after it. */
function valueOf(
  names: readonly string[],
  { arg, next }: { readonly arg: string; readonly next: string | undefined },
): string | undefined {
  if (names.includes(arg)) return next ?? "";
  const name = names.find((one) => arg.startsWith(one.startsWith("--") ? `${one}=` : one));
  return name === undefined ? undefined : arg.slice(name.length).replace(/^=/, "");
}

function trustedHash(name: string, { command, timeoutSeconds }: HookCommand): Promise<string> {
  return sha256Hex(
    `{"event_name":"${name}","hooks":[{"async":false,"command":${JSON.stringify(command)},` +
      `"timeout":${timeoutSeconds},"type":"command"}]}`,
  );
}
