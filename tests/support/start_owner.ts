import type { RunFolder } from "../../lib/run/run_folder.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import { cleanEnvironment } from "./run_panewright.ts";
import { until } from "./until.ts";

/** A process that holds a run's lock, as the panewright that executes it does. */
export async function startOwner({ lockPath }: RunFolder, ...mode: readonly string[]): Promise<RunningProgram> {
  const script = new URL("hold_lock.ts", import.meta.url).pathname;
  const argv = [Deno.execPath(), "run", "--quiet", "--no-check", "-A", script, lockPath, ...mode] as const;
  const owner = startProgram(argv, { cwd: "/", env: cleanEnvironment() });
  await until(() => owner.output.stdout.includes("held"));
  return owner;
}
