import { dirname } from "@std/path/posix";
import { changedSinceNoted, isNoted, noteTests } from "../../evidence/noted_tests.ts";
import { partsBy } from "../../evidence/test_files.ts";
import type { ChangedTestFile } from "../../evidence/remarks.ts";
import { workspaceAround } from "../../workspace/workspace.ts";
import { listByGit, UntoldError } from "../files/list.ts";
import type { TrialRun } from "./trial.ts";

/** Notes what is known of the tests before an agent has worked in the checkout itself: no commit says it afterwards. */
export async function noteTestsOf(
  run: Pick<TrialRun["run"], "folder" | "signal">,
  { evidence, workdir }: Pick<TrialRun["plan"], "workdir" | "evidence">,
): Promise<void> {
  const file = noteOf(run.folder);
  if (evidence === undefined || file === undefined || workspaceAround(workdir) !== undefined) return;
  const paths = await pathsIn(workdir, run.signal);
  if (paths !== undefined) await noteTests(file, { workdir, paths, partOf: partsBy(evidence.tests ?? []) });
}

/** What was changed of the tests of the checkout itself since the run began; `undefined` where nothing was noted then. */
export async function testsSinceNoted(
  { folder, signal }: Pick<TrialRun["run"], "folder" | "signal">,
  { evidence, workdir }: Pick<TrialRun["plan"], "workdir" | "evidence">,
): Promise<{ readonly files: readonly ChangedTestFile[] | undefined } | undefined> {
  const note = noteOf(folder);
  if (note === undefined || !isNoted(note)) return undefined;
  const paths = await pathsIn(workdir, signal);
  return { files: paths && await changedSinceNoted(note, { workdir, paths, partOf: partsBy(evidence?.tests ?? []) }) };
}

/** Beside the journal that is believed: no agent in a sandbox can write there. */
function noteOf({ copyPath, journalPath }: TrialRun["run"]["folder"]): string | undefined {
  return journalPath === copyPath ? undefined : `${dirname(journalPath)}/tests.json`;
}

async function pathsIn(workdir: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  try {
    return await listByGit({ folder: workdir, signal });
  } catch (error) {
    if (error instanceof UntoldError) return undefined;
    throw error;
  }
}
