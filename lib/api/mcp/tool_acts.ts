import { type AnswerToGive, giveAnswer, type GiveAnswerOptions } from "../control/give_answer.ts";
import { stopRun } from "../../jobs/stop_run.ts";
import { shellJoin } from "../../shell/quote.ts";
import { actorOf, type ToolActs } from "./call.ts";
import { createLookActs } from "./look_acts.ts";
import { createMessageActs } from "./message_acts.ts";
import { nextOf } from "./run_state.ts";
import { findServed } from "./served_folders.ts";
import { createStartActs, type StartActsOptions } from "./start_acts.ts";

/** What {@linkcode createToolActs} is made of. */
export interface ToolActsOptions extends StartActsOptions {
  /** Rejects unless the person trusts a run's configuration as it is now. */
  readonly requireTrust: GiveAnswerOptions["requireTrust"];
}

/** The tools' acts on the runs of some folders. */
export function createToolActs(options: ToolActsOptions): ToolActs {
  const { requireTrust, clock } = options;
  return {
    ...createStartActs(options),
    ...createLookActs(options),
    ...createMessageActs(options),

    async answer({ question, answer, ...named }, call) {
      const folder = await findServed(named, options);
      const given: AnswerToGive = { question, answer, ...actorOf(call) };
      const { goesOn } = await giveAnswer(folder, given, { requireTrust });
      const next = goesOn ? "The run continues by itself: call wait." : "Call resume: no process executes the run.";
      return { run: folder.id, question, continues: goesOn, next };
    },

    async stop({ force = false, ...named }, { signal }) {
      const folder = await findServed(named, options);
      const resumeCommand = shellJoin(["panewright", "resume", folder.id]);
      const { overview, agentsAlive } = await stopRun(folder, { force, resumeCommand, clock, signal });
      return { run: folder.id, state: overview.condition, agentsAlive, next: nextOf(overview) };
    },
  };
}
