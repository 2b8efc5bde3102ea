/** What an error may have besides its message. */
export interface PanewrightErrorOptions {
  /** What the person can do about it, in full sentences. */
  readonly hint?: string;
  /** The underlying error. */
  readonly cause?: unknown;
}

/**
 * An error for people: the command line prints its message and hint, and exits with `exitCode`.
 *
 * Messages have the form "Cannot X: Y".
 */
export class PanewrightError extends Error {
  override name = "PanewrightError";
  /** @default {1} the work failed */
  readonly exitCode: number = 1;
  readonly hint: string | undefined;

  constructor(message: string, options: PanewrightErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** Wrong usage or configuration: nothing was started. Exit code 2. */
export class UsageError extends PanewrightError {
  override name = "UsageError";
  override readonly exitCode = 2;
}

/**
 * A turn that ended without a usable response: agent error, strict handoff, accept cap. The name comes from the
 * seeds.
 */
export class RuntimeError extends PanewrightError {
  override name = "RuntimeError";
}

/** A message that an agent cannot take now, because it is at work: a reason to wait. Exit code 1. */
export class AgentAtWorkError extends RuntimeError {
  override name = "AgentAtWorkError";
}

/** A turn whose total time limit passed while the agent was still working. The name comes from the seeds. */
export class TimeoutError extends PanewrightError {
  override name = "TimeoutError";
}

/** The work needs a decision that only a person can make. Exit code 3. */
export class HumanInterventionRequiredError extends PanewrightError {
  override name = "HumanInterventionRequiredError";
  override readonly exitCode = 3;
}

/** A message that an agent cannot be given, because a person's words stand in its composer. Exit code 3. */
export class DraftInTheWayError extends HumanInterventionRequiredError {
  override name = "DraftInTheWayError";
}
