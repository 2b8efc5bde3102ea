/**
 * What kind of refusal an error is, for programs that must tell them apart.
 *
 * - `unknown_run`: there is no such run (or none any more); `run_over`: it is over, and cannot be resumed
 * - `not_open`: what is to be answered does not wait for an answer; `answered_before`: another answer came first
 * - `needs_trust`: only a person can agree to what the configuration does
 * - `reserved_for_person`: the policy lets no model answer this
 * - `busy`: another process has what is needed; `key_reused`: the key of a request belongs to another request
 * - `bad_input`: what was given cannot be used
 */
export type ErrorCode =
  | "unknown_run"
  | "run_over"
  | "not_open"
  | "answered_before"
  | "needs_trust"
  | "reserved_for_person"
  | "busy"
  | "key_reused"
  | "bad_input";

/** Every {@linkcode ErrorCode}. */
export const ERROR_CODES: readonly ErrorCode[] = [
  "unknown_run",
  "run_over",
  "not_open",
  "answered_before",
  "needs_trust",
  "reserved_for_person",
  "busy",
  "key_reused",
  "bad_input",
];

/** What an error may have besides its message. */
export interface PanewrightErrorOptions {
  /** What kind of refusal it is; missing where nobody has to tell it from others. */
  readonly code?: ErrorCode;
  /** What the person can do about it, in full sentences. */
  readonly hint?: string;
  /** The underlying error. */
  readonly cause?: unknown;
  /** The mistakes that the message lists, each with the place where it stands. */
  readonly mistakes?: readonly Mistake[];
}

/** A mistake in a file, as a row of an error's message. */
export interface Mistake {
  /** The row of the message. */
  readonly text: string;
  /** Where it stands; missing where that is not in a file. */
  readonly excerpt?: Excerpt;
}

/** A row of a file, and what of it is meant. */
export interface Excerpt {
  /** Counts from 1. */
  readonly line: number;
  /** The whole row. */
  readonly row: string;
  /** Where what is meant begins; counts from 1, in UTF-16 units. */
  readonly column: number;
}

/**
 * An error for people: the command line prints its message and hint, and exits with `exitCode`.
 *
 * Messages have the form "Cannot X: Y".
 */
export class PanewrightError extends Error {
  /** The name of its class. */
  override name = "PanewrightError";
  /** The exit code of the command line. @default {1} the work failed */
  readonly exitCode: number = 1;
  /** What the person can do about it, in full sentences. */
  readonly hint: string | undefined;
  /** What kind of refusal it is. */
  readonly code: ErrorCode | undefined;
  /** The mistakes that the message lists. */
  readonly mistakes: readonly Mistake[];

  /** An error with a message for people, and what there is besides. */
  constructor(message: string, options: PanewrightErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
    this.code = options.code;
    this.mistakes = options.mistakes ?? [];
  }
}

/** Wrong usage or configuration: nothing was started. Exit code 2. */
export class UsageError extends PanewrightError {
  /** The name of its class. */
  override name = "UsageError";
  /** The exit code of the command line. */
  override readonly exitCode = 2;
}

/**
 * A turn that ended without a usable response: agent error, strict handoff, accept cap. The name comes from the
 * seeds.
 */
export class RuntimeError extends PanewrightError {
  /** The name of its class. */
  override name = "RuntimeError";
}

/** A message that an agent cannot take now, because it is at work: a reason to wait. Exit code 1. */
export class AgentAtWorkError extends RuntimeError {
  /** The name of its class. */
  override name = "AgentAtWorkError";
}

/** A text that was pasted, and does not show in its agent's composer: nothing was submitted. Exit code 1. */
export class PasteLostError extends RuntimeError {
  /** The name of its class. */
  override name = "PasteLostError";
}

/** A turn whose total time limit passed while the agent was still working. The name comes from the seeds. */
export class TimeoutError extends PanewrightError {
  /** The name of its class. */
  override name = "TimeoutError";
}

/** The work needs a decision that only a person can make. Exit code 3. */
export class HumanInterventionRequiredError extends PanewrightError {
  /** The name of its class. */
  override name = "HumanInterventionRequiredError";
  /** The exit code of the command line. */
  override readonly exitCode = 3;
}

/** A message that an agent cannot be given, because a person's words stand in its composer. Exit code 3. */
export class DraftInTheWayError extends HumanInterventionRequiredError {
  /** The name of its class. */
  override name = "DraftInTheWayError";
}
