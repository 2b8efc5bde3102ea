import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { continuedBy, resumedIn } from "../../run/command_line.ts";
import { readOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";

/** @throws {UsageError} for a run that is a part of another one, which continues it */
export async function requireWhole(folder: RunFolder): Promise<void> {
  const whole = continuedBy(await readOverview(folder, JOBS), { wd: undefined });
  const run = resumedIn(whole);
  if (run === undefined || run === folder.id) return;
  throw new UsageError(`Cannot resume run ${folder.id} by itself: it is a part of run ${run}`, {
    hint: `Resume that: ${whole}`,
  });
}
