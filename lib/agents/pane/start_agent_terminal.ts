import { type Clock, systemClock } from "../../base/ports/clock.ts";
import { type Host, systemHost } from "../../base/ports/host.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import type { PaneRef } from "../../tmux/client.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import { awaitProgram } from "../await_program.ts";
import { AgentTerminal } from "./agent_terminal.ts";
import { confined } from "../launch_plan.ts";
import type { LaunchPlan, LaunchRequest, PaneProvider } from "../provider.ts";
import { requireSandbox } from "../require_sandbox.ts";
import { createSandboxWatch } from "./sandbox_watch.ts";
import { createHookWord, type HookMail } from "./hook_witness.ts";
import { StatusTracker } from "./status_tracker.ts";
import { present } from "../../base/schema.ts";

export interface AgentTerminalOptions {
  readonly session: TmuxSession;
  readonly provider: PaneProvider;
  readonly request: LaunchRequest;
  /** Milliseconds from the start until the agent must be ready. */
  readonly startTimeoutMs?: number;
  /**
   * Milliseconds that a doubtful screen, which may be that of an agent at work, must stand still if the agent's CLI
   * keeps no record. While they stream, the recorded sessions draw once a second, and stop for 3 s at most.
   */
  readonly quietMs?: number;
  readonly hookMail?: HookMail;
  readonly log?: (message: string) => void;
  /** Told where its program is gone for a while: with this it is waited for. */
  readonly onProgramGone?: (message: string) => void;
  readonly host?: Host;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Starts an agent in a pane of its own and waits until it can take a prompt. An agent that cannot be started is ended
 * again, unless the session keeps its panes.
 */
export async function startAgentTerminal(options: AgentTerminalOptions): Promise<AgentTerminal> {
  const { session, provider, request, startTimeoutMs = 60_000, signal } = options;
  const host = options.host ?? systemHost(request.env);
  const waiting = present({ signal });
  const { clock = systemClock, onProgramGone: tell } = options;
  await awaitProgram({ ...request, cli: provider.cli }, { clock, signal, tell });
  if (request.sandbox !== undefined) {
    const { sandbox, role: name, ...how } = request;
    await requireSandbox(provider, { ...how, ...waiting, name, sandbox, host, processRunner: systemProcessRunner });
  }
  const plan = await provider.terminal.launch(request, host);
  const launchedAtMs = Date.now();
  const started = await confined(plan, { sandbox: request.sandbox, signal });
  const pane = await session.openPane({ name: request.role, ...started, ...waiting });
  const terminal = createTerminal(options, { plan, pane, launchedAtMs });
  try {
    const resumes = request.resume !== undefined;
    await terminal.waitUntilReady({ timeoutMs: startTimeoutMs, resumes, ...waiting });
    return terminal;
  } catch (error) {
    await terminal[Symbol.asyncDispose]();
    throw error;
  }
}

interface AdoptedAgent {
  readonly pane: PaneRef;
  /** In milliseconds since the epoch. */
  readonly launchedAtMs: number;
  readonly wrapperShell: string | undefined;
  readonly seenRules: readonly string[];
}

export async function adoptAgentTerminal(options: AgentTerminalOptions, agent: AdoptedAgent): Promise<AgentTerminal> {
  const plan = await options.provider.terminal.launch(options.request, options.host ?? systemHost(options.request.env));
  return createTerminal(options, { plan, ...agent });
}

function createTerminal(
  options: AgentTerminalOptions,
  agent: Pick<AdoptedAgent, "pane" | "launchedAtMs"> & Partial<AdoptedAgent> & { readonly plan: LaunchPlan },
): AgentTerminal {
  const { session, provider, request: { role: name, sandbox }, hookMail, clock = systemClock } = options;
  const { pane, launchedAtMs, plan: { cwd, env } } = agent;
  const { paneEvents } = session.client;
  const source = provider.terminal.openStatusSource?.({
    pane,
    workdir: cwd,
    env: { ...Deno.env.toObject(), ...env },
    startedAt: launchedAtMs,
    clock,
    ...present({ sandbox, paneEvents }),
  });
  // What was submitted to an adopted agent is not known here: its record is looked for at once.
  const isAdopted = "wrapperShell" in agent;
  if (isAdopted) source?.doubt();
  const tracker = new StatusTracker({
    rules: provider.terminal.rules,
    clock,
    quietMs: options.quietMs ?? 8000,
    log: options.log ?? (() => {}),
    ...present({
      source,
      hooks: hookMail && createHookWord({ mail: hookMail, clock }),
      seenRules: agent.seenRules,
    }),
  });
  return new AgentTerminal({
    ...{ name, session, provider, pane, launchedAtMs, tracker, clock },
    ...present({
      adopted: isAdopted ? { wrapperShell: agent.wrapperShell } : undefined,
      sandboxWatch: sandbox !== undefined && sandbox.around === undefined && source?.sandboxReport !== undefined
        ? createSandboxWatch({ name, provider, source, clock })
        : undefined,
      hookMail,
    }),
  });
}
