import { runOperation, runTool } from "./operation.ts";
import * as z from "zod";
import { stopRun as stop } from "../control/stop_run.ts";
import { RUN_OUTPUTS } from "../output/run_outputs.ts";
import { flag } from "../output/shapes.ts";
import { next, state } from "./fields.ts";
import { nextOf } from "./run_state.ts";

export const stopRun = runOperation({
  id: "stopRun",
  method: "post",
  path: "/v1/runs/{run}/stop",
  summary: "Stops a run, to be resumed later",
  body: z.strictObject({
    force: flag("Whether to kill the process that executes it, instead of telling it to end. Default: false.")
      .optional(),
  }),
  replies: { 200: { about: "What was done.", schema: RUN_OUTPUTS.run_stopped } },
  problems: ["refused"],
  async handle(folder, { context: { clock }, body: { force = false }, signal }) {
    return { status: 200, json: (await stop(folder, { force, clock, signal })).told };
  },
});

export const stopTool = runTool({
  title: "Stop a run",
  description: "Stops a run and its agents. Nothing is lost: resume continues it.",
  input: {
    force: flag("Kill its process, when it did not end by itself.").optional(),
  },
  output: z.object({
    run: z.string(),
    state,
    agentsAlive: flag("Whether agents are still alive."),
    next,
  }),
  isDestructive: true,
  isIdempotent: true,
  async act(folder, { force = false }, { clock, signal }) {
    const { told: { run, state, agentsAlive }, overview } = await stop(folder, { force, clock, signal });
    return { run, state, agentsAlive, next: nextOf(overview) };
  },
});
