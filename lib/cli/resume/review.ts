import { loadSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { hasPanes } from "../../jobs/review_loop/run_session.ts";
import { resumeReviewRun } from "../../jobs/review_loop/execute.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { findCarried } from "../../run/carried.ts";
import { type JournalFacts, notBegun } from "../../journal/read_facts.ts";
import { foldProgress } from "../../run/read_progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { configSource } from "../environment.ts";
import { openPreflight } from "../preflight/mod.ts";
import { lookAtReviewRun } from "../preflight/look_at_needs.ts";
import { agentsUsed } from "../../jobs/review_loop/plan.ts";
import { requireTrust } from "../trust.ts";
import { configOf, requireOwnPlace } from "../run_place.ts";
import { executeReview } from "../execute_review.ts";
import { flagsOnRecord, isRefused, type ResumeSurroundings } from "./around.ts";

export async function resumeReview(
  folder: RunFolder,
  { facts, version }: JournalFacts<ReviewFact>,
  around: ResumeSurroundings,
): Promise<number> {
  const [started] = facts;
  if (started?.type !== "run_started") throw notBegun(folder.id);
  const earlier = foldProgress(REVIEW_LOOP, facts);
  const { wd, config } = around;
  requireOwnPlace(folder, { earlier, version, wd });
  const configFile = await configOf(folder, earlier, config);
  const { origin: { cwd, flags: told }, task, workdir } = started;
  const flags = flagsOnRecord(told, folder, around);
  const isElsewhere = wd !== undefined || findCarried(folder, earlier.folder) !== undefined;
  const given = isElsewhere ? { ...flags, wd: workdir } : flags;
  const loaded = await loadSettings(
    await configSource(around.io, { cwd, flags: given, path: configFile ?? undefined }),
  );
  if (loaded.workdir !== workdir) {
    throw new UsageError(
      `Cannot resume run ${folder.id}: it works in ${workdir}, but its configuration now names ${loaded.workdir}`,
      { hint: "Correct the working directory in the configuration, name this one with --wd, or start a new run." },
    );
  }
  const trust = around.trust || await isRefused(folder, earlier, ["pass", "fail"]);
  const mayAsk = !around.global.json && around.noInput !== true;
  const plan = toRunPlan({ ...loaded, job: task });
  await requireTrust({ config: loaded, obeyed: { workdir, agents: agentsUsed(plan) } }, {
    ...{ ...around, trust, isContinued: true, mayAsk },
  });
  return await executeReview(plan, {
    ...around,
    earlier,
    execute: (options) =>
      resumeReviewRun(folder, {
        ...options,
        ...{ raise: around.raise, acceptChanges: around.acceptChanges },
        ...present({ configFile: config, handedBack: around.handedBack }),
        async beforeResume(roles) {
          const onWarning = (message: string) => options.onEvent?.({ type: "warning", message });
          const preflight = openPreflight("resume the run", { ...around, onWarning });
          await preflight.readBesideMachine(() => Promise.resolve(), { panes: hasPanes(plan) });
          const review = { plan, roles, sources: loaded.sources };
          preflight.require(await lookAtReviewRun(review, preflight));
        },
      }),
  });
}
