import { number, oneOf, optional, present, text } from "../../base/schema.ts";
import { entriesOf } from "../entry.ts";
import { adds, closes, opens, QUESTION_KEY } from "../items/item_changes.ts";
import { agentQuestion, CHOICE, waitsFor } from "../waiting.ts";
import { line, paragraph } from "../words/lines.ts";
import { isSameWork, ITS_FILE, judged, laneName, leftBy, OF_WORK, workName } from "./lane.ts";
import type { ExecState } from "./state.ts";

const choiceRecord = entriesOf<ExecState>();

/** Which of several attempts that have passed is landed. */
export const CHOICE_RECORDS = {
  /** A person is to choose one, or none. */
  choice_asked: choiceRecord({
    ...OF_WORK,
    /** Unique in its run: `q1`, `q2`, … */
    question: text,
    /** What there is to choose from, as a person reads it. */
    text,
    choice: agentQuestion,
    /** ISO 8601. */
    askedAt: text,
  }, {
    ...ITS_FILE,
    state: (state, { file, part, question: id, text, choice, askedAt }) => {
      const about = { task: file, step: workName({ file, part }), attemptLog: "" };
      return { ...state, questions: [...state.questions, { id, text, askedAt, choice, ...about, open: true }] };
    },
    progress: (before, { question: id, text, choice, askedAt, ...work }) =>
      waitsFor(before, {
        ...{ id, text, askedAt, by: workName(work), fingerprint: id },
        dialog: {
          ...{ kind: CHOICE, subject: choice.question, terminalId: "", questions: [choice] },
          reason: "exec.choose leaves it to a person.",
        },
      }),
    words: ({ question, text }) => paragraph(`question ${question}: ${text.trim()}`, "caution"),
    items: ({ question, text, ...work }, { title }) =>
      opens(`${QUESTION_KEY}${question}`, { kind: "question", lane: workName(work), title, text, tone: "caution" }),
  }),
  /** One is chosen: it is merged before all others. */
  attempt_chosen: choiceRecord({
    ...OF_WORK,
    /** Counts from 1. */
    attempt: number,
    /** `size`: by how little it changes, where a judge could not tell. */
    by: oneOf("judge", "person", "size"),
    detail: text,
    /** What the judge said, whole; missing where none was asked. */
    said: optional(text),
  }, {
    ...ITS_FILE,
    state: (state, { file, part, attempt, by, detail }) => {
      const chosen = { file, attempt, by, detail, ...present({ part }) };
      const others = (state.chosen ?? []).filter((one) => !isSameWork(one, chosen));
      return { ...judged(state, chosen), chosen: [...others, chosen] };
    },
    progress: (before, { at, file, part }) => leftBy(before, { at, file, part }),
    words: ({ detail, ...lane }) => line(`${laneName(lane)} is chosen: ${detail}`),
    items: ({ said = "", ...lane }, { title }) => [
      closes(`lane:${workName(lane)}`),
      adds({ kind: "verdict", lane: workName(lane), title, text: said, tone: "plain" }),
    ],
  }),
} as const;
