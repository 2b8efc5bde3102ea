import type { AgentQuestion, QuestionReply } from "../../base/question.ts";
import { oneLine } from "../../base/text/lines.ts";

type ReadReplies =
  | { readonly replies: readonly QuestionReply[] }
  /** What is wrong with it, and what is allowed, without a full stop. */
  | { readonly problem: string };

/** The most characters that words of a person's own may have: they must fit into the dialog's field. */
const MAX_TEXT_LENGTH = 500;

const OWN_WORDS = /^text:\s*(?<text>[^]*)$/i;

/**
 * Reads a person's answer to an agent's questions: one line a question, in their order. A line names a choice by its
 * number or label, several with commas between them, and ends with `text: …` for words of the person's own. `#2` is a
 * number in any case, for labels that are numbers themselves.
 */
export function readReplies(answer: string, questions: readonly AgentQuestion[]): ReadReplies {
  const lines = answer.trim().split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length !== questions.length) {
    const takes = questions.length === 1 ? "one line" : `${questions.length} answers, a line for each question`;
    return { problem: `it takes ${takes}, and was given ${lines.length}` };
  }
  const read = questions.map((question, index) => readReply(lines[index]!, question));
  const problem = read.find((one) => typeof one === "string");
  return typeof problem === "string" ? { problem } : { replies: read.filter((one) => typeof one !== "string") };
}

function readReply(line: string, question: AgentQuestion): QuestionReply | string {
  const choices = new Set<number>();
  for (let rest = line; rest !== "";) {
    const text = OWN_WORDS.exec(rest)?.groups?.["text"]?.trim();
    if (text !== undefined) return withText(text, choices, question);
    const taken = takeChoice(rest, question);
    if (taken === undefined) return `${JSON.stringify(rest)} is no choice of ${takes(question)}`;
    if (taken.at === undefined) {
      return `${JSON.stringify(taken.name)} may be more than one choice of ${takes(question)}; #1 means the first`;
    }
    choices.add(taken.at);
    rest = taken.rest;
  }
  if (choices.size > 1 && !question.multiSelect) return `several choices are too many for ${takes(question)}`;
  return { choices: sorted(choices) };
}

function withText(text: string, choices: ReadonlySet<number>, question: AgentQuestion): QuestionReply | string {
  if (text === "") return `no words follow text: for ${takes(question)}`;
  if (text.length > MAX_TEXT_LENGTH) {
    return `the words for ${JSON.stringify(question.question)} are longer than ${MAX_TEXT_LENGTH} characters`;
  }
  // Claude Code makes a line end of such a backslash and Enter (2.1.328).
  if (text.endsWith("\\")) return `the words for ${JSON.stringify(question.question)} may not end with a backslash`;
  if (choices.size > 0 && !question.multiSelect) return `a choice and words are too many for ${takes(question)}`;
  return { choices: sorted(choices), text };
}

/**
 * The choice that a line begins with, up to its comma: a label may have commas of its own, so the longest one counts.
 */
function takeChoice(
  line: string,
  { options }: AgentQuestion,
): { readonly name: string; readonly at: number | undefined; readonly rest: string } | undefined {
  const ends = [...line.matchAll(/,|$/g)].map(({ index }) => index).reverse();
  for (const end of ends) {
    const name = line.slice(0, end).trim();
    const rest = line.slice(end + 1).trim();
    const number = /^#?(?<number>\d{1,3})$/.exec(name)?.groups?.["number"];
    const numbered = number === undefined || options[Number(number) - 1] === undefined ? [] : [Number(number) - 1];
    const labelled = options.flatMap(({ label }, at) => wordsOf(label) === wordsOf(name) ? [at] : []);
    const [first, ...others] = new Set(
      name.startsWith("#") && numbered.length > 0 ? numbered : [...numbered, ...labelled],
    );
    if (first !== undefined) return { name, at: others.length === 0 ? first : undefined, rest };
  }
  return undefined;
}

function takes({ question, multiSelect, options }: AgentQuestion): string {
  if (options.length === 0) return `${JSON.stringify(question)}; it takes text: and words of your own`;
  const choice = multiSelect
    ? `numbers from 1 to ${options.length} or labels, with commas between them`
    : `one of 1 to ${options.length} or a label`;
  return `${JSON.stringify(question)}; it takes ${choice}, ${multiSelect ? "and" : "or"} text: and words of your own`;
}

function wordsOf(text: string): string {
  return oneLine(text).toLowerCase();
}

function sorted(choices: ReadonlySet<number>): readonly number[] {
  return [...choices].sort((one, other) => one - other);
}
