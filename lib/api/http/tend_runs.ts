import type { KnownRuns } from "../../run/overview.ts";
import { listServedRuns } from "../control/list_runs.ts";
import { needsTending, tendNotifications } from "../control/tend_notifications.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { listRunIds } from "../../run/find_run.ts";
import { readRun } from "../../run/overview.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { withWorkspaces } from "../../workspace/workspace.ts";
import type { ServeDeps } from "./deps.ts";
import { present } from "../../base/schema.ts";

interface TendRunsParts
  extends Pick<ServeDeps, "workdirs" | "redactor" | "clock" | "wallClock" | "signal" | "log" | "secrets" | "meetRun"> {
  readonly known: KnownRuns;
  readonly planOf: (run: RunConfig) => Promise<NotificationPlan | undefined>;
}

export interface RunConfig {
  readonly configFile: string | null;
  readonly workdir: string;
}

/** A hundred runs with settled questions take 30 ms of a core: 0.05 %. */
const EVERY_MS = 60_000;

/** Messages and buttons are good for a few days: older runs have none. */
const NEWEST = 100;

/**
 * Delivers, as long as the server runs, what runs have left in their outboxes, and takes the answers of buttons that
 * were pressed for runs that nobody executes.
 */
export async function tendRuns(parts: TendRunsParts): Promise<void> {
  const { workdirs, clock, known, meetRun, wallClock, signal, log } = parts;
  // Who asks for the list is not to wait until each journal was read for the first time.
  await listServedRuns(workdirs, { known, meetRun }).catch(() => {});
  const told = new Set<string>();
  let quietBefore = wallClock();
  while (!signal.aborted) {
    const now = wallClock();
    for (const workdir of withWorkspaces(workdirs)) {
      for (const id of await listRunIds(workdir).then((ids) => ids.slice(-NEWEST), () => [])) {
        const problems = signal.aborted ? [] : await tend(workdir, id, { ...parts, quietBefore });
        // The same is not said every minute.
        for (const problem of problems.filter((one) => !told.has(one))) log(problem);
        for (const problem of problems) told.add(problem);
      }
    }
    quietBefore = now;
    await clock.sleep(EVERY_MS, signal).catch(() => {});
  }
}

async function tend(
  workdir: string,
  id: string,
  options: TendRunsParts & { readonly quietBefore: Date },
): Promise<readonly string[]> {
  const { planOf, redactor, clock, wallClock, quietBefore, secrets } = options;
  const folder = runFolderAt(workdir, id);
  try {
    if (!await needsTending(folder, wallClock())) return [];
    const { progress } = await readRun(folder, JOBS);
    const plan = await planOf({ configFile: progress?.configFile ?? null, workdir });
    if (plan === undefined) return [];
    const about = { plan, workdir, redactor, clock, wallClock, quietBefore };
    const { problems } = await tendNotifications(folder, { ...about, ...present({ secrets }) });
    return problems;
  } catch (error) {
    return [`The notifications of run ${id} wait: ${errorText(error)}`];
  }
}
