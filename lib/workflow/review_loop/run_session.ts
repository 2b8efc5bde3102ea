import type { Clock } from "../../ports/clock.ts";
import { createControlClient } from "../../tmux/control_client.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { openSession, type TmuxSession } from "../../tmux/session.ts";
import type { ReviewRunPlan } from "./plan.ts";

/** What a run's session is opened with. */
export interface RunSessionOptions {
  readonly runId: string;
  /** Told when tmux's control mode cannot be used. */
  readonly log: (message: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The name of a session on a server of our own: there is no other on it. */
const OWN_SESSION = "panewright";

/** tmux's own name for the server of a person who names none. */
const DEFAULT_SOCKET = "default";

/** A run's session, with the connection to its server. */
export interface RunSession extends AsyncDisposable {
  readonly session: TmuxSession;
}

/**
 * Opens the session for a run's panes: on a server of its own, `panewright-<run>`, unless the plan names an existing one.
 *
 * A server of our own is talked with through control mode. To somebody's session no client is added: it would be shown
 * there, fire their hooks, and take a session along that ends with its last client.
 *
 * @throws like `openSession`
 */
export async function openRunSession(plan: ReviewRunPlan, options: RunSessionOptions): Promise<RunSession> {
  const { socket, session: existingName, cols, rows } = plan.tmux;
  const { runId, log, clock, signal } = options;
  const existing = existingName !== undefined;
  const plain = createTmuxClient({ socket: socket ?? (existing ? DEFAULT_SOCKET : `panewright-${runId}`) });
  await using opened = new AsyncDisposableStack();
  const client = opened.use(createControlClient({ plain, log, clock }));
  const session = opened.use(
    await openSession(client, {
      name: existingName ?? OWN_SESSION,
      existing,
      cols,
      rows,
      cleanupOnExit: plan.cleanupOnExit,
      clock,
      signal,
    }),
  );
  if (!existing) await client.connect(session.name);
  const resources = opened.move();
  return { session, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
