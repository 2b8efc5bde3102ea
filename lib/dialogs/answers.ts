import type { RunFolder } from "../run/run_folder.ts";

/** An answer to a question of a run, left for the process that executes the run. */
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
export async function leaveAnswer(folder: RunFolder, answer: LeftAnswer): Promise<boolean> {
  const path = answerPath(folder, answer.question);
  const draft = `${path}.${crypto.randomUUID()}.draft`;
  await Deno.mkdir(folder.answersDir, { recursive: true });
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

/** The answer that was left to a question, if there is one. */
export async function readAnswer(folder: RunFolder, question: string): Promise<LeftAnswer | undefined> {
  try {
    const left: LeftAnswer = JSON.parse(await Deno.readTextFile(answerPath(folder, question)));
    return left.question === question ? left : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Ids of questions are ours (`q1`), so they are safe as names of files. */
function answerPath(folder: RunFolder, question: string): string {
  if (!/^q\d{1,9}$/.test(question)) throw new TypeError(`Cannot use "${question}" as the id of a question`);
  return `${folder.answersDir}/${question}.json`;
}

async function writeSynced(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  using file = await Deno.open(path, { write: true });
  await file.syncData();
}
