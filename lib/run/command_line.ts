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
  return resumes ? runCommandLine(["resume", folder.id, ...(isDamaged ? ["--from-last-good"] : [])], wd) : undefined;
}
