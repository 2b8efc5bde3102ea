import type { AgentQuestion, QuestionReply } from "../../policy/question.ts";
import type { DialogAnswer } from "../../agents/pane/dialog_keys.ts";
import { readReplies } from "./question_answer.ts";

/** What a person says to a dialog that asks for a yes or a no. */
export interface PersonsAnswer {
  readonly answer: DialogAnswer;
  /** What a person adds to a no, for the agent. */
  readonly reason?: string;
}

const ANSWER = /^\s*(?<word>yes|y|no|n)\b[\s.,:;-]*(?<reason>[^]*)$/i;

/** Reads a person's answer to a dialog: `yes`, or `no` with or without a reason. Anything else is none. */
export function parsePersonsAnswer(text: string): PersonsAnswer | undefined {
  const { word = "", reason = "" } = ANSWER.exec(text)?.groups ?? {};
  if (word === "") return undefined;
  const added = reason.trim();
  if (/^n/i.test(word)) return { answer: "decline", ...(added === "" ? {} : { reason: added }) };
  return added === "" ? { answer: "accept" } : undefined;
}

/** What a person says to a dialog that asks for a yes or a no, or to one with questions. */
export type Said = PersonsAnswer | { readonly answer: "reply"; readonly replies: readonly QuestionReply[] };

/**
 * Reads what a person says to a dialog.
 *
 * @param questions what the dialog asks; missing where it asks for a yes or a no
 * @returns what is wrong, and what is allowed, without a full stop, where it is no answer
 */
export function readSaid(
  text: string,
  questions: readonly AgentQuestion[] | undefined,
): Said | { readonly problem: string } {
  if (questions === undefined) {
    return parsePersonsAnswer(text) ?? { problem: "a dialog takes yes or no, and after a no the reason" };
  }
  const read = readReplies(text, questions);
  return "problem" in read ? read : { answer: "reply", replies: read.replies };
}
