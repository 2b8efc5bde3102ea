import { UsageError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { present } from "../../base/schema.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { Carried } from "../../run/carried.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findCarriedLoop } from "../../run/run_mail.ts";
import { endLeftSession } from "./left_session.ts";
import { rolesLeft } from "./machine.ts";
import { areOtherRules, rulesUsedBy } from "./rules_used.ts";
import type { ReviewRunOptions } from "./run_parts.ts";
import { reviewLoopSettings } from "./settings.ts";
import type { RunState } from "./state.ts";
import { ownRolesTold } from "./shapes.ts";

/** Makes ready for another process to continue the run, and gives its first fact. */
export async function continueRun(
  folder: RunFolder,
  state: RunState | undefined,
  { plan, clock, configFile, beforeResume, mirror }:
    & Pick<ReviewRunOptions, "plan" | "configFile" | "beforeResume" | "mirror">
    & { readonly clock: Clock },
): Promise<ReviewFact> {
  const { id: runId, path } = folder;
  const finished = state?.finished;
  if (finished?.outcome === "pass" || finished?.outcome === "fail") {
    throw new UsageError(`Cannot resume run ${runId}: it is over (${finished.outcome}: ${finished.reason})`, {
      code: "run_over",
      hint: "Start the job again with: panewright run",
    });
  }
  const carried = state && findCarriedLoop(folder, state.head.folder);
  // Whoever takes each record lets only one of them go on.
  if (carried?.isCopy && mirror === undefined) throw copied(folder, carried);
  if (state !== undefined && state.loop.stage.kind !== "finished") {
    await beforeResume?.(rolesLeft(state.loop, plan.loop));
  }
  if (carried !== undefined && state !== undefined) {
    await endLeftSession(state, { clock });
    await endLeftProcesses(folder, { clock, recorded: carried.folder });
  }
  const rules = rulesUsedBy(plan);
  const settings = reviewLoopSettings({ ...plan.loop, words: plan.words });
  const before = state?.head.rules;
  return {
    type: "run_resumed",
    runId,
    folder: path,
    ...(carried === undefined ? {} : { carriedFrom: carried.workdir }),
    ...present({ configFile }),
    settings,
    ...ownRolesTold(settings),
    rules,
    modelAnswers: plan.permissions.modelAnswers,
    answersFrom: plan.permissions.answersFrom,
    ...(before !== undefined && areOtherRules(before, rules) ? { rulesBefore: before } : {}),
  };
}

/** What is known by the run's id, its tmux server, hooks and audit heads, is that of the other one. */
function copied({ id, path }: RunFolder, { folder }: Carried): UsageError {
  return new UsageError(`Cannot resume run ${id} in ${path}: it is a copy of the run in ${folder}`, {
    hint: "A review loop can be moved, but not be in two places: resume it there, or remove that folder first.",
  });
}
