import { HumanInterventionRequiredError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { addUsage, type Usage } from "../base/usage.ts";
import { executeReviewRun, resumeReviewRun, type ReviewRunOptions } from "../jobs/review_loop/execute.ts";
import type { LaneState } from "../journal/exec/state.ts";
import type { ReviewFact } from "../journal/loop/facts.ts";
import { countOf } from "../journal/loop/state.ts";
import { newIn, NOTHING_COUNTED, takeCount, type TokenCounts } from "../journal/usage.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { aboutLane, answerCommand } from "./about_lane.ts";
import type { LaneEnd, Lanes } from "./context.ts";
import type { LaneTask } from "./lane_tasks.ts";

interface LoopRun {
  readonly lanes: Lanes & Required<Pick<Lanes, "loopIn">>;
  /** The run that an earlier process has begun in the lane. */
  readonly begun: RunFolder | undefined;
}

/** Has the roles of a review loop do the task of a lane, in its workspace. */
export async function playLoopIn(lane: LaneState, task: LaneTask, { begun, lanes }: LoopRun): Promise<LaneEnd> {
  const { origin, person, plan } = await lanes.loopIn(lane.workdir, task.text);
  // A question of an agent in a step is another one than a dialog, and so is who is asked.
  const { person: _p, beforeResume: _b, play: _l, runHeadless: _r, ...common } = lanes.options;
  const options: ReviewRunOptions = {
    ...common,
    // The caps of the run hold for all lanes together.
    ...{ plan: { ...plan, caps: {} }, ...present({ person }), signal: lanes.signal },
    whereArguments: ["--wd", lane.workdir],
    onEvent: tellOf(lane, { lanes, plan }),
  };
  try {
    const report = begun === undefined
      ? await executeReviewRun(origin, options)
      : await resumeReviewRun(begun, options);
    return { outcome: report.outcome, reason: report.reason, questions: [] };
  } catch (error) {
    if (lanes.signal.aborted || !(error instanceof HumanInterventionRequiredError)) throw error;
    // What one loop waits for is not what the others would meet.
    return { outcome: "waiting", reason: error.message, questions: [] };
  }
}

/** Tells in the run of all what happens in the loop of a lane. */
function tellOf(
  lane: LaneState,
  { lanes: { onAsking, run: { record } }, plan }: { readonly lanes: Lanes } & Pick<ReviewRunOptions, "plan">,
) {
  const about = aboutLane(lane);
  const turns = new Map<string, number>();
  let run = "";
  let tokens: TokenCounts = NOTHING_COUNTED;
  let ofTurn: Usage = {};
  return (event: ReviewFact): void => {
    switch (event.type) {
      case "run_started":
      case "run_resumed":
        run = event.runId;
        return;
      case "turn_started":
      case "turn_resumed": {
        const { role: step, turnId: turn } = event;
        ofTurn = {};
        turns.set(step, (turns.get(step) ?? 0) + 1);
        const provider = plan.agents[step]?.provider.id ?? "";
        return record({
          ...{ type: "lane_turn_started", ...about, run, step, stepAttempt: turns.get(step) ?? 1, provider, turn },
        });
      }
      case "tokens_counted": {
        const count = countOf(event);
        ofTurn = addUsage(ofTurn, newIn(tokens, count));
        tokens = takeCount(tokens, count);
        return record({ type: "lane_counted", ...about, usage: ofTurn, passable: true });
      }
      case "response_received":
        return record({
          ...{ type: "lane_turn_ended", ...about, outcome: "completed", seconds: event.seconds, usage: ofTurn },
        });
      case "dialog_waiting": {
        const { attachCommand, question, reason, role, subject } = event;
        const answer = question === undefined
          ? attachCommand ?? ""
          : answerCommand(run, { question, workdir: lane.workdir, isPermission: event.questions === undefined });
        onAsking(lane, true);
        const text = [`${role}: ${reason}`, subject].filter((part) => part !== undefined).join("\n");
        return record({ type: "lane_asked", ...about, run, text, answerCommand: answer });
      }
      case "dialog_closed":
        return onAsking(lane, false);
    }
  };
}
