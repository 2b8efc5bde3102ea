import { JetStreamApiError } from "@nats-io/jetstream";
import type { Clock } from "../base/ports/clock.ts";

interface Reaching {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const RETRY_MS = 250;

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
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // JetStream begins later than the server, and again when the leader of a cluster changes; a full stream says so, too.
    if (cause instanceof JetStreamApiError) return cause.status === 503;
    if (AWAY.has(cause.name)) return true;
  }
  return false;
}
