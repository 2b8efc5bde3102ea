import { HumanInterventionRequiredError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { type Usage, usageSince } from "../base/usage.ts";
import { REVIEW_LOOP } from "../jobs/review_loop/mod.ts";
import { executeReviewRun, resumeReviewRun, type ReviewRunOptions } from "../jobs/review_loop/execute.ts";
import { agentOf, attemptsIn, type ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import { recallTurns } from "../jobs/review_loop/recall_response.ts";
import type { LaneState, LeadRun } from "../journal/exec/state.ts";
import { readFactsOf } from "../journal/read_facts.ts";
import type { ReviewFact } from "../journal/loop/facts.ts";
import { initialProgress, type Progress } from "../journal/progress.ts";
import { usageOfAll } from "../journal/usage.ts";
import type { Waiting } from "../journal/waiting.ts";
import { runCommandLine } from "../run/command_line.ts";
import { type RunFolder, runFolderAt } from "../run/run_folder.ts";
import { aboutLane, answerCommand } from "./about_lane.ts";
import type { LaneEnd, Lanes } from "./context.ts";
import type { LaneTask } from "./lane_tasks.ts";

interface LoopRun {
  readonly lanes: Lanes & Required<Pick<Lanes, "loopIn">>;
  /** The run that an earlier process has begun in the lane, and what it has come to. */
  readonly begun: { readonly folder: RunFolder; readonly progress: Progress } | undefined;
}

/** Has the roles of a review loop do the task of a lane, in its workspace. */
export async function playLoopIn(lane: LaneState, task: LaneTask, { begun, lanes }: LoopRun): Promise<LaneEnd> {
  const { origin, person, plan: whole } = await lanes.loopIn(lane.workdir, task.text);
  const plan = planOfLoop(lane, whole);
  const { lead } = lane;
  // A question of an agent in a step is another one than a dialog, and so is who is asked.
  const { person: _p, beforeResume: _b, play: _l, runHeadless: _r, ...common } = lanes.options;
  const options: ReviewRunOptions = {
    ...common,
    // The caps of the run hold for all lanes together.
    ...{ plan: { ...plan, caps: {} }, ...present({ person }), signal: lanes.signal },
    whereArguments: ["--wd", lane.workdir],
    resumedBy: (...words) => lanes.run.commandLine("resume", ...words),
    ...(lead === undefined ? {} : { taken: () => turnsOf(lead) }),
    onEvent: tellOf(lane, { begun, lanes, plan }),
  };
  try {
    const report = begun === undefined
      ? await executeReviewRun(origin, options)
      : await resumeReviewRun(begun.folder, options);
    return { outcome: report.outcome, reason: report.reason, questions: [] };
  } catch (error) {
    if (lanes.signal.aborted || !(error instanceof HumanInterventionRequiredError)) throw error;
    // What one loop waits for is not what the others would meet.
    return { outcome: "waiting", reason: error.message, questions: [] };
  }
}

async function turnsOf({ run, workdir }: LeadRun) {
  const folder = runFolderAt(workdir, run);
  return await recallTurns((await readFactsOf(REVIEW_LOOP, folder)).facts, folder);
}

/** The part of a loop that is done in a lane, with the agent of the attempt that it is. */
function planOfLoop({ attempt = 1, purpose }: LaneState, plan: ReviewRunPlan): ReviewRunPlan {
  const tried = attemptsIn(plan);
  if (tried === undefined) return plan;
  const { agents, role } = tried;
  if (purpose === "lead") return { ...plan, loop: { ...plan.loop, until: role }, postProcessing: {} };
  const { attempts: _, ...own } = agentOf(plan, role);
  const agent = agents[(attempt - 1) % agents.length];
  const used = agent === undefined ? own : { ...agent, ...present({ caps: own.caps }) };
  return { ...plan, agents: { ...plan.agents, [role]: used } };
}

/** Tells in the run of all what happens in the loop of a lane. */
function tellOf(
  lane: LaneState,
  { begun, lanes: { onAsking, run: { record, wallClock } }, plan }:
    & LoopRun
    & Pick<ReviewRunOptions, "plan">,
) {
  const about = aboutLane(lane);
  let progress = begun?.progress ?? initialProgress("run");
  let beforeTurn: Usage = {};
  let turns = 0;
  let run = "";
  const ofTurn = () => usageSince(beforeTurn, usageOfAll(progress.tokens));
  return (event: ReviewFact): void => {
    const { waiting: waited } = progress;
    progress = REVIEW_LOOP.progress(progress, { ...event, at: wallClock().toISOString() });
    if (event.type === "run_started") record({ type: "lane_run_begun", ...about, run: event.runId, passable: true });
    if ("runId" in event) run = event.runId;
    const { waiting } = progress;
    if (waiting !== waited) {
      onAsking(lane, waiting !== undefined);
      if (waiting !== undefined) record({ type: "lane_asked", ...about, run, ...askedOf(waiting, { lane, run }) });
    }
    const used = REVIEW_LOOP.meter?.(event, undefined);
    switch (used?.kind) {
      case "turn_begins":
      case "turn_continues": {
        beforeTurn = usageOfAll(progress.tokens);
        const { worker: step } = used;
        const provider = plan.agents[step]?.provider.id ?? "";
        const turn = "turnId" in event ? event.turnId : undefined;
        return record({
          ...{ type: "lane_turn_started", ...about, run, step, stepAttempt: ++turns, provider, ...present({ turn }) },
        });
      }
      case "tokens_counted":
        return record({ type: "lane_counted", ...about, usage: ofTurn(), passable: true });
      case "turn_ends":
        return record({
          ...{ type: "lane_turn_ended", ...about, outcome: "completed", seconds: used.seconds, usage: ofTurn() },
        });
    }
  };
}

/** What is asked, and how it is answered: what has no id, only in its pane. */
function askedOf(
  { by, dialog, id: question, text }: Waiting,
  { lane: { workdir }, run }: { readonly lane: LaneState; readonly run: string },
) {
  const isPermission = dialog !== undefined && dialog.questions === undefined;
  const answer = question === undefined
    ? runCommandLine(["attach", run], workdir)
    : answerCommand(run, { question, workdir, isPermission });
  return { text: `${by}: ${text}`, answerCommand: answer };
}
