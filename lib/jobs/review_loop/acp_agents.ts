import { AcpStartError } from "../../agents/acp/protocol/errors.ts";
import { RuntimeError } from "../../base/errors.ts";
import { hasResponse } from "../../turn/response_reading.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { findProcess } from "../../base/ports/process_table.ts";
import { systemHost } from "../../base/ports/host.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import { AcpTerminal } from "../../agents/acp/acp_terminal.ts";
import type { AcpActivity } from "../../agents/acp/activity.ts";
import type { AcpAgentProvider } from "../../agents/provider.ts";
import { requireSandbox } from "../../agents/require_sandbox.ts";
import type { Role } from "../../base/roles.ts";
import { newRoleMark } from "../../run/left_processes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { present } from "../../base/schema.ts";

export interface AcpAgentsOptions {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  readonly onActivity: (role: Role, activity: AcpActivity) => void;
  readonly onForcedExit: OnForcedExit;
  readonly record: (event: ReviewFact) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function startAcpRole(
  role: Role,
  resumes: string | undefined,
  options: AcpAgentsOptions & { readonly provider: AcpAgentProvider },
): Promise<AcpTerminal> {
  const { plan, folder, provider, onActivity, onForcedExit, record, clock, signal } = options;
  const { workdir, sandbox, handoff: { maxResponseBytes: maxBytes } } = plan;
  const { command, args, env, model } = plan.agents[role];
  const startedAtMs = clock.now();
  const starting = { type: "agent_starting", role, provider: provider.id, protocol: "acp" } as const;
  record({ ...starting, ...present({ resumes }) });
  if (sandbox !== undefined) {
    const host = systemHost(env);
    await requireSandbox(provider, { name: role, workdir, sandbox, env, host, processRunner: systemProcessRunner });
  }
  // Imported where it is used: most runs have no such agent.
  const { startAcpAgent } = await import("../../agents/acp/agent.ts");
  const start = () =>
    startAcpAgent({
      provider,
      name: role,
      launch: { workdir, command, args, env, model },
      ...present({ resume: resumes }),
      mark: newRoleMark(folder),
      clock,
      signal,
      onActivity: (activity) => onActivity(role, activity),
      onForcedExit,
    });
  const agent = await start().catch(async (error) => {
    if (!mayStartYet(error)) throw error;
    const [why = ""] = error.message.split("\n");
    record({ type: "warning", role, message: `its agent is started once more. ${why}` });
    await clock.sleep(START_AGAIN_MS, signal);
    return await start();
  });
  try {
    if (resumes !== undefined && !agent.resumed) {
      const why = agent.notResumedBecause ?? "The agent has opened another one.";
      record({ type: "warning", role, message: `cannot resume session ${resumes}: a new one replaces it. ${why}` });
      record(starting);
    }
    const { pid, mode, launchedAtMs, sessionId } = agent;
    const process = await findProcess(pid);
    const end = agent.describeEnd();
    if (end !== undefined) {
      throw new RuntimeError(
        `Cannot start the agent of ${role}: its program has ended (${end})\n${agent.stderrTail()}`,
      );
    }
    record({
      type: "agent_ready",
      role,
      terminalId: agent.id,
      seconds: (clock.now() - startedAtMs) / 1000,
      pid,
      ...(process === undefined ? {} : { processStart: process.startTime }),
      launchedAtMs,
      ...present({ mode }),
    });
    // Known before any prompt: a kill right after that one loses no session.
    if (sessionId !== resumes) record({ type: "agent_session", role, sessionId });
  } catch (error) {
    await agent[Symbol.asyncDispose]();
    throw error;
  }
  return new AcpTerminal({ agent, hasResponse: () => hasResponse({ workdir, role, maxBytes }), clock });
}

/**
 * When an agent is started again that ended before it said anything of use. Agents that are started side by side for the
 * first time make a database of their kind at the same moment, and all but one fail (Codex 0.166.0).
 */
const START_AGAIN_MS = 1500;

function mayStartYet(error: unknown): error is Error {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof AcpStartError && (cause.problem === "ended" || cause.problem === "refused");
}
