import { basename } from "@std/path/posix";
import { isExecuted } from "../base/ports/lock_file.ts";
import { present } from "../base/schema.ts";
import type { Channel } from "./notify/channel.ts";
import type { NotificationPlan } from "./notify/plan.ts";
import { endEntries, forgetEndDue, isEndDue, keepEnd, type ToldEnd } from "./notify/end_due.ts";
import { type Notification, outgoing } from "./notify/notification.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { Redactor } from "../base/redact/redactor.ts";
import type { JobRecords } from "../journal/job.ts";
import type { Finished, Progress } from "../journal/progress.ts";
import { recoveredText } from "../journal/recovery.ts";
import { readProgress } from "./read_progress.ts";
import type { RunEnd } from "../journal/run_facts.ts";
import type { RunFolder } from "./run_folder.ts";

/** An end that is older is not told any more: as long as messages are kept that cannot be delivered. */
const MAX_AGE_MS = 3 * 24 * 3_600_000;

export type EndOfRun = Pick<Finished, "outcome" | "reason" | "at"> & Pick<Progress, "recovered">;

/** The message about the end of a run in this folder. */
export function toldEnd(
  { outcome, reason, at, recovered }: EndOfRun,
  { ends = "each", workdir }: Pick<NotificationPlan, "ends"> & { readonly workdir: string },
): ToldEnd | undefined {
  const priority = PRIORITIES[outcome];
  if (priority === undefined || ends === "digest" && priority < NEEDED) return undefined;
  // Only the first line: below it errors show screens, and what they show is nobody else's.
  const [first = ""] = reason.split("\n");
  const text = [
    `${basename(workdir)}: ${first}`,
    ...(recovered.length === 0 ? [] : [`Recovered: ${recoveredText(recovered)}`]),
  ]
    .join("\n");
  return { notification: { kind: "ended", title: `panewright: ${outcome}`, text, priority }, at };
}

const NEEDED = 5;

const PRIORITIES: Readonly<Record<RunEnd, Notification["priority"] | undefined>> = {
  pass: 3,
  fail: 4,
  error: 4,
  needs_human: NEEDED,
  waiting: undefined,
  interrupted: undefined,
};

interface UntoldOptions extends Pick<NotificationPlan, "ends"> {
  readonly jobs: readonly JobRecords[];
  readonly now: Date;
}

/**
 * Whether a run that nobody executes has come to an end that was to be told: its process was killed right after it had
 * recorded it, and before the message was in the outbox.
 */
export async function hasUntoldEnd(folder: RunFolder, options: UntoldOptions): Promise<boolean> {
  // The journal of a run under way need not be read.
  return isEndDue(folder) && !await isExecuted(folder) && typeof await untoldEnd(folder, options) === "object";
}

/** @returns `undefined` without an end; `old` for one that nobody needs to be told of any more */
async function untoldEnd(folder: RunFolder, { ends, jobs, now }: UntoldOptions): Promise<ToldEnd | "old" | undefined> {
  const isOld = (at: Date) => now.getTime() - at.getTime() >= MAX_AGE_MS;
  if (!isEndDue(folder)) return undefined;
  const writtenAt = lstatOrUndefined(folder.journalPath)?.mtime;
  // One that was killed at work has no end, and need not be read again and again.
  if (writtenAt !== undefined && writtenAt !== null && isOld(writtenAt)) return "old";
  const { progress } = await readProgress(folder, jobs, { brief: true });
  if (progress?.finished === undefined) return undefined;
  const { finished, recovered, workdir } = progress;
  return isOld(new Date(finished.at))
    ? "old"
    : toldEnd({ ...finished, recovered }, { workdir, ...present({ ends }) }) ?? "old";
}

/**
 * Puts the message about that end in the outbox; one about an end of three days ago is not worth telling any more. Who
 * calls it has the outbox to itself.
 */
export async function keepUntoldEnd(
  folder: RunFolder,
  options: UntoldOptions & { readonly channels: readonly Channel[]; readonly redactor: Redactor },
): Promise<void> {
  const { channels, redactor } = options;
  const end = await untoldEnd(folder, options);
  // Whoever executes it now may come to one.
  if (end === undefined) return;
  if (end === "old") return forgetEndDue(folder);
  const notification = outgoing(end.notification, { redactor, buttons: "none" });
  await keepEnd(folder, await endEntries({ ...end, notification }, { run: folder.id, channels }));
}
