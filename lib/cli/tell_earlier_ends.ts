import { tendNotifications } from "../api/control/tend_notifications.ts";
import { JOBS } from "../jobs/mod.ts";
import { machineSecrets } from "../run/notify/machine_secrets.ts";
import { systemClock } from "../base/ports/clock.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import { redactorOf } from "../base/redact/redactor.ts";
import { listRunIds } from "../run/find_run.ts";
import { readRun } from "../run/overview.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { hasUntoldEnd } from "../run/told_end.ts";
import type { CliIo } from "./console/command.ts";
import { notificationPlanOfRun } from "./notification_plan.ts";

/** Ends are told for a few days: older runs have none. */
const NEWEST = 100;

/**
 * Tells the ends of a working directory's runs whose processes were killed before they could. What cannot be delivered
 * now, or only by a configuration that the person does not trust any more, stays for `panewright notify flush`.
 */
export async function tellEarlierEnds(workdir: string, io: CliIo): Promise<void> {
  const redactor = redactorOf();
  const wallClock = () => new Date();
  for (const id of (await listRunIds(workdir)).slice(-NEWEST)) {
    const folder = runFolderAt(workdir, id);
    const now = wallClock();
    if (io.signal.aborted || !await hasUntoldEnd(folder, { jobs: JOBS, now })) continue;
    const { progress } = await readRun(folder, JOBS);
    const about = { configFile: progress?.configFile ?? null, workdir };
    const plan = await notificationPlanOfRun(about, { io, trust: false }).catch(() => undefined);
    if (plan === undefined) continue;
    await tendNotifications(folder, {
      ...{ plan, workdir, redactor, clock: systemClock, wallClock, quietBefore: now },
      secrets: machineSecrets(stateFolder(io.env)),
    });
  }
}
