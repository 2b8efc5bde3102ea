import { outputLine } from "../api/output/line.ts";
import { PanewrightError } from "../base/errors.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { JOBS } from "../jobs/mod.ts";
import { readOverview } from "../run/overview.ts";
import type { WorkspacePlan } from "../run/plan.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { deliverBranch, landOnHead } from "../workspace/deliver.ts";
import { keepResult } from "../workspace/result.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { commitOfWork, openPullRequest } from "./requests/pull_request.ts";

interface Delivering {
  readonly how: WorkspacePlan["deliver"];
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly signal: AbortSignal;
}

/**
 * Delivers what a run has passed, as the configuration says, and tells so. What cannot be delivered stays where it is, with
 * the commands of the run's card.
 */
export async function deliverWork(run: RunFolder, workspace: Workspace, around: Delivering): Promise<void> {
  const { how = "leave", io } = around;
  if (how === "leave") return;
  const { progress } = await readOverview(run, JOBS, { brief: true });
  if (progress?.finished?.outcome !== "pass") return;
  try {
    await deliver(workspace, { ...around, how });
  } catch (error) {
    if (!(error instanceof PanewrightError)) throw error;
    const hint = error.hint === undefined ? "" : `${error.hint.replaceAll(/^/gm, "  ")}\n`;
    io.stderr(`panewright: ${error.message}\n${hint}`);
  }
}

async function deliver(
  workspace: Workspace,
  { global, how, io, signal }: Delivering & { readonly how: Exclude<NonNullable<WorkspacePlan["deliver"]>, "leave"> },
): Promise<void> {
  const result = await keepResult(workspace, { signal });
  if (result.files.length === 0) return;
  const { name } = workspace;
  const files = result.files.map(({ path }) => path);
  const tell = (text: string, line: string) => global.json ? io.stdout(line) : io.stderr(`delivered: ${text}\n`);
  if (how === "pull_request") {
    const to = { branch: name, remote: "origin" };
    const { url } = await openPullRequest(workspace, result, {
      ...{ ...to, draft: false, isUnattended: true, signal, env: io.env },
    });
    return tell(sanitizeLine(url), outputLine("workspace_delivered", { name, ...to, url }));
  }
  const { commit } = await commitOfWork(workspace, result, { branch: name, signal });
  if (how === "branch") {
    await deliverBranch(workspace, { commit, of: result.commit, branch: name, signal });
    return tell(`the branch ${name}`, outputLine("workspace_applied", { name, files, branch: name }));
  }
  await landOnHead(workspace, { commit, of: result.commit, signal });
  tell(`the commit ${commit.slice(0, 12)} on what is checked out`, outputLine("workspace_applied", { name, files }));
}
