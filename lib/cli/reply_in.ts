import { UsageError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { executeExec } from "../jobs/pipeline/execute.ts";
import { JOBS } from "../jobs/mod.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
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
import { TRUST_FLAG } from "./trust.ts";

export const REPLY_FLAGS = { "no-input": NO_INPUT_FLAG, trust: TRUST_FLAG };

interface Replying {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly flags: { readonly "no-input"?: boolean | undefined; readonly trust?: boolean | undefined };
  /** The workspace whose newest run is heard. @default {the one that is worked in} */
  readonly to?: Workspace;
}

/** Has another round worked in a workspace, with what a person says of the work. */
export async function replyIn(
  workspace: Workspace,
  text: string,
  { flags, global, io, to = workspace }: Replying,
): Promise<number> {
  const { started, tasks } = await earlierIn(to);
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

/** How the newest run in a workspace began, and what it was to do. */
async function earlierIn(workspace: Workspace) {
  const { isTarget, name, workdir } = workspace;
  if (isTarget === true) {
    throw new UsageError(`Cannot reply to ${name}: several tasks come together in it`, {
      hint: `Take it, and start from there: panewright apply ${name}. Or reply to one of them: ${
        lanesOf(workspace).map((lane) => lane.name).join(", ")
      }`,
    });
  }
  const newest = await newestRunIn(workspace);
  const journal = newest === undefined ? undefined : await readFacts(newest, JOBS);
  if (journal === undefined || !isJournalOf(journal, PIPELINE)) {
    throw new UsageError(`Cannot reply to ${name}: no run of panewright exec has worked in it`, {
      hint: newest === undefined ? "" : `Its agents hear you by: panewright resume ${newest.id} --wd ${workdir}`,
    });
  }
  const facts: readonly ExecFact[] = journal.facts;
  const [started] = facts;
  if (started?.type !== "run_started") throw new UsageError(`Cannot reply to ${name}: its run has not begun`);
  return { started, tasks: facts.flatMap((fact) => fact.type === "task_started" ? [fact] : []) };
}
