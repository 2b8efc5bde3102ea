/** Where a detail is kept: a file of the run's folder, a text of a record, or records of the audit log. */
export type DetailSource =
  & { readonly kind: ReportDetailKind; readonly ref: string; readonly title: string }
  & (
    | {
      readonly from: "file";
      /** Relative to the run's folder. */
      readonly path: string;
      /** SHA-256 of the file, hexadecimal, where the journal has it. */
      readonly sha256?: string;
    }
    | { readonly from: "record"; readonly text: string }
    | { readonly from: "audit"; /** The record of the decision, from 1. */ readonly record: number }
  );

/**
 * What an item is about.
 *
 * - `start`: an agent starts, or is ready; `round`: a round, a task or a step begins
 * - `prompt`: a message of panewright to an agent; `work`: an agent's turn, or its attempt
 * - `dialog`: an agent asks for a permission; `question`: it asks a person; `answer`: what it was told
 * - `response`: what an agent has handed in; `verdict`: what that comes to, of a review, a round, a step or a task
 * - `tests`, `check`: a command of the project, or of the step; `changes`: files that were changed
 * - `kill`: a program has ended that should not; `resume`: another process continues the run
 * - `limit`: a limit is reached; `retry`: what failed is tried again; `warning`: a person should know of it
 * - `message`: from outside to an agent; `note`: anything else; `gap`: lines of the journal are missing
 * - `end`: the process has ended the run, or has left it
 */
export type ReportItemKind =
  | "start"
  | "round"
  | "prompt"
  | "work"
  | "dialog"
  | "question"
  | "answer"
  | "response"
  | "verdict"
  | "tests"
  | "check"
  | "changes"
  | "kill"
  | "resume"
  | "limit"
  | "retry"
  | "warning"
  | "message"
  | "note"
  | "gap"
  | "end";

/** How an item is meant, which decides its colour. */
export type ReportTone = "plain" | "good" | "bad" | "caution";

/** Something that happened, or has begun. */
export interface ReportItem {
  /** Unique in its run, and the same whenever the report is made; a link to it. */
  readonly id: string;
  /** The record that made it: its number in the journal, from 1. */
  readonly sequence: number;
  /** The {@linkcode ReportLane} that it is in. */
  readonly lane: string;
  readonly kind: ReportItemKind;
  readonly tone: ReportTone;
  readonly at: string;
  /** When it was over; missing for a moment, and for what is `open`. */
  readonly until?: string;
  /** Whether it has not ended yet. @default {false} */
  readonly open?: boolean;
  /** One line of at most 240 characters. */
  readonly title: string;
  /** More of it, at most 4000 characters; may be many lines. */
  readonly text?: string;
  /** The turn, or the attempt, that it belongs to: `r2-programmer-c1`, `t1-s2-a1`. */
  readonly turn?: string;
  readonly details?: readonly ReportRef[];
}

/** What a detail is, and so how it is shown: `diff` as a patch, `screen` as a terminal, all others as text. */
export type ReportDetailKind = "prompt" | "response" | "diff" | "screen" | "output" | "audit";

/** Where more of an item is. */
export interface ReportRef {
  readonly kind: ReportDetailKind;
  /** Names it in its run: letters, digits and hyphens. */
  readonly ref: string;
  readonly title: string;
}

/** A detail that has no name yet. */
export type NewDetail = DetailSource extends infer Source ? Source extends unknown ? Omit<Source, "ref"> : never
  : never;
