import { toldCost, usage } from "../../base/usage.ts";
import { adds, closes, opens, QUESTION_KEY } from "../items/item_changes.ts";
import { flag, listOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { giverDetail, line, paragraph, timed } from "../words/lines.ts";
import { attemptUsed, changeAgent, titleOf, turnOf } from "./place.ts";
import { type AnsweredBy, answeredBy } from "./fields.ts";
import {
  atStage,
  type ExecState,
  inStep,
  newOfAttempt,
  nextQuestionId,
  openQuestion,
  type PersonsVerdict,
  type QuestionsAsked,
  tokensOfAttempt,
} from "./state.ts";
import { entriesOf } from "../entry.ts";
import { parsePersonsAnswer, SHOWN } from "../../base/terms.ts";
import { giver } from "../run_facts.ts";
import { allWaiting, waitsFor, withoutWaiting } from "../waiting.ts";

const stepRecord = entriesOf<ExecState>();

/** What a step's agent asks, and what its account's limit keeps it waiting for. */
export const QUESTION_RECORDS = {
  /** The agent asks a person, and was stopped. */
  question_asked: stepRecord({
    /** Unique in its run: `q1`, `q2`, … */
    question: text,
    task: number,
    step: number,
    stepName: text,
    attempt: number,
    text,
    /** What the agent did before it asked, condensed. */
    attemptLog: text,
    sessionId: optional(text),
    /** Whether the agent's conversation was made shorter. */
    compacted: optional(flag),
    usage,
    cost: optional(toldCost),
    seconds: number,
    /** ISO 8601. */
    askedAt: text,
    /** A call of a tool that needs a person's permission, by a fingerprint; missing for a question of the agent. */
    call: optional(text),
    /** Whether a person is shown all that a yes permits: one to what is masked or cut is refused. */
    shown: optional(oneOf(...SHOWN)),
    /** What it asked beside that, at the same time: each is a question of its own. */
    others: optional(listOf(object({ question: text, text }))),
  }, {
    isRest: true,
    state(state, record) {
      const { question: id, stepName: step, text, attemptLog, askedAt, sessionId, call, shown, usage } = record;
      const { compacted: isCompacted, others = [] } = record;
      const taskText = state.run?.target.text;
      const asked = inStep(tokensOfAttempt(state, usage), (before) => ({
        ...before,
        questions: before.questions + 1 + others.length,
        stage: { kind: "question", question: id },
        attemptLog,
        ...present({ sessionId, isCompacted }),
      }));
      const task = taskText === undefined ? state.current?.file ?? "" : titleOf(taskText);
      const about = { task, step, attemptLog, askedAt, open: true };
      const also = others.map(({ question: id, text }) => ({ id, text, ...about }));
      return {
        ...asked,
        questions: [...state.questions, { id, text, ...about, ...present({ call, shown }) }, ...also],
      };
    },
    progress: (before, { question: id, stepName: by, text, askedAt, usage, call, shown, others = [], at }) => ({
      ...changeAgent(before, { status: "waiting_user_answer", since: at }),
      activity: undefined,
      ...waitsFor(before, {
        ...{ id, by, text, askedAt },
        ...(call === undefined ? {} : { isPermission: true, fingerprint: call, ...present({ shown }) }),
      }, ...others.map(({ question: id, text }) => ({ id, by, text, askedAt }))),
      ...attemptUsed(before, usage),
    }),
    meter: ({ seconds, usage }, state) => ({ kind: "turn_ends", seconds, usage: newOfAttempt(state, usage) }),
    words: (record) =>
      allAsked(record).map(({ question, text: asked }) =>
        paragraph(`question ${question} of step "${record.stepName}": ${asked.trim()}`, "caution")
      ),
    items: ({ stepName, call, ...record }) => [
      closes("attempt"),
      ...allAsked(record).map(({ question, text }) =>
        opens(`${QUESTION_KEY}${question}`, {
          ...{ kind: call === undefined ? "question" : "dialog", lane: stepName, turn: turnOf(record) },
          ...{ title: `question ${question}: ${titleOf(text)}`, text, tone: "caution" },
        })
      ),
    ],
  }),
  /** The question has its answer. */
  question_answered: stepRecord({
    question: text,
    answer: text,
    by: answeredBy,
    /** Who gave it, where that has a name. */
    who: optional(text),
    /** Missing where nobody gave it, and in older journals. */
    giver: optional(giver),
    /** ISO 8601. */
    answeredAt: text,
  }, {
    state(state, { question, answer, by, giver, answeredAt }) {
      const asked = state.questions.find(({ id, open }) => open && id === question);
      if (asked === undefined) return state;
      const { task, step, text, askedAt, call } = asked;
      const about = call === undefined ? {} : { isPermission: true };
      const interaction = { question, answer, by, task, step, text, askedAt, answeredAt, ...about };
      // Whatever is not a plain yes is a no.
      const said = parsePersonsAnswer(answer) ?? { answer: "decline", reason: answer };
      const known = call === undefined
        ? state
        : withVerdict(state, { call, by: giver?.kind ?? (by === "mcp" ? "model" : "person"), ...said });
      const questions = known.questions.map((one) => one.id === question ? { ...one, open: false } : one);
      const answered = { ...known, questions, interactions: [...state.interactions, interaction] };
      const next = openQuestion(answered);
      return next === undefined
        ? atStage(answered, { kind: "ready", reason: "answered", sessionLost: false })
        : atStage(answered, { kind: "question", question: next.id });
    },
    progress(before, { question: id, answer, by, who, giver, at }) {
      const waiting = allWaiting(before).find((one) => one.id === id);
      if (waiting === undefined) return {};
      const given = { id, worker: waiting.by, asked: waiting.text, answer, by, ...present({ who, giver }), at };
      const left = withoutWaiting(before, waiting);
      return {
        ...(left.waiting === undefined ? changeAgent(before, { status: "starting", since: at }) : {}),
        ...left,
        answers: [...before.answers, given],
      };
    },
    words({ question, by, who, giver, answer }) {
      const sayer = giver?.kind === "program" ? ", by a program of this user" : "";
      const given = `${GIVEN[by]}${who === undefined ? "" : ` (${who})`}${sayer}`;
      return [paragraph(`answer to ${question}, ${given}: ${answer.trim()}`), ...giverDetail(giver)];
    },
    items: ({ question, answer }, { title, lane }) => [
      closes(`${QUESTION_KEY}${question}`),
      adds({ kind: "answer", lane, title, text: answer }),
    ],
  }),
  /** Nobody is there to answer: the run waits until both commands were given. */
  question_waiting: stepRecord({ question: text, text, answerCommand: text, resumeCommand: text }, {
    progress: (_before, { resumeCommand }) => ({ resumeCommand }),
    words: ({ text: asked, answerCommand, resumeCommand }) => [
      paragraph(asked.trim(), "caution", "result"),
      line(`Answer with:  ${answerCommand}`, "plain", "result"),
      line(`Then resume:  ${resumeCommand}`, "plain", "result"),
    ],
    // The question and the end of the run say so.
    items: () => [],
  }),
  /** The usage limit of the agent's account is reached; it is waited for. */
  usage_limit_reached: stepRecord({ message: text, resetsAt: optional(text) }, {
    state: (state) =>
      inStep(state, (step) => ({ ...step, tried: { ...step.tried, reset: (step.tried?.reset ?? 0) + 1 } })),
    progress: (_before, { message, resetsAt, at }) => ({
      activity: { kind: "usage_limit", since: at, detail: message, ...present({ until: resetsAt }) },
    }),
    recovers: ({ resetsAt: until }) => ({ class: "usage_limit", recovery: "reset", until }),
    words: ({ message, resetsAt }) => {
      const until = resetsAt === undefined ? "" : `; it is reset at ${resetsAt}`;
      return timed(line(`the account's usage limit is reached, waiting: ${message}${until}`, "caution"), [resetsAt]);
    },
    items: (_fact, { title, times, lane }) => opens("limit", { kind: "limit", lane, title, times, tone: "caution" }),
  }),
  /** That wait is over. */
  usage_limit_waited: stepRecord({}, {
    state: (state) => atStage(state, { kind: "ready", reason: "limit_reset", sessionLost: false }),
    progress: (before, { at }) => ({ ...changeAgent(before, { status: "starting", since: at }), activity: undefined }),
    words: () => line("the usage limit should be reset: trying again"),
    items: () => closes("limit"),
  }),
} as const;

/**
 * The fields of `question_asked` that say what is asked.
 *
 * @param state of the run before it
 */
export function askedFields([first, ...others]: readonly [string, ...string[]], state: QuestionsAsked) {
  const idOf = (place: number) => nextQuestionId(state, place);
  const also = others.map((text, index) => ({ question: idOf(index + 1), text }));
  return { question: idOf(0), text: first, ...(also.length === 0 ? {} : { others: also }) };
}

/** All questions that one record asks. */
export function allAsked(
  { question, text, others = [] }: {
    readonly question: string;
    readonly text: string;
    readonly others?: readonly { readonly question: string; readonly text: string }[] | undefined;
  },
) {
  return [{ question, text }, ...others];
}

function withVerdict(state: ExecState, verdict: PersonsVerdict): ExecState {
  return inStep(state, (step) => ({
    ...step,
    verdicts: [...step.verdicts.filter(({ call }) => call !== verdict.call), verdict],
  }));
}

const GIVEN: Readonly<Record<AnsweredBy, string>> = {
  terminal: "given here",
  command: "given by panewright answer",
  http: "given over HTTP",
  mcp: "given by a model over MCP",
  notification: "given by the button of a notification",
  timeout: "since nobody answered in time",
  level: "since level 0 does not ask",
  cap: "since the step has asked its share",
  assume: "by ask_policy, to be confirmed",
};
