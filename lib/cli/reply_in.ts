import { UsageError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { executeExec } from "../jobs/pipeline/execute.ts";
import { jobText } from "../jobs/review_loop/job.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { NO_INPUT_FLAG } from "./carry_out.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { type Earlier, earlierIn, type EarlierLoop, type EarlierSteps } from "./earlier_in.ts";
import { keptOf } from "./exec_config.ts";
import { executeSteps } from "./execute_steps.ts";
import { replyText } from "./show/reply_text.ts";
import { runReview } from "./run_review.ts";
import { TRUST_FLAG } from "./trust.ts";

export const REPLY_FLAGS = { "no-input": NO_INPUT_FLAG, trust: TRUST_FLAG };

interface Replying {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly flags: { readonly "no-input"?: boolean | undefined; readonly trust?: boolean | undefined };
  /** What was done before. @default {that of the workspace} */
  readonly earlier?: Earlier;
}

/** Has another round worked in a workspace, with what a person says of the work. */
export async function replyIn(
  workspace: Workspace,
  text: string,
  replying: Replying,
): Promise<number> {
  const { earlier = await earlierIn(workspace) } = replying;
  return earlier.by === "steps"
    ? await replyInSteps(workspace, text, { ...replying, earlier })
    : await replyInLoop(workspace, text, { ...replying, earlier });
}

async function replyInLoop(
  { workdir }: Workspace,
  text: string,
  { earlier: { started: { origin, task } }, flags, global, io }: Replying & { readonly earlier: EarlierLoop },
): Promise<number> {
  const { "prompt-file": _, ...given } = origin.flags;
  const exploreSummary = replyText({ text, tasks: [task.exploreSummary] });
  const prompt = jobText({ ...task, exploreSummary });
  return await runReview({
    ...{ cwd: origin.cwd, path: origin.configFile ?? undefined, flags: { ...given, wd: workdir, prompt } },
    ...{ isApart: false, isContinued: true, trust: flags.trust === true },
  }, { io, global, noInput: flags["no-input"] === true });
}

async function replyInSteps(
  workspace: Workspace,
  text: string,
  { earlier: { started, tasks }, flags, global, io }: Replying & { readonly earlier: EarlierSteps },
): Promise<number> {
  const { overrides: { provider, check, autonomyLevel, pipeline, resume }, configFile, target } = started;
  const builtIn = target.text === undefined && check === undefined ? undefined : { check, isOwn: false };
  // As the task's front matter has said, where the command line has not.
  const [task] = tasks;
  const overrides = present({
    autonomyLevel: autonomyLevel ?? task?.autonomyLevel,
    pipeline: pipeline ?? task?.pipeline,
    ...{ provider, resume, check },
  });
  const { workdir } = workspace;
  return await executeSteps({
    ...{ flags: { wd: workdir, ...present({ provider }) }, builtIn },
    ...(configFile === null ? {} : { path: configFile }),
  }, {
    ...{ io, global, noInput: flags["no-input"] === true, trust: flags.trust === true, isApart: false },
    pipelinesOf: (plan) =>
      Promise.resolve([overrides.pipeline ?? plan.defaultPipeline ?? Object.keys(plan.pipelines)[0] ?? ""]),
    execute: (options, read) =>
      executeExec({
        target: {
          kind: "task",
          path: `${workdir}/reply`,
          text: replyText({ text, tasks: tasks.map((task) => task.text) }),
        },
        ...{ overrides: { ...overrides, ...keptOf(read) }, configFile: read.file },
      }, options),
  });
}

/** @throws {UsageError} for a text that says nothing */
export function requireText(text: string): void {
  if (text.trim() === "") throw new UsageError("Cannot reply: the text is empty");
}
