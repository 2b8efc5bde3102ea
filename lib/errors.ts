/** What an error may carry besides its message. */
export interface PanewrightErrorOptions {
  /** What the person can do about it, as one or more full sentences. */
  readonly hint?: string;
  /** What went wrong underneath. */
  readonly cause?: unknown;
}

/**
 * An error that a person is meant to read: the command line prints its message and hint, and exits with `exitCode`.
 *
 * Messages follow the grammar "Cannot X: Y".
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

/** A turn that ended without a usable response: agent error, strict handoff, accept cap. The seeds' word. */
export class RuntimeError extends PanewrightError {
  override name = "RuntimeError";
}

/** A turn whose total time limit passed while the agent was still at work. The seeds' word. */
export class TimeoutError extends PanewrightError {
  override name = "TimeoutError";
}

/** The work stands at a point that only a person can decide. Exit code 3. */
export class HumanInterventionRequiredError extends PanewrightError {
  override name = "HumanInterventionRequiredError";
  override readonly exitCode = 3;
}
