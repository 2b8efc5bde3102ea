import { type AgentQuestion, readQuestions } from "../../base/question.ts";
import { arrayOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import { openDialog, type PaneLook } from "../pane/pane_look.ts";
import {
  type AskingPage,
  lettersOf,
  type QuestionDialogs,
  type QuestionPage,
  type QuestionStep,
  type WantedReplies,
} from "../pane/question_page.ts";

/** The last choice of each question: Codex adds it. */
const NEITHER = "None of the above";
const NOTE = "user_note: ";

const HEAD = /^ {2}Question (?<number>\d+)\/(?<count>\d+) /;
const CHOICE = /^ {2}(?<mark>[› ]) (?<number>\d{1,2})\. (?<text>\S.*)$/;
const FOOT = /^ {2}tab (?<way>to add notes|or esc to clear notes) \|/;
const PLACEHOLDER = "Add notes";

/**
 * How questions of Codex' `request_user_input` are answered (0.169.0): a digit chooses, and with it, or with Enter, the
 * question is answered and the next one shown; nothing shows all answers before they are handed in with the last. Own
 * words are notes, opened with Tab, to the choice that Codex adds itself. Esc ends the whole turn.
 */
export const codexQuestions: QuestionDialogs = { read: readPage, next: nextStep };

function readPage(look: PaneLook, questions: readonly AgentQuestion[]): QuestionPage | undefined {
  if (openDialog(look)?.kind !== "question") return undefined;
  const rows = look.screen.rows.map(({ text }) => text).filter((text) => text.trim() !== "");
  const foot = rows.findLastIndex((text) => FOOT.test(text));
  const top = rows.findLastIndex((text, row) => row < foot && HEAD.test(text));
  const { number, count } = HEAD.exec(rows[top] ?? "")?.groups ?? {};
  const index = Number(number) - 1;
  const question = questions[index];
  if (question === undefined || Number(count) !== questions.length) return undefined;
  // Rows that look like choices may stand in the question, too.
  const first = rows.findLastIndex((text, row) => row < foot && CHOICE.exec(text)?.groups?.["number"] === "1");
  if (first < top || lettersOf(rows.slice(top + 1, first).join("")) !== lettersOf(question.question)) return undefined;
  const page = readChoices(rows.slice(first, foot), { question, hasNotes: !/to add/.test(rows[foot]!) });
  return page && { page: "question", index, ...page };
}

function readChoices(
  rows: readonly string[],
  { question: { options }, hasNotes }: { readonly question: AgentQuestion; readonly hasNotes: boolean },
): Omit<AskingPage, "page" | "index"> | undefined {
  const end = hasNotes ? rows.findLastIndex((text) => text.startsWith("  › ") && !CHOICE.test(text)) : rows.length;
  if (end < 0) return undefined;
  const shown: { readonly isSelected: boolean; letters: string }[] = [];
  for (const row of rows.slice(0, end)) {
    const { mark, number, text = row } = CHOICE.exec(row)?.groups ?? {};
    if (Number(number) === shown.length + 1) shown.push({ isSelected: mark === "›", letters: lettersOf(text) });
    else shown.at(-1)!.letters += lettersOf(row);
  }
  const isOffered = shown.length === options.length + 1 && shown.every(({ letters }, at) => {
    const option = options[at];
    return option === undefined
      ? letters.startsWith(lettersOf(NEITHER))
      : letters === lettersOf(option.label + option.description);
  });
  if (!isOffered) return undefined;
  const selected = shown.findIndex(({ isSelected }) => isSelected);
  const notes = rows.slice(end).map((text) => text.slice(4)).join("").trim();
  return {
    selected: selected < 0 ? undefined : selected,
    chosen: [],
    field: { text: notes === PLACEHOLDER ? "" : notes, chosen: hasNotes },
  };
}

function nextStep(page: QuestionPage, { questions, replies, answered = new Set() }: WantedReplies): QuestionStep {
  if (page.page === "review") return { do: "turn" };
  const { index, selected, field } = page;
  // All of them, from the first on: what was answered before, here or by somebody else, is shown nowhere.
  const due = questions.findIndex((_, at) => !answered.has(at));
  const neither = questions[index]!.options.length;
  const { choices: [choice = neither], text } = replies[index]!;
  if (field.text !== "" && (text === undefined || lettersOf(field.text) !== lettersOf(text))) {
    return { do: "stop", problem: "other words stand in the notes to a choice" };
  }
  // In open notes an arrow moves the cursor; Tab takes them back.
  if (due >= 0 && due !== index) {
    return { do: "press", key: field.chosen ? "Tab" : index > due ? "Left" : "Right" };
  }
  const answers = { closes: true, answers: index } as const;
  if (text === undefined) {
    if (field.chosen) return { do: "press", key: "Tab" };
    return choice < 9
      ? { do: "press", key: String(choice + 1), ...answers }
      : { do: "stop", problem: "the choice is beyond the ninth, and has no key" };
  }
  if (field.text !== "") {
    if (selected === neither) return { do: "press", key: "Enter", ...answers };
    return { do: "stop", problem: "other words stand in the notes to a choice" };
  }
  if (selected !== neither) return { do: "press", key: field.chosen ? "Tab" : "Down" };
  return field.chosen ? { do: "paste", text } : { do: "press", key: "Tab" };
}

/** What was answered to the questions of a call, by its arguments and its output; `undefined` where it was not. */
export function readAnswers(input: string, output: string): Readonly<Record<string, string>> | undefined {
  const given = parseJsonObject(input);
  const answers = parseJsonObject(output)?.["answers"];
  if (given === undefined || answers === undefined || readQuestions(given) === undefined) return undefined;
  return Object.fromEntries(
    arrayOf(given["questions"]).map(objectOf).map((one) => [
      textOf(one["question"]) ?? "",
      saidOf(arrayOf(objectOf(objectOf(answers)[textOf(one["id"]) ?? ""])["answers"]).map(String)),
    ]),
  );
}

/** Choices, then a person's own words, for which Codex' own choice only stands. */
function saidOf(answers: readonly string[]): string {
  const [note] = answers.filter((text) => text.startsWith(NOTE));
  const chosen = answers.filter((text) => text !== note && !(note !== undefined && text === NEITHER));
  return [...chosen, ...(note === undefined ? [] : [note.slice(NOTE.length)])].join(", ");
}
