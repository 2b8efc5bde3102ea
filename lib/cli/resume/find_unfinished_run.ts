import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { canResume } from "../../run/condition.ts";
import { readOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { CliIo } from "../console/command.ts";
import { runsAtHand } from "../find_named_run.ts";

export async function findUnfinishedRun(io: CliIo, wd: string | undefined): Promise<RunFolder> {
  const { runs, workdir } = await runsAtHand(io, wd);
  for (const run of runs) {
    const overview = await readOverview(run, JOBS, { brief: true });
    const { condition, elsewhere, executed, folder, progress } = overview;
    // One that is executed or unreadable is meant as well: what is in the way is told when it is opened.
    const resumes = canResume(condition, { job: progress?.job, executed, elsewhere });
    if (executed || condition === "unreadable" || resumes) return folder;
  }
  if (runs.length > 0) {
    throw new UsageError(`Cannot resume a run in ${workdir}: every run is over`, {
      hint: 'Start a new one with "panewright run" or "panewright exec"; "panewright runs" lists the others.',
    });
  }
  throw new UsageError(`Cannot resume a run in ${workdir}: there are no runs yet`, {
    hint: "Runs are kept in .panewright/runs of the working directory: run the command there, or name it with --wd.",
  });
}
