import type { AcpActivity } from "../../agents/acp/activity.ts";
import { DrivenTerminal } from "../../agents/driven_terminal.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { startAgent } from "../../agents/start_agent.ts";
import { RuntimeError } from "../../base/errors.ts";
import { findProcess } from "../../base/ports/process_table.ts";
import type { Role } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { newRoleMark } from "../../run/left_processes.ts";
import { hooksOf } from "../../run/state_names.ts";
import { hasResponse } from "../../turn/response_reading.ts";
import type { RoleAgent } from "./role_agent.ts";
import { type RolePaneOptions, startInPane } from "./role_pane.ts";
import type { RunParts } from "./run_parts.ts";
import { agentOf } from "./plan.ts";
import { whatIsPut } from "./what_is_put.ts";
import { AcpStartError } from "../../agents/acp/protocol/errors.ts";

export interface RoleStartOptions extends RolePaneOptions, Pick<RunParts, "folder" | "audit" | "onForcedExit"> {
  readonly onActivity: (role: Role, activity: AcpActivity) => void;
  /** Told what runs when the program of a turn has ended. */
  readonly onLeft?: (role: Role) => Parameters<typeof startAgent>[1]["onLeft"];
}

/** Starts a role's agent, whatever drives it, and records that. */
export async function startRole(
  role: Role,
  resumes: string | undefined,
  options: RoleStartOptions,
): Promise<RoleAgent> {
  const { plan, record, clock } = options;
  const startedAtMs = clock.now();
  const driver = roleDriverOf(agentOf(plan, role));
  const { provider, login } = agentOf(plan, role);
  const told = { ...present({ login }), ...(driver === "pane" ? {} : { protocol: driver }) };
  const starting = { type: "agent_starting", role, provider: provider.id, ...told } as const;
  record({ ...starting, ...present({ resumes }) });
  const seconds = () => (clock.now() - startedAtMs) / 1000;
  if (driver === "pane") {
    const { terminal, ready: { terminalId, ...ready } } = await startInPane(role, resumes, options);
    record({ type: "agent_ready", role, terminalId, seconds: seconds(), ...ready });
    return terminal;
  }
  const agent = await startWithoutPane(driver, { role, resumes }, options);
  try {
    if (resumes !== undefined && agent.resumed === false) {
      const why = agent.notResumedBecause ?? "The agent has opened another one.";
      record({ type: "warning", role, message: `cannot resume session ${resumes}: a new one replaces it. ${why}` });
      record(starting);
    }
    const { id: terminalId, launchedAtMs, mode, pid, sessionId } = agent;
    const processStart = pid === undefined ? undefined : (await findProcess(pid))?.startTime;
    const end = agent.describeEnd();
    if (end !== undefined) {
      throw new RuntimeError(
        `Cannot start the agent of ${role}: its program has ended (${end})\n${agent.stderrTail()}`,
      );
    }
    const ready = { ...present({ pid, processStart }), launchedAtMs, ...present({ mode }) };
    record({ type: "agent_ready", role, terminalId, seconds: seconds(), ...ready });
    // Known before any prompt: a kill right after that one loses no session.
    if (sessionId !== undefined && sessionId !== resumes) record({ type: "agent_session", role, sessionId });
  } catch (error) {
    await agent.stop();
    throw error;
  }
  const { workdir, handoff: { maxResponseBytes: maxBytes } } = plan;
  return new DrivenTerminal({ agent, hasResponse: () => hasResponse({ workdir, role, maxBytes }), clock });
}

async function startWithoutPane(
  driver: Parameters<typeof startAgent>[0],
  { role, resumes }: { readonly role: Role; readonly resumes: string | undefined },
  options: RoleStartOptions,
) {
  const { plan, folder, audit, onActivity, onForcedExit, record, clock, signal } = options;
  const { workdir } = plan;
  const { provider, command, args, env, model, profile, sandbox = plan.sandbox } = agentOf(plan, role);
  let known = resumes;
  // Known as soon as its first process tells it: a kill right after that loses no session.
  const noteSession = (sessionId: string) => {
    if (sessionId !== known) record({ type: "agent_session", role, sessionId });
    known = sessionId;
  };
  const named = whatIsPut(role, { plan, audit });
  const warn = (message: string) => record({ type: "warning", role, message });
  const start = () =>
    startAgent(driver, {
      ...{ provider, name: role, worker: "role", mark: newRoleMark(folder), clock, signal, onForcedExit } as const,
      launch: {
        ...{ workdir, command, env, model, sandbox },
        args: driver === "process" && profile !== undefined ? ["--profile", profile, ...args] : args,
      },
      ...present({ resume: resumes }),
      ...(named === undefined ? {} : { requiresHooks: "to_judge", isPut: named } as const),
      acceptsTypedInput: plan.permissions.acceptTypedInput,
      hookUse: {
        place: hooksOf(folder.id, `roles/${role}`),
        ...{ clock, judgesCalls: named !== undefined, asks: true, isPatient: true },
      },
      onActivity(activity) {
        onActivity(role, activity);
        if (driver === "process" && activity.type === "session") noteSession(activity.sessionId);
      },
      ...present({ onLeft: driver === "process" ? options.onLeft?.(role) : undefined }),
      ...{ onProgramGone: warn, onTrouble: warn },
    });
  return await start().catch(async (error) => {
    if (!mayStartYet(error)) throw error;
    const [why = ""] = error.message.split("\n");
    record({ type: "warning", role, message: `its agent is started once more. ${why}` });
    await clock.sleep(START_AGAIN_MS, signal);
    return await start();
  });
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
