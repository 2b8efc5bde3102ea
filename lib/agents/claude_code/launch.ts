import { UsageError } from "../../base/errors.ts";
import type { Host } from "../../base/ports/host.ts";
import { CLAUDE_HOOK_VARIABLES, CLAUDE_HOOKS_ON, claudeHook } from "./hooks.ts";
import type { HookCommand } from "../hook_command.ts";
import type { LaunchPlan, LaunchRequest } from "../provider.ts";
import { findNativeClaude } from "./program.ts";
import { claudeSandboxSettings } from "./sandbox.ts";

/**
 * Variables that every start gets, unless the role sets them itself: a program must not be replaced while it works, and
 * a suggested prompt in the composer looks like a draft where there is no colour (2.1.328).
 */
const VARIABLES = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" } as const;

/**
 * How Claude Code is started in a pane: `claude [--model M] [--resume ID] [ARGS…]`.
 *
 * The person's settings stay as they are, also the renderer: both are known. Only where all of an answer must stay
 * readable (`keepScrollback`) the classic one is asked for, by `--settings`, which also names the hooks.
 *
 * @throws {UsageError} for a profile, which Claude Code does not have
 */
export function claudeLaunchPlan(request: LaunchRequest, host: Host): LaunchPlan {
  const { workdir, role, command, args = [], env = {}, model, profile, keepScrollback = false } = request;
  if (profile !== undefined) {
    throw new UsageError(`Cannot start ${role} with the profile "${profile}": Claude Code has no profiles`, {
      hint: 'Name a file of settings instead: "args": ["--settings", "FILE"].',
    });
  }
  const [program, ...leading] = command ?? [findNativeClaude(host) ?? "claude"];
  const hooks = hookSettings(request);
  const settings = {
    ...(keepScrollback ? { tui: "default" } : {}),
    ...(request.sandbox === undefined ? {} : claudeSandboxSettings(request.sandbox, { autoAllow: false })),
    ...(hooks.length === 0 ? {} : { ...CLAUDE_HOOKS_ON, hooks: Object.fromEntries(hooks) }),
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
    env: { ...VARIABLES, ...env, ...(hooks.length === 0 ? {} : CLAUDE_HOOK_VARIABLES) },
    cwd: workdir,
  };
}

const TURN_EVENTS = ["UserPromptSubmit", "Stop", "StopFailure"] as const;

/**
 * Hooks of `--settings` come on top of the person's own, which run as well (2.1.328). What only tells of turns runs in
 * the background: Claude Code waits for any other hook before it asks its model, and before it shows and writes down
 * that it rests.
 */
function hookSettings({ hook, callHook, turnHook }: LaunchRequest) {
  const all = (one: HookCommand) => [{ matcher: "*", hooks: [claudeHook(one)] }];
  return [
    ...(callHook === undefined ? [] : [["PreToolUse", all(callHook)] as const]),
    ...(hook === undefined ? [] : [["PermissionRequest", all(hook)] as const]),
    ...(turnHook === undefined
      ? []
      : TURN_EVENTS.map((event) => [event, [{ hooks: [{ ...claudeHook(turnHook), async: true }] }]] as const)),
  ];
}
