import { findPaneProvider } from "../../agents/mod.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";
import {
  adoptAgentTerminal,
  type AgentTerminalOptions,
  startAgentTerminal,
} from "../../agents/pane/start_agent_terminal.ts";
import { turnHooksOf } from "../../agents/pane/turn_hooks.ts";
import type { SandboxRequest } from "../../agents/sandbox.ts";
import type { Spool } from "../../agents/spool.ts";
import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import type { HookCommand } from "../../agents/hook_command.ts";
import { unaskedCalls } from "../../turn/desk/decision.ts";
import { present } from "../../base/schema.ts";
import type { AgentPane } from "../../journal/workers.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import type { HookChannel } from "../../turn/desk/hook_channel.ts";
import type { RunParts } from "./run_parts.ts";
import { agentOf } from "./plan.ts";

export interface RolePaneOptions extends Pick<RunParts, "plan" | "record" | "clock" | "signal"> {
  /** Missing where no role has a pane. */
  readonly session?: TmuxSession;
  /** What the CLIs of the agents ask before they open a dialog; missing where there is nobody to ask. */
  readonly hooks?: Pick<HookChannel, "hookOf" | "callHookOf">;
  /** Where the CLIs of the agents tell that a turn began or ended; missing where there is no such place. */
  readonly turnEvents?: Spool;
}

/** Adopts a role's agent that an earlier process of the run has started, and that is alive. */
export function adoptInPane(
  role: Role,
  { pane, seenRules }: { readonly pane: AgentPane; readonly seenRules: readonly string[] },
  options: RolePaneOptions,
): Promise<AgentTerminal> {
  const { terminalId: paneId, pid, launchedAtMs, wrapperShell, sandbox = null } = pane;
  if (!isSameSandbox(sandbox, options.plan.sandbox)) throw otherSandbox(role);
  options.record({ type: "agent_adopted", role, terminalId: paneId });
  const agent = { pane: { paneId, pid }, launchedAtMs, wrapperShell, seenRules };
  return adoptAgentTerminal(terminalOptions(role, options), agent);
}

export async function startInPane(role: Role, resume: string | undefined, options: RolePaneOptions) {
  const { request, ...common } = terminalOptions(role, options);
  const terminal = await startAgentTerminal({ ...common, request: { ...request, ...present({ resume }) } });
  const { paneId: terminalId, pid, startTime: processStart } = common.session.knownPane(terminal.pane);
  const { launchedAtMs, wrapperShell } = terminal;
  const sandbox = options.plan.sandbox?.writable;
  return { terminal, ready: { terminalId, pid, launchedAtMs, ...present({ processStart, wrapperShell, sandbox }) } };
}

function terminalOptions(role: Role, options: RolePaneOptions): AgentTerminalOptions {
  const { plan, session, hooks, turnEvents, record, clock, signal } = options;
  if (session === undefined) throw new TypeError(`Cannot start the agent of ${role}: there is no session for panes`);
  const { provider: { id }, sandbox = plan.sandbox, ...request } = agentOf(plan, role);
  const warn = (message: string) => record({ type: "warning", role, message });
  const provider = findPaneProvider(id, [agentOf(plan, role).provider]);
  const { turnHook, hookMail } = turnEvents && provider.terminal.hasTurnHooks ? turnHooksOf(turnEvents, role) : {};
  return {
    session,
    provider,
    request: {
      ...request,
      role,
      workdir: plan.workdir,
      keepScrollback: !plan.handoff.strictFileHandoff,
      ...(hooks === undefined ? {} : { hook: hooks.hookOf(role) }),
      ...present({ sandbox, turnHook, callHook: callHookOf(role, options) }),
    },
    ...present({ hookMail }),
    startTimeoutMs: plan.startupTimeoutSeconds * 1000,
    quietMs: plan.quietSeconds * 1000,
    ...{ log: warn, onProgramGone: warn },
    clock,
    signal,
  };
}

/** What is asked before each call where the policy is about those that its CLI would just run. */
function callHookOf(role: Role, { plan, hooks }: RolePaneOptions): HookCommand | undefined {
  const { provider } = agentOf(plan, role);
  const isJudged = provider.terminal?.hasPermissionHook === true &&
    unaskedCalls(plan, { role, provider }) !== undefined;
  return isJudged ? hooks?.callHookOf(role) : undefined;
}

/** A running agent has the sandbox that it was started with, whatever the configuration says by now. */
function isSameSandbox(started: readonly string[] | null, wanted: SandboxRequest | undefined): boolean {
  return wanted === undefined || (started !== null && started.every((path) => wanted.writable.includes(path)));
}

function otherSandbox(role: Role): UsageError {
  return new UsageError(
    `Cannot keep the agent of ${role} at work: it was not started in the sandbox that is configured`,
    {
      hint: 'End it with "panewright stop", then resume the run: the agent is started again, with its session.',
    },
  );
}
