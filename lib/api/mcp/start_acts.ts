import type { DetachOptions } from "../control/detach.ts";
import { resumeDetached } from "../control/resume_detached.ts";
import { type DetachedRun, type RunToStart, startRun } from "../control/start_run.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { readRun } from "../../run/overview.ts";
import { actorOf, type Call, type ToolActs, withinTime } from "./call.ts";
import { findServed, type Served, workdirOf } from "./served_folders.ts";
import type { ToolInput, ToolName, ToolOutput } from "./tools.ts";
import { present } from "../../base/schema.ts";

/** What {@linkcode createStartActs} is made of. */
export interface StartActsOptions extends Served {
  readonly clock: Clock;
  /** How processes of runs are started. */
  readonly detach?: Pick<DetachOptions, "panewright" | "env">;
}

/** The acts of the tools that start a run, or continue one. */
export function createStartActs(
  { clock, detach = {}, ...served }: StartActsOptions,
): Pick<ToolActs, "start_run" | "exec_task" | "resume"> {
  async function start(
    kind: RunToStart["kind"],
    input: ToolInput<"start_run"> | ToolInput<"exec_task">,
    { tool, overrides, call }: {
      readonly tool: ToolName;
      readonly overrides: RunToStart["overrides"];
      readonly call: Call;
    },
  ): Promise<ToolOutput<"start_run">> {
    const { task: text, taskFile: path, config, key = crypto.randomUUID() } = input;
    if (text !== undefined && path !== undefined) {
      throw new UsageError("Cannot use both task and taskFile: the task is the one or the other", {
        code: "bad_input",
      });
    }
    const task = text === undefined ? path === undefined ? {} : { task: { path } } : { task: { text } };
    if (kind === "exec" && task.task === undefined) {
      throw new UsageError("Cannot start a task: task or taskFile is missing", { code: "bad_input" });
    }
    const request: RunToStart = {
      ...{ workdir: workdirOf(input.workdir, served.workdirs), kind, key, by: "mcp" as const, ...task },
      ...present({ config, overrides }),
    };
    call.progress("looking at what the run needs");
    const begun = await withinTime(startRun(request, { ...detach, signal: call.signal }), clock);
    if (begun === undefined) throw stillStarting(tool, key);
    return startedRun(begun);
  }

  return {
    start_run: ({ maxRounds, ...input }, call) =>
      start("run", input, {
        tool: "start_run",
        overrides: maxRounds === undefined ? undefined : { "max-rounds": maxRounds },
        call,
      }),

    exec_task: ({ pipeline, ...input }, call) =>
      start("exec", input, { tool: "exec_task", overrides: pipeline === undefined ? undefined : { pipeline }, call }),

    async resume(named, call) {
      const folder = await findServed(named, served);
      call.progress("looking at what the run needs");
      const resuming = resumeDetached(folder, actorOf(call), { ...detach, signal: call.signal });
      if (await withinTime(resuming, clock) === undefined) {
        throw new PanewrightError(`Cannot tell yet whether run ${folder.id} continues: it is still being prepared`, {
          code: "busy",
          hint: "Call wait with the run's id.",
        });
      }
      const overview = await readRun(folder, JOBS);
      return { run: folder.id, state: overview.condition, next: "Call wait with the run's id." };
    },
  };
}

function stillStarting(tool: ToolName, key: string): PanewrightError {
  return new PanewrightError("Cannot tell yet whether the run has begun: it is still being prepared", {
    code: "busy",
    hint: `Call ${tool} again with the same arguments and with the key ${
      JSON.stringify(key)
    }: it is the same run then.`,
  });
}

function startedRun({ runId, folder, isNew }: DetachedRun): ToolOutput<"start_run"> {
  const next = isNew
    ? "Call wait with the run's id."
    : "An earlier call with this key started it: call wait, or result.";
  return { run: runId, folder, isNew, next };
}
