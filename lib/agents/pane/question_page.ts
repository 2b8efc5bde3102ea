import type { AgentQuestion, QuestionReply } from "../../base/question.ts";
import type { PaneLook } from "./pane_look.ts";

/** A page of a dialog with questions, as a screen shows it. */
export type QuestionPage = AskingPage | ReviewPage;

/** A page with one of the questions. */
export interface AskingPage {
  readonly page: "question";
  /** Which one, from 0. */
  readonly index: number;
  /**
   * What the selection is on: an option, by its place; the field for own words, by the number of options; `undefined`
   * where it is on neither.
   */
  readonly selected: number | undefined;
  /** The options that are chosen, by their places. */
  readonly chosen: readonly number[];
  /** What stands in the field for own words, empty where nothing does, and whether it is chosen. */
  readonly field: { readonly text: string; readonly chosen: boolean };
}

/** The page on which all answers are handed in. */
export interface ReviewPage {
  readonly page: "review";
  /** What it shows as the answers, in letters that {@linkcode lettersOf} keeps. */
  readonly letters: string;
}

/** How questions of a CLI are answered in its dialog. */
export interface QuestionDialogs {
  /** Reads the page that is open; `undefined` where the screen does not show it as the record has it. Pure. */
  read(look: PaneLook, questions: readonly AgentQuestion[]): QuestionPage | undefined;
  /** The next key, given what has been done before. Pure. */
  next(page: QuestionPage, wanted: WantedReplies): QuestionStep;
}

/** What a person wants to be answered. */
export interface WantedReplies {
  readonly questions: readonly AgentQuestion[];
  /** One a question, in their order. */
  readonly replies: readonly QuestionReply[];
  /** Whether the pages are gone through backwards, to the first one, to look for what is wrong. */
  readonly isGoingBack: boolean;
}

/** What is to be done next in a dialog with questions. */
export type QuestionStep =
  | {
    readonly do: "press";
    /** By tmux's name. */
    readonly key: string;
    /** Whether the dialog, or the last of its questions, closes with it: it is pressed once only. @default {false} */
    readonly closes?: boolean;
  }
  /** Words of the person's own; the selection is on the field for them. */
  | { readonly do: "paste"; readonly text: string }
  /** From now on the pages are gone through backwards, or forwards again. */
  | { readonly do: "turn" }
  /** Why only a person can continue, without a full stop. */
  | { readonly do: "stop"; readonly problem: string };

/**
 * The letters of a text by which it is told on a screen: no blanks, which wrapping changes, no marks of a dialog, no
 * quotation marks, which are added to some labels, and nothing without a shape.
 */
export function lettersOf(text: string): string {
  return text.replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}│●→✔"\\]/gu, "");
}
