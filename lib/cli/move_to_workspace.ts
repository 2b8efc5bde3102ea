import { outputLine } from "../api/output/line.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { keepResult } from "../workspace/result.ts";
import { workspaceAround } from "../workspace/workspace.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { type ExecConfig, type ExecConfigOptions, loadExecConfig } from "./exec_config.ts";
import { openedText, resultText, workspaceFields } from "./show/workspace_words.ts";

interface Around {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

/** Makes a workspace of the folder that a configuration names, and reads that configuration for it. */
export async function moveToWorkspace(
  config: ExecConfigOptions,
  { global, io, read: { plan: { workdir } }, warn, workspaceFor: task = "" }: Around & {
    readonly read: ExecConfig;
    readonly warn: (message: string) => void;
    readonly workspaceFor?: string;
  },
): Promise<ExecConfig> {
  const workspace = await openWorkspace(workdir, { task, now: new Date(), signal: io.signal });
  if (global.json) io.stdout(outputLine("workspace", workspaceFields(workspace)));
  else if (!global.quiet) io.stderr(`${openedText(workspace)}\n`);
  return await loadExecConfig(
    io,
    { ...config, flags: { ...config.flags, wd: workspace.workdir }, programsNeeded: false },
    ({ where, message }) => warn(`${where}: ${message}`),
  );
}

/** Brings home what was done in a workspace, and tells what can be done with it; nothing for another folder. */
export async function tellWorkspace(workdir: string, { global, io }: Around): Promise<void> {
  const workspace = workspaceAround(workdir);
  if (workspace === undefined) return;
  // Also for a run that was interrupted: nothing of it is to be lost.
  const result = await keepResult(workspace, { signal: new AbortController().signal });
  if (global.json) io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
  else if (!global.quiet) io.stderr(`\n${resultText(workspace, result)}`);
}
