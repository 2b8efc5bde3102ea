import { RuntimeError } from "../base/errors.ts";

/** What agents were in is gone, their tmux server or the sandbox around them: it can be opened anew. */
export class GroundLostError extends RuntimeError {
  /** @param ground what is gone, as the beginning of a sentence */
  constructor(readonly ground: string, cause: Error) {
    super(cause.message, { cause, ...("hint" in cause && typeof cause.hint === "string" ? { hint: cause.hint } : {}) });
  }
}
