import type { DialogOption } from "../../screen/dialog.ts";
import { type AgentQuestion, replyText } from "../../base/question.ts";
import { openDialog, type PaneLook } from "../pane/pane_look.ts";
import {
  type AskingPage,
  lettersOf,
  type QuestionDialogs,
  type QuestionPage,
  type QuestionStep,
  type ReviewPage,
  type WantedReplies,
} from "../pane/question_page.ts";

/** The empty field for own words; where several may be chosen, a row of its own below belongs to it on the screen. */
const PLACEHOLDER = /^Type something\.?(?: (?:Submit|Next))?$/;
const FIELD_END = / (?:Submit|Next)$/;

const CHECKBOX = /^\[(?<mark>[ ✔])\] /;

/** The mark of the choice that was made before, on a page that one comes back to. */
const CHOSEN = /✔/;

/** A first row of choices; others may stand in the question. */
const CHOICE_ROW = /^ {0,5}(?:[❯›>↑↓] )?\d{1,2}\. /;

const ABOVE_QUESTION = /^(?:─{8,}| ?[☐☒] |← .*→$)/;

/**
 * How questions of Claude Code's `AskUserQuestion` are answered (2.1.328): on the page of a question a digit chooses;
 * where several may be chosen, it checks or unchecks. Own words are typed into the last choice but one. Tab and
 * Shift+Tab go to the next page and back, and the last page shows all answers before they are handed in; a single
 * question of which one choice is taken has no such page, and its choice is the answer.
 */
export const claudeQuestions: QuestionDialogs = { read: readPage, next: nextStep };

function readPage(look: PaneLook, questions: readonly AgentQuestion[]): QuestionPage | undefined {
  const dialog = openDialog(look);
  if (dialog?.kind !== "question" || look.dialogRow === undefined) return undefined;
  const rows = look.screen.rows.slice(look.dialogRow).map(({ text }) => text);
  const { options } = dialog;
  if (options[0]?.label === "Submit answers") return readReview(rows);
  const pages = questions.flatMap((question, index) => {
    const page = isAsked(rows, question, questions) ? readAsking(options, question) : undefined;
    return page === undefined ? [] : [{ ...page, index }];
  });
  return pages.length === 1 ? pages[0] : undefined;
}

/** The answers on the last page: each has a mark before its question. */
function readReview(rows: readonly string[]): ReviewPage | undefined {
  const heading = rows.findIndex((text) => text.startsWith("Review your answers"));
  const end = rows.findIndex((text) => /^[❯ ] 1\. Submit answers$/.test(text));
  if (heading < 0 || end < heading) return undefined;
  const answers = rows.slice(heading, end);
  const first = answers.findIndex((text) => /^ ?(?:│ )?● /.test(text));
  return { page: "review", letters: first < 0 ? "" : lettersOf(answers.slice(first).join("")) };
}

/** Whether a question stands above the choices: all of it, or its end where it is too long for the screen. */
function isAsked(
  rows: readonly string[],
  { question }: AgentQuestion,
  questions: readonly AgentQuestion[],
): boolean {
  const isTopVisible = rows.some((text) => ABOVE_QUESTION.test(text));
  const begin = rows.findLastIndex((text, row) => ABOVE_QUESTION.test(text) && !rows.slice(0, row).some(isChoice)) + 1;
  const asked = lettersOf(question);
  return rows.some((text, row) => {
    if (row < begin || !isChoice(text)) return false;
    const shown = lettersOf(rows.slice(begin, row).join(""));
    if (shown === asked) return true;
    const isEnd = (one: AgentQuestion) => lettersOf(one.question).endsWith(shown);
    return !isTopVisible && shown !== "" && asked.endsWith(shown) && questions.filter(isEnd).length === 1;
  });
}

function isChoice(text: string): boolean {
  return CHOICE_ROW.test(text);
}

