import { conditionText, placeText, turnText, waitingText } from "../show/run_words.ts";
import { canResume } from "../../run/condition.ts";
import type { OpenQuestion, RunOverview } from "../../run/overview.ts";
import { abridge } from "../../base/text/abridge.ts";
import { isMessageOver, type MessageState } from "./message_state.ts";
import type * as z from "zod";
import type { ended, question } from "./fields.ts";
import { present } from "../../base/schema.ts";

type Question = z.input<typeof question>;

const MAX_QUESTION_CHARS = 8000;
const MAX_REASON_CHARS = 2000;
const MAX_WARNINGS = 10;

/**
 * Whether the caller has something to do: the run is over, or it waits for an answer that a model may give. What only a
 * person may answer counts when it is new to the caller.
 */
export function needsAttention(overview: RunOverview, { records }: { readonly records: number }): boolean {
  if (!overview.executed) return true;
  const open = questionsOf(overview).filter(({ answered }) => !answered);
  return open.some(({ reserved, question }) => !reserved && question !== undefined) || open.length > 0 && records > 0;
}

export function isOver({ executed, condition }: Pick<RunOverview, "executed" | "condition">): boolean {
  return !executed && condition !== "waiting";
}

export function questionsOf({ questions }: Pick<RunOverview, "questions">): readonly Question[] {
  return questions.map(questionOf);
}

function questionOf(
  { id, by, text, askedAt, isPermission, shown = "whole", reserved, dialog, answered }: OpenQuestion,
): Question {
  const choices = dialog?.questions?.map(({ question, multiSelect, options }) => ({
    question,
    multiSelect,
    options: options.map(({ label, description }) => description === "" ? label : `${label}: ${description}`),
  }));
  const takesYes = choices === undefined && (isPermission === true || dialog !== undefined);
  // What a yes permits is given whole; what would be too long for that takes no yes.
  const given = (words: string) => takesYes ? words : abridge(words, { maxChars: MAX_QUESTION_CHARS });
  return {
    ...present({ question: id }),
    by,
    text: given(text),
    askedAt,
    isPermission: takesYes,
    shown,
    reserved: reserved === true,
    answered,
    ...(dialog?.subject === undefined ? {} : { subject: given(dialog.subject) }),
    ...present({ choices }),
  };
}

export function doingOf({ executed, progress }: RunOverview, now: Date): { readonly doing?: string } {
  if (!executed || progress === undefined) return {};
  return { doing: [placeText(progress), turnText(progress, now)].filter((part) => part !== undefined).join("; ") };
}

export function endedOf({ progress }: RunOverview): { readonly ended?: z.input<typeof ended> } {
  if (progress?.finished === undefined) return {};
  const { outcome, reason, at } = progress.finished;
  return { ended: { outcome, reason: short(reason), at } };
}

export function nextOf(overview: RunOverview): string {
  const { condition, elsewhere, executed, progress } = overview;
  const open = questionsOf(overview).filter(({ answered }) => !answered);
  if (open.length > 0) {
    return open.every(({ reserved, question }) => reserved || question === undefined)
      ? "Only a person can answer what it waits for: tell your person."
      : "Answer the question with answer, or ask your person; then call wait.";
  }
  if (executed) return "Call wait.";
  const resumes = canResume(condition, { job: progress?.job, executed, elsewhere });
  if (condition === "passed") return "It has passed: result has the outcome.";
  if (elsewhere !== undefined) return `Only a person can have its fleet try job ${elsewhere} again: tell your person.`;
  return resumes ? "Call resume to continue it; explain says why it stopped." : "It is over: explain says why.";
}

export function nextOfMessage({ message, state }: MessageState, overview: RunOverview): string {
  if (isMessageOver(state)) {
    return state === "answered" ? "The message is answered." : "The message has failed: see reason.";
  }
  if (needsAttention(overview, { records: 0 })) return nextOf(overview);
  return `It is still under way: call wait with message ${JSON.stringify(message)}.`;
}

export function whyOf(overview: RunOverview): readonly string[] {
  const { progress, problem, question } = overview;
  const turn = progress === undefined || !overview.executed ? undefined : turnText(progress, new Date());
  return [
    conditionText(overview),
    ...(problem === undefined ? [] : [problem.message]),
    ...(progress === undefined ? [] : [`at: ${placeText(progress)}`]),
    ...(turn === undefined ? [] : [turn]),
    ...(question === undefined ? [] : [waitingText(question)]),
    ...(question?.dialog === undefined ? [] : [`not decided automatically: ${question.dialog.reason}`]),
    ...(progress?.finished === undefined ? [] : [`ended: ${progress.finished.outcome}: ${progress.finished.reason}`]),
    ...warningsOf(overview).map((message) => `warning: ${message}`),
  ].map(short);
}

export function warningsOf({ progress }: RunOverview): readonly string[] {
  return (progress?.warnings ?? []).slice(-MAX_WARNINGS).map(({ message }) => message);
}

export function short(text: string): string {
  return abridge(text, { maxChars: MAX_REASON_CHARS });
}
