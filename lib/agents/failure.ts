import type { FailureClass } from "../base/terms.ts";

/** What a CLI says of a turn that failed. */
export interface FailureWords {
  /** The CLI's own name of it, such as `unauthorized`; with the HTTP status behind a colon where it has one. */
  readonly code?: string;
  /** Its message, without the mark that stands before it on the screen. */
  readonly text: string;
}

/**
 * One piece of knowledge: what has this code, and these words, is of this class. A missing condition holds; files have
 * regular expressions as texts.
 */
export interface FailureRule {
  /** What it means. */
  readonly class: FailureClass;
  readonly code?: RegExp | string | undefined;
  readonly words?: RegExp | string | undefined;
}

/** What is known of a CLI's failures; the first rule that holds decides. */
export type FailureTable = readonly FailureRule[];

/** A turn that failed, as it is told and recorded. */
export interface AgentFailure {
  /** What it means. */
  readonly class: FailureClass;
  /** The CLI's own words. */
  readonly text: string;
  /** Where they stand, for a person: a row of the screen, a record of the session log. */
  readonly evidence: string;
  /** Whether the CLI's record proves that the turn is over: only then may it be given another. */
  readonly isTurnOver: boolean;
  /** When the account can be used again, where that is said. */
  readonly resetsAt?: Date;
  /** What a person can do about it, as full sentences. */
  readonly remedy?: string;
}

/** Messages may quote what was sent, which may be long. */
const MAX_CHARS = 1000;

/** The class of a failure by a CLI's table; `other` where no rule of it holds. */
export function classifyFailure(table: FailureTable, { code, text }: FailureWords): FailureClass {
  const words = text.slice(0, MAX_CHARS);
  const rule = table.find((one) =>
    (one.code === undefined || (code !== undefined && new RegExp(one.code).test(code))) &&
    (one.words === undefined || new RegExp(one.words).test(words))
  );
  return rule?.class ?? "other";
}
