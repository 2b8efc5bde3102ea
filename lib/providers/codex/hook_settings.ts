import { sha256Hex } from "../../text/digest.ts";
import type { HookCommand } from "../provider.ts";

/**
 * A hook for permissions as settings of one session (`-c`), together with the trust that Codex wants for it (0.130.0 to
 * 0.169.0; older versions pass over both). No file of the person's is touched, and a repository's own hooks stay
 * unreviewed and do not run, which `--dangerously-bypass-hook-trust` would not see to.
 *
 * What is trusted is the SHA-256 of the hook as compact JSON with sorted keys, under the place of the hook.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const [hook, trust] = await codexHookSettings({ command: "/path/hook", timeoutSeconds: 20 });
 * assertEquals(hook, 'hooks.PermissionRequest=[{hooks=[{type="command",command="/path/hook",timeout=20}]}]');
 * assertEquals(trust?.slice(0, 67), 'hooks.state={"/<session-flags>/config.toml:permission_request:0:0"={');
 * ```
 */
export async function codexHookSettings({ command, timeoutSeconds }: HookCommand): Promise<readonly string[]> {
  const text = JSON.stringify(command);
  const trusted = `{"event_name":"permission_request","hooks":[{"async":false,"command":${text},` +
    `"timeout":${timeoutSeconds},"type":"command"}]}`;
  const hash = await sha256Hex(trusted);
  return [
    `hooks.PermissionRequest=[{hooks=[{type="command",command=${text},timeout=${timeoutSeconds}}]}]`,
    `hooks.state={"/<session-flags>/config.toml:permission_request:0:0"={trusted_hash="sha256:${hash}"}}`,
  ];
}
