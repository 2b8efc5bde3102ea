import { DamagedJournalError } from "../journal/fact_reader.ts";
import { shellJoin } from "../shell/quote.ts";
import { canResume } from "./condition.ts";
import type { RunOverview } from "./overview.ts";

/**
 * A command line about a run, as the person can call it.
 *
 * @param wd the run's working directory as they named it, where they did
 */
export function runCommandLine(words: readonly string[], wd?: string): string {
  return shellJoin(["panewright", ...words, ...(wd === undefined ? [] : ["--wd", wd])]);
}

/** The command that continues a run; nothing where there is nothing to resume. */
export function resumeCommandOf(
  { folder, condition, elsewhere, executed, problem, progress }: RunOverview,
  wd: string | undefined,
): string | undefined {
  if (elsewhere !== undefined) {
    return executed || condition === "passed" || condition === "waiting"
      ? undefined
      : runCommandLine(["fleet", "retry", elsewhere]);
  }
  const isDamaged = problem instanceof DamagedJournalError;
  const resumes = canResume(condition, { job: progress?.job, executed }) || (isDamaged && progress !== undefined);
  return resumes ? continuedBy({ folder, progress }, { wd, words: isDamaged ? ["--from-last-good"] : [] }) : undefined;
}

/** The command that continues a run: where it is a part of another one, as it has told when it ended, that which continues this. */
export function continuedBy(
  { folder: { id }, progress }: Pick<RunOverview, "folder" | "progress">,
  { wd, words = [] }: { readonly wd: string | undefined; readonly words?: readonly string[] },
): string {
  const told = progress?.finished?.resumeCommand ?? progress?.resumeCommand;
  const whole = told === undefined ? id : resumedIn(told) ?? id;
  return told === undefined || whole === id ? runCommandLine(["resume", id, ...words], wd) : told;
}

/** The run that a command resumes: one that is a part of another is continued with that; `undefined` for any other command. */
export function resumedIn(resumeCommand: string): string | undefined {
  return /^panewright resume (\d{8}-\d{6}-[0-9a-f]{4})(?: |$)/.exec(resumeCommand)?.[1];
}
