import {
  ANSWER_WAYS,
  type AnswersFrom,
  type AnswerSource,
  answerWay,
  parsePersonsAnswer,
  type Shown,
} from "../../base/terms.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { type Ancestry, lookAtAncestry } from "../../base/ports/ancestry.ts";
import { createFileOnce } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder } from "../../base/ports/state_folder.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { giverKind, giverOf } from "./giver.ts";
import { whyNoYes } from "./shown.ts";

/** The most that an answer may have: 1 MiB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Where the answers to a run's questions are left: not where an agent in a sandbox can write. */
export interface AnswersFolder {
  /** Absolute path; it need not exist. */
  readonly answersDir: string;
}

export interface LeftAnswer extends AnswerSource {
  readonly question: string;
  readonly answer: string;
  /** ISO 8601. */
  readonly answeredAt: string;
  /** Where the process comes from that left it: without it nothing shows that a person did. */
  readonly from?: Ancestry;
}

/**
 * Leaves an answer. The first one counts: it appears under its question's name at once and whole, or not at all,
 * and is on the disk when this resolves.
 *
 * @throws {UsageError} when it is larger than what the run would read
 */
export async function leaveAnswer(folder: AnswersFolder, answer: LeftAnswer): Promise<boolean> {
  const path = answerPath(folder, answer.question);
  const text = JSON.stringify(answer);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_ANSWER_BYTES) {
    throw new UsageError(
      `Cannot record the answer to ${answer.question}: it takes ${bytes} bytes, more than the ${MAX_ANSWER_BYTES} ` +
        "that are allowed",
      { code: "bad_input", hint: "Put the long part into a file of the project, and name that file in the answer." },
    );
  }
  makeOwnFolder(folder.answersDir);
  return await createFileOnce(path, text);
}

/**
 * The answer that was left to a question; `undefined` while there is none.
 *
 * @param folder undefined where none can be left
 * @throws {PanewrightError} when something else, or what others may write to, stands in its place
 */
export function readAnswer(folder: AnswersFolder | undefined, question: string): Promise<LeftAnswer | undefined> {
  return Promise.try(() => {
    if (folder === undefined) return undefined;
    try {
      assertOwn(answerPath(folder, question));
      const text = readRegularText(answerPath(folder, question), { maxBytes: MAX_ANSWER_BYTES });
      const left: LeftAnswer = JSON.parse(text);
      if (typeof left.answer !== "string" || !ANSWER_WAYS.includes(left.by)) throw new TypeError("it is not an answer");
      return left.question === question ? left : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      const path = answerPath(folder, question);
      throw new PanewrightError(`Cannot read the answer ${path}: ${errorText(error)}`, {
        cause: error,
        hint: "Remove it, and answer again.",
      });
    }
  });
}

export interface TakeAnswerOptions {
  /** Whether only a person may answer. */
  readonly isReserved: boolean;
  /** Whether a yes permits something. */
  readonly isPermission: boolean;
  /** How a person is shown what is to be permitted; missing in older journals. @default {"whole"} */
  readonly shown?: Shown | undefined;
  readonly answersFrom: AnswersFrom;
  readonly onRefused: (message: string) => void;
}

/**
 * Gives an answer in the process that asks.
 *
 * @returns the answer that counts; undefined where none may be taken
 */
export async function giveAndTake(
  folder: AnswersFolder | undefined,
  given: LeftAnswer,
  options: TakeAnswerOptions,
): Promise<LeftAnswer | undefined> {
  // Nobody else can have left one.
  if (folder === undefined) return given;
  const answer = given.by === "timeout" ? given : { ...given, from: await lookAtAncestry() };
  const isFirst = await leaveAnswer(folder, answer);
  const first = await takeAnswer(folder, answer.question, options);
  if (first !== undefined || isFirst) return first;
  await leaveAnswer(folder, answer);
  return await takeAnswer(folder, answer.question, options);
}

/**
 * The answer that was left to a question, if it may be taken. One of a model to what is reserved for a person, or a yes
 * of nobody knows whom to what needs a permission, is set aside: the question stays open, and the next answer is the
 * first.
 */
export async function takeAnswer(
  folder: AnswersFolder | undefined,
  question: string,
  options: TakeAnswerOptions,
): Promise<LeftAnswer | undefined> {
  const left = await readAnswer(folder, question);
  if (folder === undefined || left === undefined) return left;
  const known = knownGiver(folder, left);
  const problem = refusalOf(known, options);
  if (problem === undefined) return known;
  const path = answerPath(folder, question);
  try {
    await Deno.rename(path, `${path}.refused-${crypto.randomUUID()}`);
  } catch (error) {
    // Another look has set it aside.
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const { by, who, giver } = known;
  const way = answerWay({ by, ...present({ who, giver: giver?.kind === "program" ? giver : undefined }) });
  options.onRefused(`the answer to ${question} was refused: it was given ${way}, and ${problem}; it stays open`);
  return undefined;
}

/**
 * An answer with its giver. Who that is, is judged anew, since what a file itself says of it is not believed, unless it
 * says that nothing shows a person: what is noted of the run meanwhile does not make it one.
 */
export function knownGiver(folder: AnswersFolder, left: LeftAnswer): LeftAnswer {
  const { giver: told, ...answer } = left;
  if (left.by === "timeout") return answer;
  const kind = told?.kind === "program" ? told.kind : giverKind(folder, left);
  return { ...answer, giver: giverOf(kind, left.from) };
}

export function refusalOf(
  left: LeftAnswer,
  { isReserved, isPermission, shown = "whole", answersFrom }: Omit<TakeAnswerOptions, "onRefused">,
): string | undefined {
  if (left.by === "mcp" && isReserved) return "permissions.model_answers reserves the question for a person";
  const isNo = parsePersonsAnswer(left.answer)?.answer === "decline";
  if (!isPermission || isNo) return undefined;
  const isUnproven = left.giver?.kind === "program";
  return isUnproven && answersFrom !== "any" ? UNPROVEN : whyNoYes(shown);
}

/** Why a yes of which nothing shows that a person gave it permits nothing. */
export const UNPROVEN = "nothing shows that a person gave it: no process above it is older than the run, so that an " +
  "agent may have left it behind; permissions.answers_from says who may answer";

/** The ids of questions are ours (`q1`), so they are safe as names of files. */
function answerPath(folder: AnswersFolder, question: string): string {
  if (!/^q\d{1,9}$/.test(question)) throw new TypeError(`Cannot use "${question}" as the id of a question`);
  return `${folder.answersDir}/${question}.json`;
}
