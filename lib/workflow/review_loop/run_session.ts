import type { Clock } from "../../ports/clock.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { openSession, type TmuxSession } from "../../tmux/session.ts";
import type { ReviewRunPlan } from "./plan.ts";

/** What a run's session is opened with. */
export interface RunSessionOptions {
  readonly runId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The name of a session on a server of our own: there is no other on it. */
const OWN_SESSION = "panewright";

/** tmux's own name for the server of a person who names none. */
const DEFAULT_SOCKET = "default";

/**
 * Opens the session for a run's panes: on a server of its own, `panewright-<run>`, unless the plan names an existing one.
 *
 * @throws like `openSession`
 */
export function openRunSession(plan: ReviewRunPlan, options: RunSessionOptions): Promise<TmuxSession> {
  const { socket, session, cols, rows } = plan.tmux;
  const { runId, clock, signal } = options;
  const existing = session !== undefined;
  const client = createTmuxClient({ socket: socket ?? (existing ? DEFAULT_SOCKET : `panewright-${runId}`) });
  return openSession(client, {
    name: session ?? OWN_SESSION,
    existing,
    cols,
    rows,
    cleanupOnExit: plan.cleanupOnExit,
    clock,
    signal,
  });
}
