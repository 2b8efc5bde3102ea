import { type AnswersFrom, isReserved, type ModelAnswers } from "../../base/terms.ts";
import { giveAndTake, type LeftAnswer, takeAnswer } from "../../turn/desk/answers.ts";
import { readSaid } from "../../turn/desk/person_answer.ts";
import { whyNoYes } from "../../turn/desk/shown.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { RunMail } from "../../run/run_mail.ts";
import { strayAnswerMessage } from "../../run/stray_mail.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { ExecSettings } from "./settings.ts";
import type { QuestionState } from "../../journal/exec/state.ts";

/** A person at a terminal. What they say, or undefined when they leave the question open. */
export type AskPerson = (question: PersonQuestion, signal: AbortSignal) => Promise<string | undefined>;

export interface PersonQuestion extends QuestionState {
  readonly secondsLeft: number | undefined;
  readonly problem?: string;
}

interface AwaitAnswerOptions {
  readonly folder: RunFolder;
  /** Where answers are left; missing where only the person at the terminal can give one. */
  readonly mail: RunMail | undefined;
  readonly settings: Pick<ExecSettings, "answerTimeoutSeconds" | "defaultAnswer">;
  readonly modelAnswers: ModelAnswers;
  readonly answersFrom: AnswersFrom;
  readonly onWarning: (message: string) => void;
  readonly person: AskPerson | undefined;
  /** Whether to wait although nobody sits at a terminal: an answer can come from elsewhere. @default {false} */
  readonly isPatient?: boolean;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
}

const NO_ANSWER = "no, nobody answered in time";

const LOOK_EVERY_MS = 250;

export async function awaitAnswer(
  question: QuestionState,
  options: AwaitAnswerOptions,
): Promise<LeftAnswer | undefined> {
  const { folder, mail, settings, person, isPatient = false, clock, signal } = options;
  const { answerTimeoutSeconds, defaultAnswer } = settings;
  const isPermission = question.call !== undefined;
  const taking = {
    isReserved: isReserved(options.modelAnswers, { isPermission }),
    isPermission,
    shown: question.shown,
    answersFrom: options.answersFrom,
    onRefused: options.onWarning,
  };
  let isStrayTold = false;
  const take = () => {
    const stray = isStrayTold ? undefined : strayAnswerMessage(folder, question.id);
    if (stray !== undefined) options.onWarning(stray);
    isStrayTold ||= stray !== undefined;
    return takeAnswer(mail, question.id, taking);
  };
  const left = await take();
  if (left !== undefined) return left;
  const canWait = isPatient && mail !== undefined;
  if (person === undefined && answerTimeoutSeconds === undefined && !canWait) return undefined;

  const settled = new AbortController();
  const until = AbortSignal.any([signal, settled.signal]);
  const ways = [pollAnswer()];
  const answerInTime = question.call === undefined || defaultAnswer === undefined ? defaultAnswer : NO_ANSWER;
  if (person !== undefined) {
    ways.push(askPerson(person).then(give("terminal")));
  }
  if (answerTimeoutSeconds !== undefined) {
    ways.push(clock.sleep(answerTimeoutSeconds * 1000, until).then(() => give("timeout")(answerInTime)));
  }
  try {
    const first = await Promise.race(ways);
    signal.throwIfAborted();
    return first;
  } finally {
    settled.abort();
    await Promise.allSettled(ways);
  }

  async function askPerson(ask: AskPerson): Promise<string | undefined> {
    let problem: { readonly problem?: string } = {};
    for (;;) {
      const said = await ask({ ...question, secondsLeft: answerTimeoutSeconds, ...problem }, until);
      const { call, choice } = question;
      if (said === undefined || (call === undefined && choice === undefined)) return said;
      const read = readSaid(said, choice && [choice]);
      const refused = "problem" in read
        ? read.problem
        : read.answer === "accept"
        ? whyNoYes(question.shown ?? "whole")
        : undefined;
      if (refused === undefined) return said;
      problem = { problem: refused };
    }
  }

  async function pollAnswer(): Promise<LeftAnswer | undefined> {
    for (;;) {
      const found = await take();
      if (found !== undefined) return found;
      await clock.sleep(LOOK_EVERY_MS, until);
    }
  }

  /** All answers go the same way, so that the first one counts. */
  function give(by: LeftAnswer["by"]): (answer: string | undefined) => Promise<LeftAnswer | undefined> {
    return async (answer) => {
      if (answer === undefined || until.aborted) return await take();
      const own = { question: question.id, answer, by, answeredAt: options.wallClock().toISOString() };
      return await giveAndTake(mail, own, taking);
    };
  }
}
