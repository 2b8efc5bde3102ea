import { count, flag, listOf, object, oneOf, optional, text, type ValueOf, type ValuesOf } from "../../base/schema.ts";

export type DetailSource =
  & { readonly kind: ReportDetailKind; readonly ref: string; readonly title: string }
  & (
    | {
      readonly from: "file";
      /** Relative to the run's folder. */
      readonly path: string;
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
const kind = oneOf(
  ...["start", "round", "prompt", "work", "dialog", "question", "answer", "response", "verdict", "tests"] as const,
  ...["check", "changes", "kill", "resume", "limit", "retry", "warning", "message", "note", "gap", "end"] as const,
);

export type ReportItemKind = ValueOf<typeof kind>;

const tone = oneOf("plain", "good", "bad", "caution");

export type ReportTone = ValueOf<typeof tone>;

const detailKind = oneOf("prompt", "response", "diff", "screen", "output", "audit");

export type ReportDetailKind = ValueOf<typeof detailKind>;

export const REPORT_REF = { kind: detailKind, ref: text, title: text };

export type ReportRef = ValuesOf<typeof REPORT_REF>;

export const REPORT_ITEM = {
  id: text,
  sequence: count,
  lane: text,
  kind,
  tone,
  at: text,
  /** When it was over; missing for a moment, and for what is `open`. */
  until: optional(text),
  /** Whether it has not ended yet. @default {false} */
  open: optional(flag),
  title: text,
  text: optional(text),
  /** Moments that stand in `title` and `text` as they are here, ISO 8601: a face writes them as its reader's time. */
  times: optional(listOf(text)),
  turn: optional(text),
  details: optional(listOf(object(REPORT_REF))),
};

export type ReportItem = ValuesOf<typeof REPORT_ITEM>;

export type NewDetail = DetailSource extends infer Source ? Source extends unknown ? Omit<Source, "ref"> : never
  : never;
