import type { Host } from "../../base/ports/host.ts";
import { type CodexHookEvent, codexHookSettings } from "./hook_settings.ts";
import type { LaunchPlan, LaunchRequest } from "../provider.ts";
import { findNativeCodex } from "./program.ts";
import { codexSandboxSettings } from "./sandbox.ts";
import { NO_TERMINALS } from "./typed_input.ts";

/**
 * Settings that every start gets, as `-c`: a version that does not know a key passes over it (0.53.0 to 0.169.0), while
 * a flag that it does not know, such as `--no-daemon`, ends it.
 *
 * - The daemon (0.165.0 and later) would outlive the pane and keep working. Any `-c` keeps it away as well.
 * - The question whether to update stops a start, and Enter at the wrong moment starts a global installation.
 */
export const CODEX_SETTINGS = ["features.daemon_auto_start=false", "check_for_update_on_startup=false"] as const;

/** What tells that a prompt was taken, and that a turn has ended (0.169.0). */
const TURN_EVENTS: readonly CodexHookEvent[] = ["UserPromptSubmit", "Stop"];

/**
 * How Codex is started in a pane: `codex [resume ID] -c … [--model M] [--profile P] [ARGS…]`.
 *
 * It keeps to the alternate screen, the CLI's own default from 0.160.1 on: the composer stays at the bottom. Only where
 * all of an answer must stay readable (`keepScrollback`) it draws inline.
 *
 * Codex runs shell commands in a login shell, and /etc/profile may set PATH anew. A PATH given for the role is
 * therefore also set for these commands.
 */
export async function codexLaunchPlan(request: LaunchRequest, host: Host): Promise<LaunchPlan> {
  const { workdir, command, args = [], env = {}, model, profile, resume, keepScrollback = false } = request;
  const path = env["PATH"];
  const settings = [
    ...CODEX_SETTINGS,
    ...(keepScrollback ? [`tui.alternate_screen="never"`] : []),
    ...await codexHookSettings([
      ...(request.callHook === undefined ? [] : [["PreToolUse", request.callHook] as const]),
      ...(request.hook === undefined ? [] : [["PermissionRequest", request.hook] as const]),
      ...(request.turnHook === undefined ? [] : TURN_EVENTS.map((event) => [event, request.turnHook!] as const)),
    ]),
    ...(request.callHook === undefined ? [] : [NO_TERMINALS]),
    ...(path === undefined ? [] : [`shell_environment_policy.set.PATH=${JSON.stringify(path)}`]),
  ];
  const [program, ...leading] = command ?? [findNativeCodex(host) ?? "codex"];
  return {
    argv: [
      program,
      ...leading,
      ...(resume === undefined ? [] : ["resume", resume]),
      ...settings.flatMap((setting) => ["-c", setting]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(profile === undefined ? [] : ["--profile", profile]),
      ...args,
      // Of two settings the last one counts.
      ...(request.sandbox === undefined
        ? []
        : codexSandboxSettings(request.sandbox).flatMap((setting) => ["-c", setting])),
    ],
    env,
    cwd: workdir,
  };
}
