import { JOBS } from "../../jobs/mod.ts";
import { readRun } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findRunMail } from "../../run/run_mail.ts";
import { takeAnswer } from "../../turn/desk/answers.ts";
import { asksPermission, isReservedNow } from "./give_answer.ts";

/** An answer that was left for a run, and that it may take. */
interface TakenAnswer {
  readonly question: string;
  readonly text: string;
  readonly isModels: boolean;
}

/**
 * Takes the answers that were left for what a run asks, as the process that executes it does: of those that may not be taken
 * it is told, and the question stays open.
 */
export async function takeAnswers(
  folder: RunFolder,
  { onRefused }: { readonly onRefused: (message: string) => void },
): Promise<readonly TakenAnswer[]> {
  const { progress, questions } = await readRun(folder, JOBS);
  const found = await Promise.all(questions.map(async (waiting) => {
    if (waiting.id === undefined || !waiting.answered) return [];
    const taken = await takeAnswer(findRunMail(folder), waiting.id, {
      isReserved: isReservedNow(waiting, progress),
      isPermission: asksPermission(waiting),
      answersFrom: progress?.answersFrom ?? "person",
      shown: waiting.shown,
      onRefused,
    });
    return taken === undefined ? [] : [{ question: waiting.id, text: taken.answer, isModels: taken.by === "mcp" }];
  }));
  return found.flat();
}
