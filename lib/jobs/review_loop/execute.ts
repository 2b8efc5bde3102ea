import type { RunOrigin } from "../../journal/loop/fields.ts";
import type { RunState } from "./state.ts";
import type { AskAboutDialog } from "../../turn/desk/desk_context.ts";
import { UsageError } from "../../base/errors.ts";
import type { Execution, PlannedOptions, RunReport, RunResult } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import type { Carried } from "../../run/carried.ts";
import { findCarriedLoop } from "../../run/run_mail.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { lockWorkdir } from "../../run/workdir_lock.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { refuseBesideLiveAgents } from "./beside.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { rolesLeft } from "./machine.ts";
import { REVIEW_LOOP } from "./mod.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { playRun } from "./play_run.ts";
import type { RunParts } from "./run_parts.ts";
import { postProcess } from "./post_process.ts";
import { areOtherRules, rulesUsedBy } from "./rules_used.ts";
import { endLeftSession } from "./left_session.ts";
import { reviewLoopSettings } from "./settings.ts";
import { present } from "../../base/schema.ts";

export interface ReviewRunOptions extends PlannedOptions<ReviewFact, ReviewRunPlan, AskAboutDialog> {
  readonly beforeResume?: (roles: readonly Role[]) => Promise<void>;
}

type ReviewRunReport = RunReport<RunState | undefined>;

/**
 * Runs a job with real agents: a run folder, a tmux session with a pane for each role, the review loop over them, and
 * afterwards nothing of it left running.
 */
export async function executeReviewRun(origin: RunOrigin, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { plan } = options;
  const { workdir, job: task } = plan;
  const settings = reviewLoopSettings(plan.loop);
  return await startRun<ReviewFact, RunState | undefined>(
    reviewExecution(options),
    ({ id: runId, path: folder }) => ({
      type: "run_started",
      job: "run",
      ...{ runId, folder, workdir, startAgent: settings.startAgent, task, settings, origin },
      rules: rulesUsedBy(plan),
      modelAnswers: plan.permissions.modelAnswers,
    }),
    options,
  );
}

export async function resumeReviewRun(folder: RunFolder, options: ReviewRunOptions): Promise<ReviewRunReport> {
  return await resumeRun(reviewExecution(options), folder, options);
}

function reviewExecution(options: ReviewRunOptions): Execution<ReviewFact, RunState | undefined> {
  const { plan, clock = systemClock } = options;
  return {
    job: REVIEW_LOOP,
    plan,
    agents: Object.values(plan.agents),
    workerCaps: Object.fromEntries(ROLES.map((role) => [role, plan.agents[role].caps ?? {}])),
    subfolders: ["responsesDir", "evidenceDir"],
    async resume(folder, state) {
      const { id: runId, path } = folder;
      const finished = state?.finished;
      if (finished?.outcome === "pass" || finished?.outcome === "fail") {
        throw new UsageError(`Cannot resume run ${runId}: it is over (${finished.outcome}: ${finished.reason})`, {
          code: "run_over",
          hint: "Start the job again with: panewright run",
        });
      }
      const carried = state && findCarriedLoop(folder, state.head.folder);
      if (carried?.isCopy) throw copied(folder, carried);
      if (state !== undefined && state.loop.stage.kind !== "finished") {
        await options.beforeResume?.(rolesLeft(state.loop, plan.loop));
      }
      if (carried !== undefined && state !== undefined) {
        await endLeftSession(state, { clock });
        await endLeftProcesses(folder, { clock, recorded: carried.folder });
      }
      const rules = rulesUsedBy(plan);
      const before = state?.head.rules;
      return {
        type: "run_resumed",
        runId,
        folder: path,
        ...(carried === undefined ? {} : { carriedFrom: carried.workdir }),
        ...present({ configFile: options.configFile }),
        settings: reviewLoopSettings(plan.loop),
        rules,
        modelAnswers: plan.permissions.modelAnswers,
        ...(before !== undefined && areOtherRules(before, rules) ? { rulesBefore: before } : {}),
      };
    },
    async claim({ id: runId }) {
      using claimed = new DisposableStack();
      claimed.use(await lockWorkdir(plan.workdir, { runId }));
      await refuseBesideLiveAgents(plan.workdir, { runId });
      return claimed.move();
    },
    play: (run) => play({ ...run, plan, person: options.person, state: () => begun(run.state()) }),
    warning: (message) => ({ type: "warning", message }),
    isOver: (outcome) => outcome === "pass" || outcome === "fail",
    finish(end, state, last) {
      const { loop, tokens } = begun(state);
      return {
        type: "run_finished",
        ...end,
        rounds: loop.round,
        usage: usageOfAll(tokens),
        usageByRole: tokens.byWorker,
        ...last(tokens),
      };
    },
  };
}

/** What is known by the run's id, its tmux server, hooks and audit heads, is that of the other one. */
function copied({ id, path }: RunFolder, { folder }: Carried): UsageError {
  return new UsageError(`Cannot resume run ${id} in ${path}: it is a copy of the run in ${folder}`, {
    hint: "A review loop can be moved, but not be in two places: resume it there, or remove that folder first.",
  });
}

function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new TypeError("Cannot tell where the run stands: it has not begun");
  return state;
}

async function play(parts: RunParts): Promise<RunResult> {
  const { plan, state, record, signal } = parts;
  const { outcome, reason } = await playRun(parts);
  if (outcome === "pass") {
    await postProcess(plan.postProcessing, {
      workdir: plan.workdir,
      done: state().postProcessed,
      onEnd(command, problem) {
        record({ type: "post_processed", command, ...present({ problem }) });
        if (problem !== undefined) record({ type: "warning", message: problem });
      },
      signal,
    });
  }
  return { outcome, reason };
}
