import { leaveAnswer, type LeftAnswer, readAnswer } from "../../lib/turn/desk/answers.ts";
import { workdirOf } from "../../lib/journal/paths.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { readLockOwner } from "../../lib/base/ports/lock_file.ts";
import { listInbox } from "../../lib/run/inbox.ts";
import { lockRun } from "../../lib/run/run_lock.ts";
import { lookAtAncestry } from "../../lib/base/ports/ancestry.ts";
import { noteBegun } from "../../lib/turn/desk/giver.ts";
import { claimRunMail, findRunMail } from "../../lib/run/run_mail.ts";

type Run = Pick<RunFolder, "id" | "path">;

/** Leaves an answer for a run as a person does, in their state folder; whether it is the first one. */
export async function leaveAnswerFor(run: Run, answer: LeftAnswer, state?: string): Promise<boolean> {
  const mail = await claimRunMail(run, { state });
  await noteBegun(mail);
  return await leaveAnswer(mail, { from: await lookAtAncestry(), ...answer });
}

/** The answer that was left for a run. */
export async function readAnswerOf(run: Run, question: string): Promise<LeftAnswer | undefined> {
  return await readAnswer(findRunMail(run), question);
}

/** The ids of the messages that were left for a run. */
export function inboxOf(run: Run): readonly string[] {
  const mail = findRunMail(run);
  return mail === undefined ? [] : listInbox(mail);
}

/** Owns a run as the process does that executes it. */
export async function holdRun(folder: RunFolder, state?: string): Promise<Disposable> {
  await claimRunMail(folder, { state });
  const found = runFolderAt(workdirOf(folder.path) ?? "", folder.id);
  const lock = await lockRun(found);
  await claimRunMail(folder, { state, taker: readLockOwner(found.lockPath) });
  return lock;
}
