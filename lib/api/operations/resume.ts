import * as z from "zod";
import { PanewrightError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { JOBS } from "../../jobs/mod.ts";
import { readRun } from "../../run/overview.ts";
import { resumeDetached } from "../control/start_run.ts";
import { filled, next, startedRun, state } from "./fields.ts";
import { actorOf, runOperation, runTool, withinTime } from "./operation.ts";

/** It goes along as one word of a command line, which the system limits to 128 KiB. */
const MAX_SAID_CHARS = 30_000;

export const resumeRun = runOperation({
  id: "resumeRun",
  method: "post",
  path: "/v1/runs/{run}/resume",
  summary: "Resumes a run, in a process of its own",
  body: z.strictObject({
    raise: z.record(z.string(), z.number()).describe("Caps that it may go up to from now on, by name: `max_turns`.")
      .optional(),
    message: filled("What you say to the agent that it continues with.", MAX_SAID_CHARS).optional(),
  }),
  replies: { 202: { about: "It runs.", schema: startedRun.omit({ isNew: true }) } },
  problems: ["run_over", "busy", "needs_trust", "bad_input", "refused"],
  async handle(folder, { context, body: { message, raise } }) {
    const asked = { by: "http", ...present({ message, raise }) } as const;
    return { status: 202, json: await resumeDetached(folder, asked, context.detach) };
  },
});

export const resumeTool = runTool({
  title: "Resume a run",
  description: "Continues a run that was stopped or killed, or that waited for an answer. Returns at once; then call " +
    "wait. The run's limits stay as they are: a person raises them.",
  input: {},
  output: z.object({ run: z.string(), state, next }),
  async act(folder, _, call) {
    call.progress("looking at what the run needs");
    const resuming = resumeDetached(folder, actorOf(call), { ...call.detach, signal: call.signal });
    if (await withinTime(resuming, call.clock) === undefined) {
      throw new PanewrightError(`Cannot tell yet whether run ${folder.id} continues: it is still being prepared`, {
        code: "busy",
        hint: "Call wait with the run's id.",
      });
    }
    const overview = await readRun(folder, JOBS);
    return { run: folder.id, state: overview.condition, next: "Call wait with the run's id." };
  },
});
