import { JetStreamApiError } from "@nats-io/jetstream";
import { PermissionViolationError } from "@nats-io/transport-node";
import type { Clock } from "../base/ports/clock.ts";

interface Reaching {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const RETRY_MS = 250;

/**
 * JetStream begins later than the server, and again when the leader of a cluster changes; a full stream says so, too.
 * Who may put an object, and not remove one, is told only that the parts of one that failed could not be removed.
 */
export function keepsNothing(error: unknown): boolean {
  return causes(error).some((cause) =>
    cause instanceof PermissionViolationError
      ? /\.PURGE\.OBJ_/.test(cause.subject)
      : cause instanceof JetStreamApiError && cause.status === 503
  );
}

/** What the client says while a server is away, or has only begun. */
const AWAY = new Set(["TimeoutError", "NoRespondersError", "RequestError", "ConnectionError"]);

/**
 * Asks the fleet's server, again and again while it is away: what is asked must come to the same when it was heard twice.
 *
 * @throws what the server says against it; the signal's reason when it is aborted
 */
export async function whenReached<Answer>(ask: () => Promise<Answer>, { clock, signal }: Reaching): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
    }
    await clock.sleep(RETRY_MS, signal);
  }
}

/** JetStream's code for a message whose subject has another last sequence than it names. */
const WRONG_LAST_SEQUENCE = 10071;

/** Whether somebody else has written there since it was read. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
}

/** Whether a later try may be answered. */
export function isAway(error: unknown): boolean {
  return keepsNothing(error) || causes(error).some((cause) => AWAY.has(cause.name));
}

/** An error, what it was caused by, and so on. */
export function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
