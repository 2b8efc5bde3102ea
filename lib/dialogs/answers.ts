import { PanewrightError } from "../errors.ts";
import { readRegularText } from "../ports/regular_file.ts";
import { errorText } from "../text/error_text.ts";

/** The most that an answer may have: 1 MiB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Where the answers to a run's questions are left. */
export interface AnswersFolder {
  /** Absolute path; it need not exist. */
  readonly answersDir: string;
}

/** A person's answer to a question of a run, left for the process that executes the run. */
export interface LeftAnswer {
  /** The question's id. */
  readonly question: string;
  readonly answer: string;
  readonly by: "terminal" | "command" | "timeout";
  /** ISO 8601. */
  readonly answeredAt: string;
}

/**
 * Leaves an answer. The first one counts: it appears under its question's name at once and whole, or not at all.
 *
 * @returns whether it is the first one
 */
export async function leaveAnswer(folder: AnswersFolder, answer: LeftAnswer): Promise<boolean> {
  const path = answerPath(folder, answer.question);
  const draft = `${path}.${crypto.randomUUID()}.draft`;
  await Deno.mkdir(folder.answersDir, { recursive: true, mode: 0o700 });
  await writeSynced(draft, JSON.stringify(answer));
  try {
    await Deno.link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  } finally {
    await Deno.remove(draft);
  }
}

/**
 * The answer that was left to a question; `undefined` while there is none.
 *
 * @throws {PanewrightError} when something else stands in its place
 */
export function readAnswer(folder: AnswersFolder, question: string): Promise<LeftAnswer | undefined> {
  return Promise.try(() => {
    try {
      const text = readRegularText(answerPath(folder, question), { maxBytes: MAX_ANSWER_BYTES });
      const left: LeftAnswer = JSON.parse(text);
      if (typeof left.answer !== "string") throw new TypeError("it is not an answer");
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

/** The ids of questions are ours (`q1`), so they are safe as names of files. */
function answerPath(folder: AnswersFolder, question: string): string {
  if (!/^q\d{1,9}$/.test(question)) throw new TypeError(`Cannot use "${question}" as the id of a question`);
  return `${folder.answersDir}/${question}.json`;
}

async function writeSynced(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  using file = await Deno.open(path, { write: true });
  await file.syncData();
}
