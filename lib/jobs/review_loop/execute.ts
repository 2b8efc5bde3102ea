import type { RunOrigin } from "../../journal/loop/fields.ts";
import type { RunState } from "./state.ts";
import type { Execution, RunReport, RunResult } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { claimWorkdir } from "./beside.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { REVIEW_LOOP } from "./mod.ts";
import { playInside } from "./play_inside.ts";
import type { ReviewRunOptions, RunParts } from "./run_parts.ts";
import { continueRun } from "./continue_run.ts";
import { gitActs } from "../files/git_acts.ts";
import { UntoldError } from "../files/list.ts";
import { firstRole, ownRolesTold, plannedAgents, requireRolesApart, workerCapsOf } from "./plan.ts";
import { postProcess } from "./post_process.ts";
import { proveRoles } from "./prove_roles.ts";
import { rulesUsedBy } from "./rules_used.ts";
import { RESPONSE_TIMEOUT, reviewLoopSettings } from "./settings.ts";
import { present } from "../../base/schema.ts";

export type { ReviewRunOptions } from "./run_parts.ts";

type ReviewRunReport = RunReport<RunState | undefined>;

/**
 * Runs a job with real agents: a run folder, a tmux session with a pane for each role, the review loop over them, and
 * afterwards nothing of it left running.
 */
export async function executeReviewRun(origin: RunOrigin, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { plan } = options;
  const { workdir, job: task } = plan;
  requireRolesApart(plan);
  const settings = reviewLoopSettings({ ...plan.loop, words: plan.words });
  return await startRun<ReviewFact, RunState | undefined>(
    reviewExecution(options),
    ({ id: runId, path: folder }) => ({
      type: "run_started",
      job: "run",
      ...{ runId, folder, workdir, startAgent: firstRole(settings), task, settings, origin },
      ...ownRolesTold(settings),
      rules: rulesUsedBy(plan),
      modelAnswers: plan.permissions.modelAnswers,
      answersFrom: plan.permissions.answersFrom,
    }),
    options,
  );
}

export async function resumeReviewRun(folder: RunFolder, options: ReviewRunOptions): Promise<ReviewRunReport> {
  requireRolesApart(options.plan);
  return await resumeRun(reviewExecution(options), folder, options);
}

function reviewExecution(options: ReviewRunOptions): Execution<ReviewFact, RunState | undefined> {
  const { plan } = options;
  return {
    job: REVIEW_LOOP,
    plan,
    agents: () => plannedAgents(plan),
    prove: (proving) => proveRoles(plan, proving),
    timeUp: (state, limitOf) =>
      (state?.turn?.usedSeconds ?? 0) >= (limitOf(RESPONSE_TIMEOUT) ?? Infinity) ? [RESPONSE_TIMEOUT] : [],
    workerCaps: () => workerCapsOf(plan),
    subfolders: ["responsesDir", "evidenceDir"],
    resume: (folder, state, { clock }) => continueRun(folder, state, { ...options, clock }),
    claim: ({ id: runId }) => claimWorkdir(plan.workdir, { runId }),
    play: (run) =>
      play({
        ...run,
        plan,
        person: options.person,
        ...present({ askAtTerminal: options.askAtTerminal, taken: options.taken }),
        isPatient: options.isPatient ?? false,
        state: () => begun(run.state()),
      }),
    warning: (message) => ({ type: "warning", message }),
    isOver: (outcome) => outcome === "pass" || outcome === "fail",
    recovered: (state) => state?.recovered ?? [],
    finish(end, state, last) {
      const { loop, tokens, left, recovered } = begun(state);
      return {
        type: "run_finished",
        ...end,
        rounds: loop.round,
        usage: usageOfAll(tokens),
        usageByRole: tokens.byWorker,
        ...present({ left, recovered }),
        ...last(tokens),
      };
    },
  };
}

function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new TypeError("Cannot tell where the run stands: it has not begun");
  return state;
}

async function play(parts: RunParts): Promise<RunResult> {
  const { plan, state, record, signal } = parts;
  const commits = plan.postProcessing.gitCommitMessage !== undefined;
  if (commits && state().gitActs === undefined && Object.keys(state().agents).length === 0) await noteGit(parts);
  const { outcome, reason } = await playInside(parts);
  if (outcome === "pass") {
    await postProcess(plan.postProcessing, {
      workdir: plan.workdir,
      acts: state().gitActs,
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

/** What cannot be told is told at the end, when nothing is committed for it. */
async function noteGit({ plan: { workdir: folder }, record, signal }: RunParts): Promise<void> {
  try {
    record({ type: "git_noted", acts: await gitActs({ folder, signal }), passable: true });
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
  }
}