function readAsking(shown: readonly DialogOption[], question: AgentQuestion): Omit<AskingPage, "index"> | undefined {
  const { multiSelect, options } = question;
  const count = options.length;
  if (shown.length !== count + 2 || shown.some(({ number }, at) => number !== at + 1)) return undefined;
  const rows = shown.map(({ label }) => {
    const mark = CHECKBOX.exec(label)?.groups?.["mark"];
    return { text: mark === undefined ? label : label.replace(CHECKBOX, ""), mark };
  });
  if (rows.slice(0, count + 1).some(({ mark }) => (mark !== undefined) !== multiSelect)) return undefined;
  const isOption = ({ label, description }: AgentQuestion["options"][number], at: number) =>
    lettersOf(rows[at]!.text) === lettersOf(label + description);
  if (!options.every(isOption) || rows[count + 1]!.text !== "Chat about this") return undefined;
  const isChosen = (at: number) => {
    if (multiSelect) return rows[at]!.mark === "✔";
    const own = at < count ? options[at]!.label + options[at]!.description : "";
    return marksIn(rows[at]!.text) > marksIn(own);
  };
  const field = rows[count]!.text;
  const selected = shown.findIndex(({ selected }) => selected);
  return {
    page: "question",
    selected: selected < 0 || selected > count ? undefined : selected,
    chosen: options.flatMap((_, at) => isChosen(at) ? [at] : []),
    field: {
      text: PLACEHOLDER.test(field) ? "" : multiSelect ? field.replace(FIELD_END, "") : field.replace(/ ✔$/, ""),
      chosen: multiSelect ? isChosen(count) : / ✔$/.test(field),
    },
  };
}

function marksIn(text: string): number {
  return text.split(CHOSEN).length - 1;
}

function nextStep(page: QuestionPage, wanted: WantedReplies): QuestionStep {
  const { questions, replies, isGoingBack } = wanted;
  if (page.page === "review") {
    const said = questions.map((question, at) => question.question + replyText(question, replies[at]!)).join("");
    if (page.letters === lettersOf(said)) return { do: "press", key: "1", closes: true };
    return isGoingBack ? { do: "press", key: "BTab" } : { do: "turn" };
  }
  if (isGoingBack) return page.index === 0 ? { do: "turn" } : leaveField(page, wanted, { do: "press", key: "BTab" });
  const { multiSelect } = questions[page.index]!;
  return multiSelect ? nextToCheck(page, wanted) : nextToChoose(page, wanted);
}

/** Keys other than letters and arrows do something else while the selection is on the field for own words. */
function leaveField({ index, selected }: AskingPage, { questions }: WantedReplies, step: QuestionStep): QuestionStep {
  return selected === questions[index]!.options.length ? { do: "press", key: "Up" } : step;
}

function nextToChoose(page: AskingPage, wanted: WantedReplies): QuestionStep {
  const { index, chosen, field } = page;
  const { choices: [choice], text } = wanted.replies[index]!;
  const closes = index === wanted.questions.length - 1;
  if (text === undefined) {
    if (choice !== undefined && chosen.length === 1 && chosen[0] === choice) {
      return leaveField(page, wanted, { do: "press", key: "Tab" });
    }
    return leaveField(page, wanted, { ...digit(choice!), ...(closes ? { closes } : {}) });
  }
  const isThere = lettersOf(field.text) === lettersOf(text);
  if (isThere && field.chosen) return leaveField(page, wanted, { do: "press", key: "Tab" });
  return fillField(page, wanted, text) ?? { do: "press", key: "Enter", ...(closes ? { closes } : {}) };
}

/** Several choices, own words among them: the page stays open until one leaves it. */
function nextToCheck(page: AskingPage, wanted: WantedReplies): QuestionStep {
  const { index, chosen, field } = page;
  const { choices, text } = wanted.replies[index]!;
  const { options } = wanted.questions[index]!;
  const filling = text === undefined ? undefined : fillField(page, wanted, text, { stay: false });
  if (filling !== undefined) return filling;
  const wrong = options.findIndex((_, at) => chosen.includes(at) !== choices.includes(at));
  if (wrong >= 0) return leaveField(page, wanted, digit(wrong));
  if (field.chosen !== (text !== undefined)) return leaveField(page, wanted, digit(options.length));
  return leaveField(page, wanted, { do: "press", key: "Tab" });
}

function fillField(
  { index, selected, field }: AskingPage,
  { questions }: WantedReplies,
  text: string,
  { stay = true }: { readonly stay?: boolean } = {},
): QuestionStep | undefined {
  const place = questions[index]!.options.length;
  const isThere = lettersOf(field.text) === lettersOf(text);
  if (!isThere && field.text !== "") {
    return { do: "stop", problem: "other words stand in the field for words of one's own" };
  }
  if (isThere && !stay) return undefined;
  if (selected !== place) return { do: "press", key: "Down" };
  return isThere ? undefined : { do: "paste", text };
}

function digit(place: number): QuestionStep {
  return place < 9
    ? { do: "press", key: String(place + 1) }
    : { do: "stop", problem: "the choice is beyond the ninth, and has no key" };
}
