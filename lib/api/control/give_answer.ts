import { ANSWER_WAYS, answerWay, isReserved } from "../../base/terms.ts";
import { isExecuted } from "../../base/ports/lock_file.ts";
import { knownGiver, leaveAnswer, type LeftAnswer, readAnswer, refusalOf, UNPROVEN } from "../../turn/desk/answers.ts";
import { readSaid, type Said } from "../../turn/desk/person_answer.ts";
import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { AgentQuestion } from "../../base/question.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import { allWaiting, type Waiting } from "../../journal/waiting.ts";
import type { GivenAnswer, Progress } from "../../journal/progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findRunMail } from "../../run/run_mail.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { OutputFields } from "../output/outputs.ts";
import { type Actor, requireNoAgent } from "./act.ts";
import type { DetachOptions } from "./detach.ts";
import { requireRunMail } from "./mail_of.ts";
import { resumeDetached } from "./start_run.ts";
import { present } from "../../base/schema.ts";

export interface AnswerToGive extends Actor {
  /** The question's id, such as `q1`. @default the one that is open */
  readonly question?: string;
  readonly answer: string;
  /** What was seen when the answer was decided (`progress.waiting.fingerprint`): one for anything else is refused. */
  readonly fingerprint?: string;
}

export interface GiveAnswerOptions {
  readonly requireTrust: (configFile: string | null) => Promise<void>;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
  /** How the run is resumed where its answer starts it. */
  readonly detach?: Omit<DetachOptions, "signal">;
}

export interface OpenQuestion {
  readonly overview: RunOverview;
  readonly waiting: Waiting & { readonly id: string };
}

const MAX_WHO_LENGTH = 200;

/** So many questions are named where one is to be chosen. */
const MOST_NAMED = 20;

export async function giveAnswer(
  folder: RunFolder,
  { question, answer: given, by, who, fingerprint }: AnswerToGive,
  options: GiveAnswerOptions,
): Promise<OutputFields["answer_recorded"]> {
  const {
    requireTrust,
    wallClock = () => new Date(),
    detach,
  } = options;
  const { overview, waiting } = await findOpenQuestion(folder, question);
  const from = await requireNoAgent(`answer ${waiting.id} of run ${folder.id}`, overview.progress);
  if (fingerprint !== undefined && fingerprint !== waiting.fingerprint) throw otherRequest(folder, waiting);
  if (by === "mcp" && isReservedNow(waiting, overview.progress)) throw reserved(folder, waiting);
  const answer = given.trim();
  if (answer === "") throw new UsageError("Cannot record the answer: it is empty", { code: "bad_input" });
  requireSaid(folder, waiting, answer);
  // What other machines execute runs nothing of this one.
  if (overview.elsewhere === undefined) await requireTrust(overview.progress?.configFile ?? null);
  const name = who === undefined ? {} : { who: sanitizeLine(who).slice(0, MAX_WHO_LENGTH) };
  const answeredAt = wallClock().toISOString();
  const mail = await requireRunMail(overview, `answer ${waiting.id}`, ["answer", answer, "--question", waiting.id]);
  const left = knownGiver(mail, { question: waiting.id, answer, by, ...name, answeredAt, from });
  const [executed, problem] = [await isExecuted(folder), unprovenYes(left, { waiting, overview })];
  // Who executes the run refuses it as well, and tells its person.
  if ((executed || problem === undefined) && !await leaveAnswer(mail, left)) {
    throw await answeredBefore(folder, waiting.id, undefined);
  }
  if (problem !== undefined) throw unproven(folder, waiting, problem);
  const next = executed ? { goesOn: true } : await resumeAnswered(overview, { by, ...present({ detach }) });
  return { run: folder.id, question: waiting.id, ...next };
}

/** Resumes a run that nobody executes, where its answer is to start it. The answer is kept in any case. */
async function resumeAnswered(
  { folder, progress }: RunOverview,
  { by, detach }: Pick<Actor, "by"> & Pick<GiveAnswerOptions, "detach">,
): Promise<{ readonly goesOn: boolean; readonly notResumed?: string }> {
  if (progress?.onAnswer !== "resume" || progress.finished?.outcome === "interrupted") return { goesOn: false };
  try {
    await resumeDetached(folder, { by }, detach);
    return { goesOn: true };
  } catch (error) {
    // Another answer may have started it.
    return await isExecuted(folder) ? { goesOn: true } : { goesOn: false, notResumed: errorText(error) };
  }
}

