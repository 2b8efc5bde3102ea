import type { AgentQuestion, QuestionReply } from "../../base/question.ts";
import type { PaneLook } from "./pane_look.ts";

export type QuestionPage = AskingPage | ReviewPage;

export interface AskingPage {
  readonly page: "question";
  readonly index: number;
  /**
   * What the selection is on: an option, by its place; the field for own words, by the number of options; `undefined`
   * where it is on neither.
   */
  readonly selected: number | undefined;
  readonly chosen: readonly number[];
  readonly field: { readonly text: string; readonly chosen: boolean };
}

export interface ReviewPage {
  readonly page: "review";
  readonly letters: string;
}

export interface QuestionDialogs {
  read(look: PaneLook, questions: readonly AgentQuestion[]): QuestionPage | undefined;
  next(page: QuestionPage, wanted: WantedReplies): QuestionStep;
}

export interface WantedReplies {
  readonly questions: readonly AgentQuestion[];
  readonly replies: readonly QuestionReply[];
  readonly isGoingBack: boolean;
  /** The questions that this answer has been given to: see `answers` of a step. @default {new Set()} */
  readonly answered?: ReadonlySet<number>;
}

export type QuestionStep =
  | {
    readonly do: "press";
    readonly key: string;
    /** Whether the dialog, or the last of its questions, closes with it: it is pressed once only. */
    readonly closes?: boolean;
    /** The question that is answered with it, where no later page shows the answer once more. */
    readonly answers?: number;
  }
  | { readonly do: "paste"; readonly text: string }
  | { readonly do: "turn" }
  | { readonly do: "stop"; readonly problem: string };

/**
 * The letters of a text by which it is told on a screen: no blanks, which wrapping changes, no marks of a dialog, no
 * quotation marks, which are added to some labels, and nothing without a shape.
 */
export function lettersOf(text: string): string {
  return text.replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}│●→✔"\\]/gu, "");
}
