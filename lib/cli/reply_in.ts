import { UsageError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { executeExec } from "../jobs/pipeline/execute.ts";
import { JOBS } from "../jobs/mod.ts";
import { jobText } from "../jobs/review_loop/job.ts";
import { REVIEW_LOOP } from "../jobs/review_loop/mod.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import type { ReviewFact } from "../journal/loop/facts.ts";
import { isJournalOf, readFacts } from "../journal/read_facts.ts";
import { readOverview } from "../run/overview.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { NO_INPUT_FLAG } from "./carry_out.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { keptOf } from "./exec_config.ts";
import { executeSteps } from "./execute_steps.ts";
import { lanesOf } from "../api/control/workspace_acts.ts";
import { newestRunIn } from "./meant_workspace.ts";
import { replyText } from "./show/reply_text.ts";
import { runReview } from "./run_review.ts";
import { TRUST_FLAG } from "./trust.ts";

export const REPLY_FLAGS = { "no-input": NO_INPUT_FLAG, trust: TRUST_FLAG };

interface EarlierSteps {
  readonly by: "steps";
  readonly started: Extract<ExecFact, { type: "run_started" }>;
  readonly tasks: readonly Extract<ExecFact, { type: "task_started" }>[];
}

interface EarlierLoop {
  readonly by: "roles";
  readonly started: Extract<ReviewFact, { type: "run_started" }>;
}

type Earlier = EarlierSteps | EarlierLoop;

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
  const builtIn = target.text === undefined ? undefined : { check, isOwn: false };
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

/** When the newest run in a workspace began: ISO 8601. */
export async function newestRunAt(workspace: Workspace): Promise<string> {
  const newest = await newestRunIn(workspace);
  return newest === undefined ? "" : (await readOverview(newest, JOBS, { brief: true })).progress?.startedAt ?? "";
}

/**
 * How the newest run in a workspace began, and what it was to do.
 *
 * @throws {UsageError} where nobody can be replied to there
 */
export async function earlierIn(workspace: Workspace): Promise<Earlier> {
  const { isTarget, name } = workspace;
  if (isTarget === true) {
    throw new UsageError(`Cannot reply to ${name}: several tasks come together in it`, {
      hint: `Take it, and start from there: panewright apply ${name}. Or reply to one of them: ${
        lanesOf(workspace).map((lane) => lane.name).join(", ")
      }`,
    });
  }
  const newest = await newestRunIn(workspace);
  const journal = newest === undefined ? undefined : await readFacts(newest, JOBS);
  if (journal !== undefined && isJournalOf(journal, REVIEW_LOOP)) {
    const [started] = journal.facts;
    if (started?.type === "run_started") return { by: "roles", started };
  }
  if (journal !== undefined && isJournalOf(journal, PIPELINE)) {
    const { facts } = journal;
    const [started] = facts;
    const tasks = facts.flatMap((fact) => fact.type === "task_started" ? [fact] : []);
    if (started?.type === "run_started") return { by: "steps", started, tasks };
  }
  throw new UsageError(`Cannot reply to ${name}: no run has worked in it`);
}
