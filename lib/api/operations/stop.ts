import { runOperation, runTool } from "./operation.ts";
import * as z from "zod";
import { stopRun as stop } from "../../jobs/stop_run.ts";
import { canResume } from "../../run/condition.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { RUN_OUTPUTS } from "../output/run_outputs.ts";
import { flag } from "../output/shapes.ts";
import type { ActContext } from "./context.ts";
import { next, state } from "./fields.ts";
import { nextOf } from "./run_state.ts";

async function act(
  folder: RunFolder,
  { force = false, clock, signal }: Pick<ActContext, "clock"> & {
    readonly force: boolean | undefined;
    readonly signal: AbortSignal;
  },
) {
  const resumeCommand = runCommandLine(["resume", folder.id]);
  return { ...await stop(folder, { force, resumeCommand, clock, signal }), resumeCommand };
}

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
  async handle(folder, { context, body: { force }, signal }) {
    const { pid, endedAgents, agentsAlive, overview, resumeCommand } = await act(folder, { ...context, force, signal });
    const { condition: state, executed, progress } = overview;
    const resumes = canResume(state, { job: progress?.job, executed });
    return {
      status: 200,
      json: {
        ...{ run: folder.id, pid: pid ?? null, endedAgents, agentsAlive, state },
        ...(resumes ? { resumeCommand } : {}),
      },
    };
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
  async act(folder, { force }, call) {
    const { overview, agentsAlive } = await act(folder, { ...call, force });
    return { run: folder.id, state: overview.condition, agentsAlive, next: nextOf(overview) };
  },
});
