import { RuntimeError } from "../base/errors.ts";

/** What agents were in is gone, their tmux server or the sandbox around them: it can be opened anew. */
export class GroundLostError extends RuntimeError {
  /** @param ground what is gone, as the beginning of a sentence */
  constructor(readonly ground: string, cause: Error) {
    super(cause.message, { cause, ...("hint" in cause && typeof cause.hint === "string" ? { hint: cause.hint } : {}) });
  }
}

interface Playing {
  readonly signal: AbortSignal;
  readonly maxRestarts: number;
  /** How often it was opened anew already. */
  readonly restarts: () => number;
  readonly onLost: (lost: { readonly reason: string; readonly restart: number; readonly maxRestarts: number }) => void;
}

/** Plays something to its end: once more where only what its agents were in was lost. */
export async function playOnGround<Result>(
  play: () => Promise<Result>,
  { signal, maxRestarts, restarts, onLost }: Playing,
): Promise<Result> {
  for (;;) {
    try {
      return await play();
    } catch (error) {
      const restart = restarts() + 1;
      if (!(error instanceof GroundLostError) || signal.aborted || restart > maxRestarts) throw error;
      onLost({ reason: error.ground, restart, maxRestarts });
    }
  }
}
