import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { executeExec } from "../../jobs/pipeline/execute.ts";
import { JOBS } from "../../jobs/mod.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { isJournalOf, readFacts } from "../../journal/read_facts.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { NO_INPUT_FLAG } from "../carry_out.ts";
import { defineCommand } from "../console/command.ts";
import { executeSteps } from "../execute_steps.ts";
import { lanesOf, requireAtRest } from "../../api/control/workspace_acts.ts";
import { meantWorkspace, newestRunIn } from "../meant_workspace.ts";
import { replyText } from "../show/reply_text.ts";
import { TRUST_FLAG } from "../trust.ts";

/** `panewright reply`: another round in a workspace, with what a person says of the work. */
export const command = defineCommand({
  arguments: [
    { name: "NAME", description: "the workspace's name", required: true },
    { name: "TEXT", description: "what you say of the work, as one text", required: true },
  ],
  flags: { "no-input": NO_INPUT_FLAG, trust: TRUST_FLAG },
  async run({ flags, global, positionals: [name = "", text = ""] }, io) {
    const workspace = await meantWorkspace(name, io);
    if (text.trim() === "") throw new UsageError("Cannot reply: the text is empty");
    await requireAtRest(workspace, "reply to");
    const { started, tasks } = await earlierIn(workspace);
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
      execute: (options, { file }) =>
        executeExec({
          target: {
            kind: "task",
            path: `${workdir}/reply`,
            text: replyText({ text, tasks: tasks.map((task) => task.text) }),
          },
          ...{ overrides, configFile: file },
        }, options),
    });
  },
});

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
