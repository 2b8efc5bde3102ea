import * as z from "zod";
import { present } from "../../base/schema.ts";
import type { RunOverview } from "../../run/overview.ts";
import { count, text } from "../output/shapes.ts";
import { ended, filled, isOver, MAX_WAIT_SECONDS, messageState, next, question, state, waitSeconds } from "./fields.ts";
import { isMessageOver, requireMessage } from "./message_state.ts";
import { deadlineOf, runTool } from "./operation.ts";
import {
  doingOf,
  endedOf,
  isOver as isRunOver,
  needsAttention,
  nextOf,
  nextOfMessage,
  questionsOf,
} from "./run_state.ts";
import { watched, watchRun } from "./watch_run.ts";

export const waitTool = runTool({
  title: "Wait for a run",
  description: `Waits, at most ${MAX_WAIT_SECONDS} seconds, until a run is over, a question is open or, with ` +
    "`message`, that message has its response; then tells only what has changed after `after`. Call it again with the " +
    "sequence that it returned.",
  input: {
    after: count("The sequence that the last call returned; 0, or nothing, for all from the beginning.").optional(),
    until: z.enum(["attention", "change"]).describe(
      "attention (where it is missing): until something is needed of you or the run is over; change: until " +
        "anything worth telling has happened.",
    ).optional(),
    message: filled("The id of a message that handoff, assign or send_message returned: wait for its response.", 200)
      .optional(),
    timeoutSeconds: waitSeconds(MAX_WAIT_SECONDS),
  },
  output: z.object({
    run: z.string(),
    state,
    isOver,
    ...watched,
    doing: text("What happens at this moment.").optional(),
    questions: z.array(question).describe("What waits for an answer."),
    message: messageState.optional(),
    ended: ended.optional(),
    next,
  }),
  isReadOnly: true,
  async act(folder, { after = 0, until = "attention", message, timeoutSeconds }, call) {
    const stateOf = (overview: RunOverview) =>
      message === undefined ? undefined : requireMessage(folder, overview, message);
    const { overview, ...seen } = await watchRun(folder, {
      ...{ after, call },
      deadlineMs: deadlineOf(timeoutSeconds, { usual: MAX_WAIT_SECONDS, ...call }),
      isEnough: (overview, seen) =>
        isMessageOver(stateOf(overview)?.state) || needsAttention(overview, seen) ||
        until === "change" && seen.changes > 0,
    });
    const told = stateOf(overview);
    return {
      run: folder.id,
      state: overview.condition,
      isOver: isRunOver(overview),
      ...seen,
      ...doingOf(overview, new Date()),
      questions: [...questionsOf(overview)],
      ...present({ message: told }),
      ...endedOf(overview),
      next: told === undefined ? nextOf(overview) : nextOfMessage(told, overview),
    };
  },
});
