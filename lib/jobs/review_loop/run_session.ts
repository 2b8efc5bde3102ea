import { RuntimeError } from "../../base/errors.ts";
import type { RunResult } from "../../run/execution.ts";
import { GroundLostError } from "../ground.ts";
import { ControlClient } from "../../tmux/control_client.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { adoptSession } from "../../tmux/adopt_session.ts";
import { endMarkedProcesses } from "../../tmux/pane_processes.ts";
import { openSession } from "../../tmux/open_session.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import { rolesUsed } from "./machine.ts";
import { agentInUse } from "./role_due.ts";
import { agentOf, allAgentsOf, type ReviewRunPlan } from "./plan.ts";
import type { Role } from "../../base/roles.ts";
import type { SessionState } from "../../journal/workers.ts";
import type { RunParts } from "./run_parts.ts";
import { endLeftSession, panesOf } from "./left_session.ts";

type SessionParts = Pick<RunParts, "plan" | "folder" | "state" | "record" | "clock">;

/** The name of the session on a server of our own: the only one there. */
const OWN_SESSION = "panewright";

const DEFAULT_SOCKET = "default";

export interface RunSession {
  /** Missing where no role has a pane. */
  readonly session?: TmuxSession;
  readonly alive: ReadonlySet<string>;
  /** Shows a role's pane to a person; `undefined` where it has none. */
  readonly attachCommandOf: (role: Role) => string | undefined;
}

export function hasPanes(plan: Pick<ReviewRunPlan, "agents" | "loop">): boolean {
  return rolesUsed(plan.loop).some((role) =>
    allAgentsOf(agentOf(plan, role)).some((agent) => roleDriverOf(agent) === "pane")
  );
}

/**
 * Plays a run in the session for its panes.
 *
 * @throws {GroundLostError} where what play has failed of is that the session is gone
 */
export async function inRunSession(
  parts: SessionParts & Pick<RunParts, "onForcedExit">,
  play: (session: RunSession) => Promise<RunResult>,
): Promise<RunResult> {
  // It holds until the session is closed.
  using forcedExit = new DisposableStack();
  await using opened = await openRunSession(parts);
  const { session } = opened;
  if (session !== undefined) forcedExit.defer(parts.onForcedExit(() => session.abandon(), session.lastResort()));
  try {
    return await play(opened);
  } catch (error) {
    if (!(error instanceof RuntimeError) || await session?.isLost() !== true) throw error;
    throw new GroundLostError("the tmux server is gone, and every pane with it", error);
  }
}

/**
 * Opens the session for a run's panes, where it has any: on a server of its own, `panewright-<run>`, unless the plan
 * names an existing one. The session that an earlier process of the run has opened is adopted, if it is still there.
 *
 * A server of our own is talked with through control mode. To somebody's session no client is added: it would be shown
 * there, fire their hooks, and take a session along that ends with its last client.
 *
 * @throws like `openSession`
 */
async function openRunSession(parts: SessionParts): Promise<RunSession & AsyncDisposable> {
  const { plan, record, clock } = parts;
  const { session: before, agents } = parts.state();
  if (!hasPanes(plan)) {
    await endLeftSession({ session: before, agents }, { clock });
    return { alive: new Set(), attachCommandOf: () => undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const place = before ?? placeOf(parts);
  const log = (message: string) => record({ type: "warning", message });
  await using opened = new AsyncDisposableStack();
  const plain = createTmuxClient({ socket: place.socket });
  const client = opened.use(new ControlClient({ plain, log, clock }));
  const adopted = before && await adoptEarlier(before, { ...parts, client });
  if (before !== undefined && adopted === undefined) await endMarkedProcesses(before.mark, { clock });
  const session = opened.use(adopted?.session ?? await openNew(place, { ...parts, client }));
  if (!place.existing) await client.connect(session.name);
  const attachCommand = session.attachCommand();
  record({ type: adopted === undefined ? "session_opened" : "session_adopted", attachCommand });
  const resources = opened.move();
  return {
    session,
    alive: adopted?.alive ?? new Set(),
    attachCommandOf: (role) => roleDriverOf(agentInUse(role, parts)) === "pane" ? session.attachCommand() : undefined,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type Place = Pick<SessionState, "socket" | "name" | "existing">;

function placeOf({ plan: { tmux }, folder }: SessionParts): Place {
  const existing = tmux.session !== undefined;
  return {
    socket: tmux.socket ?? (existing ? DEFAULT_SOCKET : `panewright-${folder.id}`),
    name: tmux.session ?? OWN_SESSION,
    existing,
  };
}

interface Opening extends SessionParts {
  readonly client: ControlClient;
}

async function adoptEarlier({ name, existing, mark }: SessionState, { plan, client, state, clock }: Opening) {
  const { tmux: { cols, rows }, cleanupOnExit } = plan;
  const panes = panesOf(state().agents);
  return await adoptSession(client, { name, existing, mark, panes, cols, rows, cleanupOnExit, clock });
}

async function openNew({ socket, name, existing }: Place, { plan, client, record, clock }: Opening) {
  const { tmux: { cols, rows }, cleanupOnExit } = plan;
  const mark = crypto.randomUUID();
  record({ type: "session_opening", socket, session: name, existing, mark });
  return await openSession(client, { name, existing, mark, cols, rows, cleanupOnExit, clock });
}
