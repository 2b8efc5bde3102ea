import type { AroundAgent } from "../agents/launch_plan.ts";
import { RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { lastLines } from "../base/text/lines.ts";
import type { RunFactOf } from "../journal/run_facts.ts";
import type { RunPlan } from "../run/plan.ts";
import { keepSetup, keptSetup, restoreSetup } from "../workspace/setups.ts";
import { noteWorkspace, workspaceAround } from "../workspace/workspace.ts";
import { formatTestCommand } from "./test_command.ts";
import { runTestOf } from "./test_of_run.ts";

interface SettingUp {
  readonly run: Parameters<typeof runTestOf>[0] & {
    readonly record: (fact: RunFactOf<"workspace_set_up"> | RunFactOf<"warning">) => void;
  };
  readonly plan: Pick<RunPlan, "workdir" | "workspace">;
  readonly around: AroundAgent | undefined;
}

/**
 * Sets up the workspace that a run works in, unless it was: with what an earlier setup has made of the same files, or by its
 * command. What that makes where agents have worked before is kept for nobody else.
 *
 * @throws {RuntimeError} where the command fails
 */
export async function setUpWorkspace({ around, plan: { workdir, workspace: planned }, run }: SettingUp): Promise<void> {
  const workspace = workspaceAround(workdir);
  if (workspace === undefined) return;
  const { isSetUp = false, isUsed = false } = workspace;
  if (planned?.setup === undefined || isSetUp) {
    return isUsed ? undefined : await noteWorkspace({ ...workspace, isUsed: true });
  }
  const { command: given, files, timeLimitSeconds: timeoutSeconds } = planned.setup;
  const command = formatTestCommand(given);
  const { clock, record, signal } = run;
  const startedAtMs = clock.now();
  const tell = (outcome: RunFactOf<"workspace_set_up">["outcome"], output: string) => {
    const seconds = (clock.now() - startedAtMs) / 1000;
    record({ type: "workspace_set_up", command, outcome, seconds, output, passable: true });
  };
  const kept = await keptSetup(workspace, { command, files });
  if (kept !== undefined && await restoreSetup(workspace, { kept, signal })) {
    tell("kept", "");
    return await noteWorkspace({ ...workspace, isSetUp: true, isUsed: true });
  }
  const result = await runTestOf(run, { command: given, cwd: workdir, timeoutSeconds, around });
  tell(result.passed ? "made" : "failed", result.output);
  if (!result.passed) {
    const how = result.timedOut ? `did not end within ${timeoutSeconds} s` : `failed with exit code ${result.exitCode}`;
    const said = lastLines(result.output, 5).join("\n");
    throw new RuntimeError(`Cannot set up the workspace ${workspace.name}: ${command} ${how}`, {
      hint: `workspace.setup names it.${said === "" ? "" : ` It said:\n${said}`}`,
    });
  }
  if (kept !== undefined && !isUsed) {
    await keepSetup(workspace, { kept, signal }).catch((error) => {
      signal.throwIfAborted();
      record({ type: "warning", message: `what the setup has made could not be kept: ${errorText(error)}` });
    });
  }
  await noteWorkspace({ ...workspace, isSetUp: true, isUsed: true });
}
