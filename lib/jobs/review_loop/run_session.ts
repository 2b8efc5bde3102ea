import type { RunState } from "./state.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { ControlClient } from "../../tmux/control_client.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { adoptSession } from "../../tmux/adopt_session.ts";
import { endMarkedProcesses } from "../../tmux/pane_processes.ts";
import { openSession } from "../../tmux/open_session.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { rolesUsed } from "./machine.ts";
import type { ReviewRunPlan } from "./plan.ts";
import type { SessionState } from "../../journal/workers.ts";
import { endLeftSession, panesOf } from "./left_session.ts";

interface RunSessionOptions {
  readonly runId: string;
  readonly earlier: Pick<RunState, "session" | "agents">;
  readonly record: (event: ReviewFact) => void;
  readonly clock: Clock;
}

/** The name of the session on a server of our own: the only one there. */
const OWN_SESSION = "panewright";

const DEFAULT_SOCKET = "default";

interface RunSession extends AsyncDisposable {
  /** Missing where no role has a pane. */
  readonly session?: TmuxSession;
  readonly alive: ReadonlySet<string>;
}

export function hasPanes({ agents, loop }: Pick<ReviewRunPlan, "agents" | "loop">): boolean {
  return rolesUsed(loop).some((role) => roleDriverOf(agents[role]) === "pane");
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
export async function openRunSession(plan: ReviewRunPlan, options: RunSessionOptions): Promise<RunSession> {
  const { earlier, record, clock } = options;
  const before = earlier.session;
  if (!hasPanes(plan)) {
    await endLeftSession(earlier, { clock });
    return { alive: new Set(), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const place = before ?? placeOf(plan, options.runId);
  const log = (message: string) => record({ type: "warning", message });
  await using opened = new AsyncDisposableStack();
  const plain = createTmuxClient({ socket: place.socket });
  const client = opened.use(new ControlClient({ plain, log, clock }));
  const adopted = before && await adoptEarlier(before, { ...options, plan, client });
  if (before !== undefined && adopted === undefined) await endMarkedProcesses(before.mark, { clock });
  const session = opened.use(adopted?.session ?? await openNew(place, { ...options, plan, client }));
  if (!place.existing) await client.connect(session.name);
  const attachCommand = session.attachCommand();
  record({ type: adopted === undefined ? "session_opened" : "session_adopted", attachCommand });
  const resources = opened.move();
  return {
    session,
    alive: adopted?.alive ?? new Set(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type Place = Pick<SessionState, "socket" | "name" | "existing">;

function placeOf({ tmux }: ReviewRunPlan, runId: string): Place {
  const existing = tmux.session !== undefined;
  return {
    socket: tmux.socket ?? (existing ? DEFAULT_SOCKET : `panewright-${runId}`),
    name: tmux.session ?? OWN_SESSION,
    existing,
  };
}

interface Opening extends RunSessionOptions {
  readonly plan: ReviewRunPlan;
  readonly client: ControlClient;
}

async function adoptEarlier({ name, existing, mark }: SessionState, { plan, client, earlier, clock }: Opening) {
  const { tmux: { cols, rows }, cleanupOnExit } = plan;
  const panes = panesOf(earlier.agents);
  return await adoptSession(client, { name, existing, mark, panes, cols, rows, cleanupOnExit, clock });
}

async function openNew({ socket, name, existing }: Place, { plan, client, record, clock }: Opening) {
  const { tmux: { cols, rows }, cleanupOnExit } = plan;
  const mark = crypto.randomUUID();
  record({ type: "session_opening", socket, session: name, existing, mark });
  return await openSession(client, { name, existing, mark, cols, rows, cleanupOnExit, clock });
}
