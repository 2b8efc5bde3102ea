import { listRunIds } from "../../lib/run/find_run.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import type { Stage } from "./stage.ts";

/** A record, as far as it decides what is done next. */
export interface SeenRecord {
  readonly type: string;
  readonly outcome?: string;
  readonly reason?: string;
}

/** The run of a project, as far as its journal tells now. */
export interface RunSoFar {
  readonly folder: RunFolder;
  readonly records: readonly SeenRecord[];
  /** Whether it is over, and has passed. */
  readonly passed: boolean;
}

/** The run that has begun; undefined before the first record that says so. */
export async function readRun({ sandbox: { project } }: Stage): Promise<RunSoFar | undefined> {
  for (const id of (await listRunIds(project)).toReversed()) {
    const folder = runFolderAt(project, id);
    const text = await Deno.readTextFile(folder.journalPath).catch(() => "");
    const records: readonly SeenRecord[] = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    if (!records.some(({ type }) => type === "run_started")) continue;
    const last = records.at(-1);
    const passed = last?.type === "run_finished" && last.outcome === "pass";
    return { folder, records, passed };
  }
  return undefined;
}
