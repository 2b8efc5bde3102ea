import { UsageError } from "../errors.ts";
import { leaveAnswer } from "../dialogs/answers.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { parsePersonsAnswer } from "../dialogs/person_answer.ts";
import type { WaitingDialog } from "../jobs/review_loop/waiting_dialogs.ts";

/**
 * Leaves a person's answer to a dialog at which a run stands. One whose panewright was killed takes it when it goes on and the
 * agent still shows that dialog.
 *
 * @returns the id of the question that was answered
 * @throws {UsageError} where no such dialog waits, or the answer is neither yes nor no
 */
export async function answerDialogOf(
  folder: RunFolder,
  waiting: readonly WaitingDialog[],
  given: { readonly text: string; readonly question: string | undefined },
): Promise<string> {
  const open = waiting.find(({ question }) => given.question === undefined || question === given.question);
  const about = given.question === undefined ? "" : ` ${given.question}`;
  if (open === undefined) {
    throw new UsageError(`Cannot answer${about} of run ${folder.id}: no such dialog waits`, {
      hint: '"panewright questions" lists what waits for an answer.',
    });
  }
  if (parsePersonsAnswer(given.text) === undefined) {
    throw new UsageError(`Cannot answer ${open.question}: a dialog takes yes or no, and after a no the reason`, {
      hint: `For example: panewright answer ${folder.id} --question ${open.question} "no, use the test database"`,
    });
  }
  const answeredAt = new Date().toISOString();
  if (await leaveAnswer(folder, { question: open.question, answer: given.text, by: "command", answeredAt })) {
    return open.question;
  }
  throw new UsageError(`Cannot answer ${open.question}: it was answered before`, { hint: "The first answer counts." });
}
