import { type StopOptions, stopRun as stop } from "../../jobs/stop_run.ts";
import { resumeCommandOf, runCommandLine } from "../../run/command_line.ts";
import { present } from "../../base/schema.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
// A type only: zod is not loaded for it.
import type { OutputFields } from "../output/outputs.ts";

/** @param options.wd the run's working directory as the person named it, where they did */
export async function stopRun(
  folder: RunFolder,
  { wd, ...options }: Omit<StopOptions, "resumeCommand"> & { readonly wd?: string | undefined },
): Promise<{ readonly told: OutputFields["run_stopped"]; readonly overview: RunOverview }> {
  const resumeCommand = runCommandLine(["resume", folder.id], wd);
  const { pid = null, endedAgents, agentsAlive, overview } = await stop(folder, { ...options, resumeCommand });
  const { condition: state } = overview;
  const next = present({ resumeCommand: resumeCommandOf(overview, wd) });
  const told = { run: folder.id, pid, endedAgents, agentsAlive, state, ...next };
  return { told, overview };
}
