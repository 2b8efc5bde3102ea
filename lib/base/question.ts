import { isObject } from "./schema.ts";
import { oneLine } from "./text/lines.ts";

/** A question that an agent puts to the person, exactly as its CLI has it on record. */
export interface AgentQuestion {
  readonly question: string;
  readonly multiSelect: boolean;
  /** Empty where it is to be answered in a person's own words. */
  readonly options: readonly AgentChoice[];
}

/** A choice that an agent offers. */
export interface AgentChoice {
  readonly label: string;
  /** Empty where there is none. */
  readonly description: string;
}

/** What a person says to one question: choices, words of their own, or both where several may be chosen. */
export interface QuestionReply {
  /** Places among the question's options, from 0, ascending. */
  readonly choices: readonly number[];
  /** The person's own words, in one line. */
  readonly text?: string;
}

/**
 * Reads the arguments of Claude Code's `AskUserQuestion` (2.1.328); `undefined` where they are not understood, or where
 * two questions are the same, as an answer is then not sure to be to the right one.
 */
export function readQuestions(input: Readonly<Record<string, unknown>>): readonly AgentQuestion[] | undefined {
  const { questions: given } = input;
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const questions = given.map(readQuestion).filter((one) => one !== undefined);
  const isWhole = questions.length === given.length;
  return isWhole && new Set(questions.map(({ question }) => question)).size === given.length ? questions : undefined;
}

function readQuestion(given: unknown): AgentQuestion | undefined {
  if (!isObject(given) || !Array.isArray(given["options"])) return undefined;
  const { question, multiSelect = false } = given;
  const options = given["options"].map(readChoice).filter((one) => one !== undefined);
  if (typeof question !== "string" || question.trim() === "" || typeof multiSelect !== "boolean") return undefined;
  if (options.length === 0 || options.length < given["options"].length) return undefined;
  return { question, multiSelect, options };
}

function readChoice(given: unknown): AgentChoice | undefined {
  if (!isObject(given)) return undefined;
  const { label, description = "" } = given;
  if (typeof label !== "string" || label.trim() === "" || typeof description !== "string") return undefined;
  return { label, description };
}

/** Questions as a person reads them: each with its numbered choices, and what may be said. */
export function questionsText(questions: readonly AgentQuestion[]): string {
  return questions.map((one, index) => {
    const of = questions.length === 1 ? "" : `Question ${index + 1} of ${questions.length}: `;
    const may = one.options.length === 0
      ? "text: and words of your own"
      : one.multiSelect
      ? "one or more choices; text: for words of your own"
      : "one choice; text: for words of your own";
    return [
      `${of}${oneLine(one.question)}`,
      ...one.options.map(({ label, description }, at) =>
        `  ${at + 1}. ${oneLine(label)}${description === "" ? "" : `: ${oneLine(description)}`}`
      ),
      `  (${may})`,
    ].join("\n");
  }).join("\n");
}

/** What was said to questions, a line each. */
export function repliesText(questions: readonly AgentQuestion[], replies: readonly QuestionReply[]): string {
  return questions.map((one, index) => `${oneLine(one.question)} → ${replyText(one, replies[index]!)}`).join("\n");
}

/** What was said to one question, as Claude Code writes it down (2.1.328): labels, then the person's own words. */
export function replyText({ options }: AgentQuestion, { choices, text }: QuestionReply): string {
  return [...choices.map((at) => options[at]!.label), ...(text === undefined ? [] : [text])].join(", ");
}
