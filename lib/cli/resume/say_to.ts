import { leaveMessage } from "../../api/control/send_message.ts";
import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { readRun } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { workspaceAround } from "../../workspace/workspace.ts";

/**
 * Sees to it that the agent with which a run continues hears a person.
 *
 * @returns what a step is told; undefined for a role, for which it is left as a message
 * @throws {UsageError} where no agent could hear it
 */
export async function sayTo(folder: RunFolder, text: string): Promise<string | undefined> {
  const cannot = (why: string, hint?: string) =>
    new UsageError(`Cannot say that to run ${folder.id}: ${why}`, hint === undefined ? {} : { hint });
  if (text.trim() === "") throw cannot("it is empty");
  const { condition, executed, progress } = await readRun(folder, JOBS);
  if (executed) throw cannot("it is being executed", `Stop it first: ${runCommandLine(["stop", folder.id])}`);
  if (progress === undefined) throw cannot("nothing of it has begun");
  if (condition === "passed") {
    const { name } = workspaceAround(progress.workdir) ?? {};
    throw cannot("it is over (passed)", name && `Another round: ${runCommandLine(["reply", name])} "…"`);
  }
  if (progress.target !== undefined) {
    throw cannot("its tasks are done side by side", "Say it to the run of one of them.");
  }
  if (progress.waiting !== undefined) {
    throw cannot("it waits for an answer", `Give it: ${runCommandLine(["answer", folder.id])} "YOUR ANSWER"`);
  }
  const { activity, job, workers } = progress;
  const role = activity?.worker ?? workers.findLast(({ sessionId }) => sessionId !== undefined)?.name;
  if (role === undefined) throw cannot("no agent of it is at work");
  if (job === "exec") return text;
  await leaveMessage(folder, { role, text, wantsResponse: false, by: "command" });
  return undefined;
}