export async function findOpenQuestion(folder: RunFolder, id: string | undefined): Promise<OpenQuestion> {
  const overview = await readRun(folder, JOBS);
  const { progress, problem } = overview;
  if (problem !== undefined) throw problem;
  const all = progress === undefined ? [] : allWaiting(progress);
  const answerable = all.filter((waiting): waiting is OpenQuestion["waiting"] => waiting.id !== undefined);
  const [meant, ...others] = answerable.filter((waiting) => id === undefined || waiting.id === id);
  if (meant !== undefined && others.length === 0) {
    if (await readAnswer(findRunMail(folder), meant.id) !== undefined) {
      throw await answeredBefore(folder, meant.id, progress);
    }
    return { overview, waiting: meant };
  }
  const about = id === undefined ? "" : ` ${id}`;
  const fail = (why: string, hint: string) =>
    new UsageError(`Cannot answer${about}: ${why}`, { code: "not_open", hint });
  if (meant !== undefined) {
    const ids = answerable.slice(0, MOST_NAMED).map((waiting) => `${waiting.id} (${sanitizeLine(waiting.by)})`);
    const more = answerable.length - ids.length;
    const named = `${ids.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
    throw fail(`several questions of run ${folder.id} are open`, `Name the one that is meant: ${named}.`);
  }
  if (id !== undefined) {
    const isTaken = progress?.answers.some((given) => given.id === id) === true;
    const isLeft = async () => await readAnswer(findRunMail(folder), id).catch(() => undefined) !== undefined;
    if (isTaken || await isLeft()) throw await answeredBefore(folder, id, progress);
  }
  const [inPane] = all.filter((waiting) => waiting.id === undefined);
  if (inPane !== undefined && answerable.length === 0) {
    throw fail(
      `the dialog of run ${folder.id} can only be answered in its agent's pane`,
      `Go there with: panewright attach ${folder.id} ${inPane.by}`,
    );
  }
  throw fail(
    `${id === undefined ? "nothing" : "no such question"} of run ${folder.id} waits for an answer`,
    answerable.length === 0
      ? '"panewright questions" lists what waits.'
      : `${answerable.map((waiting) => waiting.id).join(", ")} waits for an answer.`,
  );
}

/** The policy of the process that executes the run; the journal of an older version does not tell it. */
export function isReservedNow(waiting: Waiting, progress: Progress | undefined): boolean {
  const isPermission = asksPermission(waiting);
  return waiting.reserved === true || isReserved(progress?.modelAnswers ?? "questions", { isPermission });
}

export function asksPermission({ isPermission = false, dialog }: Waiting): boolean {
  return isPermission || (dialog !== undefined && dialog.questions === undefined);
}

function unprovenYes(left: LeftAnswer, { waiting, overview: { progress } }: OpenQuestion): string | undefined {
  const answersFrom = progress?.answersFrom ?? "person";
  const isPermission = asksPermission(waiting);
  return refusalOf(left, { isReserved: false, isPermission, shown: waiting.shown, answersFrom });
}

function unproven(
  { id: run }: RunFolder,
  { id }: OpenQuestion["waiting"],
  problem: string,
): HumanInterventionRequiredError {
  return new HumanInterventionRequiredError(`Cannot say yes to ${id} of run ${run}: ${problem}`, {
    code: "reserved_for_person",
    hint: problem !== UNPROVEN
      ? `Say no with: panewright answer ${run} --question ${id} "no, and what to do instead".`
      : "Answer at the run's own terminal, also where you resume it; in a terminal program, by an SSH server or in a " +
        'tmux server that was there before the run; or on the page of "panewright serve".',
  });
}

function reserved({ id: run }: RunFolder, { id }: OpenQuestion["waiting"]): HumanInterventionRequiredError {
  return new HumanInterventionRequiredError(`Cannot answer ${id} of run ${run}: it is reserved for a person`, {
    code: "reserved_for_person",
    hint: "permissions.model_answers of the configuration says what a model may answer.",
  });
}

function otherRequest({ id: run }: RunFolder, { id }: OpenQuestion["waiting"]): UsageError {
  return new UsageError(`Cannot answer ${id} of run ${run}: it asks for something else than what was seen`, {
    code: "not_open",
    hint: "Look at what it asks for now.",
  });
}

/**
 * @param progress where the run has taken the answer; undefined where it was left a moment ago
 */
async function answeredBefore(folder: RunFolder, id: string, progress: Progress | undefined): Promise<UsageError> {
  const left = await readAnswer(findRunMail(folder), id).catch(() => undefined);
  const taken = progress?.answers.find((given) => given.id === id);
  const how = left !== undefined
    ? ` It was given ${answerWay(left)}, at ${left.answeredAt}.`
    : taken === undefined
    ? ""
    : takenHow(taken);
  return new UsageError(`Cannot answer ${id}: that question of run ${folder.id} was answered before`, {
    code: "answered_before",
    hint: `The first answer counts.${sanitizeLine(how)}`,
  });
}

function takenHow({ by, who, giver, at }: GivenAnswer): string {
  const way = ANSWER_WAYS.find((one) => one === by);
  const how = way === undefined ? `by ${by}` : answerWay({ by: way, ...present({ who, giver }) });
  return ` It was given ${how}, at ${at}.`;
}

/** What an answer says; undefined for the words to a question of a step, which are taken as they are. */
export function requireSaid(
  { id: run }: Pick<RunFolder, "id">,
  { id, dialog, isPermission }: OpenQuestion["waiting"],
  answer: string,
): Said | undefined {
  if (dialog === undefined && isPermission !== true) return undefined;
  const questions = dialog?.questions;
  const said = readSaid(answer, questions);
  if (!("problem" in said)) return said;
  const example = questions === undefined ? '"no, use the test database"' : exampleOf(questions);
  throw new UsageError(`Cannot answer ${id}: ${said.problem}`, {
    code: "bad_input",
    hint: `For example: panewright answer ${run} --question ${id} ${example}`,
  });
}

function exampleOf(questions: readonly AgentQuestion[]): string {
  return questions.map(({ multiSelect, options }) => multiSelect && options.length > 1 ? '"1, 2"' : '"1"').join(" ");
}
