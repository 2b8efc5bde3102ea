import type { Role } from "../../../base/roles.ts";
import { allWaiting } from "../../../run/waiting.ts";
import type { Progress } from "../../../run/progress.ts";
import { workerOf } from "../../../run/workers.ts";
import { agentTypeOf } from "./wire.ts";

/** What agentapi tells of an agent. */
export interface AgentState {
  readonly status: "stable" | "running";
  readonly agent_type: string;
  readonly transport: "pty" | "acp";
}

/** An agent's turns, and messages to it, that are not over. */
const UNDER_WAY: ReadonlySet<string> = new Set(["waiting", "sending", "sent"]);

/**
 * How an agent is, as agentapi tells it. It is `stable` where a message would be sent at once: between its turns, with
 * nothing that waits for it or for a person. Where no process executes the run, nothing is under way.
 */
export function agentStateOf(
  role: Role,
  { progress, executed }: { readonly progress: Progress | undefined; readonly executed: boolean },
): AgentState {
  const worker = progress && workerOf(progress, role);
  const isAtRest = worker?.status === "idle" || worker?.status === "completed";
  const hasTurn = progress?.activity?.worker === role;
  const hasMessage = progress?.messages.some(({ worker: of, status }) => of === role && UNDER_WAY.has(status));
  const isAsking = progress !== undefined && allWaiting(progress).some(({ by }) => by === role);
  const isStable = !executed || isAtRest && !hasTurn && !hasMessage && !isAsking;
  return {
    status: isStable ? "stable" : "running",
    agent_type: agentTypeOf(worker?.provider),
    transport: worker?.protocol === "acp" ? "acp" : "pty",
  };
}
