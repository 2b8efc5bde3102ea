import { parsePersonsAnswer, type PersonsAnswer } from "../../base/terms.ts";
import type { AgentQuestion, QuestionReply } from "../../base/question.ts";
import { readReplies } from "./question_answer.ts";

export type Said = PersonsAnswer | { readonly answer: "reply"; readonly replies: readonly QuestionReply[] };

/** Reads what a person says to a dialog. */
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
