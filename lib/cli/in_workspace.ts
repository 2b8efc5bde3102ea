import { basename } from "@std/path/posix";
import { outputLine } from "../api/output/line.ts";
import { errorText } from "../base/text/error_text.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { requireRoom } from "../workspace/disk.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { emptyIn, keepResult, removeWorkspace } from "../workspace/result.ts";
import { present } from "../base/schema.ts";
import { workdirOf } from "../journal/paths.ts";
import type { WorkspacePlan } from "../run/plan.ts";
import { type RunFolder, runFolderAt } from "../run/run_folder.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type CliIo, type GlobalFlags, switchFlag } from "./console/command.ts";
import { openedText, resultText, workspaceFields } from "./show/workspace_words.ts";

export const WORKSPACE_FLAG = switchFlag(
  "work in a clone of the repository, apart from your checkout; panewright apply brings the result into it",
);

interface Around {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

/** Makes a workspace of a folder, and tells where it is. */
export async function beginWorkspace(
  folder: string,
  { global, io, plan: { maxDiskBytes, share }, task }: Around & {
    readonly plan: WorkspacePlan;
    readonly task: string;
  },
): Promise<Workspace> {
  if (maxDiskBytes !== undefined) {
    const warn = (message: string) => io.stderr(`panewright: ${message}\n`);
    await requireRoom(maxDiskBytes, { signal: io.signal, warn });
  }
  const workspace = await openWorkspace(folder, { share, task, now: new Date(), signal: io.signal });
  const empty = await emptyIn(workspace, { signal: io.signal });
  if (empty.length > 0) {
    const [what, it] = empty.length === 1 ? ["a repository of its own", "it"] : ["repositories of their own", "them"];
    io.stderr(
      `panewright: empty in the workspace: ${
        sanitizeLine(empty.join(", "))
      }, ${what}; workspace.setup can fetch ${it}\n`,
    );
  }
  if (global.json) io.stdout(outputLine("workspace", workspaceFields(workspace)));
  else if (!global.quiet) io.stderr(`${openedText(workspace)}\n`);
  return workspace;
}

interface Ended extends Around {
  /** The run's folder, where it has begun. */
  readonly folder: string | undefined;
  /** Whether the workspace was made for it. @default {false} */
  readonly isNew?: boolean;
  /** `evidence.sign`. */
  readonly key?: string | undefined;
  readonly deliver?: WorkspacePlan["deliver"];
  /** As of a review loop. @default {false} */
  readonly leavesNothing?: boolean;
}

/** Brings home what was done in the workspace of a run, if it has one, and shows what came of the run. */
export async function tellEnd(
  workspace: Workspace | undefined,
  { deliver, folder, global, io, isNew = false, key, leavesNothing }: Ended,
): Promise<void> {
  const run = folder === undefined ? undefined : runAt(folder);
  const { signal } = new AbortController();
  if (run !== undefined && (workspace !== undefined || key !== undefined)) {
    const { keepEvidence } = await import("./keep_evidence.ts");
    const warn = (message: string) => io.stderr(`panewright: ${message}\n`);
    await keepEvidence(run, { key, home: io.env("HOME") ?? "~", signal, warn });
  }
  if (run !== undefined && workspace !== undefined) {
    const { deliverWork } = await import("./deliver_work.ts");
    await deliverWork(run, workspace, { how: deliver, io, global, signal });
  }
  if (run !== undefined && !global.json) {
    const { showCard } = await import("./end_card.ts");
    return await showCard(run, { io, global, signal, ...present({ leavesNothing }) });
  }
  if (workspace === undefined) return;
  // Also for a run that was interrupted: nothing of it is to be lost.
  const result = await keepResult(workspace, { signal }).catch((error) => {
    const { name, tree } = workspace;
    io.stderr(`What was done in the workspace ${name} is in no commit yet, only in ${tree}: ${errorText(error)}\n`);
  });
  if (result === undefined) return;
  // No run has begun in it: another one has the same key, say.
  if (isNew && folder === undefined && result.files.length === 0) {
    await removeWorkspace(workspace, result, { signal });
    return;
  }
  if (global.json) io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
  else if (!global.quiet) io.stderr(`\n${resultText(workspace, result)}`);
}

/** The run whose folder this is. */
function runAt(folder: string): RunFolder | undefined {
  const workdir = workdirOf(folder);
  return workdir === undefined ? undefined : runFolderAt(workdir, basename(folder));
}
