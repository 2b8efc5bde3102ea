import { resolve } from "@std/path/posix";
import { needsTending, tendNotifications } from "../../api/control/tend_notifications.ts";
import { JOBS } from "../../jobs/mod.ts";
import { machineSecrets } from "../../run/notify/machine_secrets.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { listRunIds } from "../../run/find_run.ts";
import { readRun } from "../../run/overview.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { withWorkspaces } from "../../workspace/workspace.ts";
import { notificationPlanOfRun } from "../notification_plan.ts";
import { outputLine } from "../../api/output/line.ts";
import type { NotifySurroundings } from "./around.ts";
import { findListedWorkdir } from "../find_named_run.ts";

export async function flushNotifications(
  wd: string | undefined,
  { io, trust, json, quiet }: NotifySurroundings,
): Promise<number> {
  const listed = resolve(await findListedWorkdir(io, wd));
  const workdirs = wd === undefined ? withWorkspaces([await Deno.realPath(listed).catch(() => listed)]) : [listed];
  const runs: { readonly workdir: string; readonly id: string }[] = [];
  for (const workdir of workdirs) for (const id of await listRunIds(workdir)) runs.push({ workdir, id });
  const redactor = redactorOf();
  let isAllGone = true;
  let count = 0;
  let untold: unknown;
  for (const { id, workdir } of runs) {
    const folder = runFolderAt(workdir, id);
    const now = new Date();
    if (!await needsTending(folder, now)) continue;
    const { progress } = await readRun(folder, JOBS);
    const configFile = progress?.configFile ?? null;
    const plan = await notificationPlanOfRun({ configFile, workdir }, { io, trust }).catch((error: unknown) => {
      // The messages of other runs do not wait for what is wrong with this one.
      untold ??= error;
      return undefined;
    });
    if (plan === undefined) continue;
    const wallClock = () => new Date();
    const tended = await tendNotifications(folder, {
      ...{ plan, workdir, redactor, clock: systemClock, wallClock, quietBefore: now },
      secrets: machineSecrets(stateFolder(io.env)),
    });
    const { delivered, left, dropped, problems } = tended;
    if (delivered + left + dropped + problems.length === 0) continue;
    count++;
    isAllGone &&= left === 0;
    if (json) io.stdout(outputLine("outbox_flushed", { run: id, delivered, left, dropped, problems: [...problems] }));
    else {
      for (const problem of problems) io.stderr(`warning: ${sanitizeLine(problem)}\n`);
      if (!quiet) io.stdout(`run ${id}: ${delivered} delivered, ${left} left, ${dropped} not needed any more\n`);
    }
  }
  if (untold !== undefined) throw untold;
  if (count === 0 && !json && !quiet) io.stdout("No messages are left.\n");
  return isAllGone ? 0 : 1;
}
