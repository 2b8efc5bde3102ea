import { createRedactor, type Redactor } from "../../base/redact/redactor.ts";
import { errorText } from "../../base/text/error_text.ts";
import { workdirOf } from "../../journal/paths.ts";
import { jobElsewhere } from "../../run/run_entry.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { checkoutWork } from "../../jobs/evidence/noted.ts";
import { inStore } from "../../workspace/git.ts";
import { changedBetween, keepResult, type WorkspaceResult } from "../../workspace/result.ts";
import { findWorkspace, type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import { readHeader, readReport } from "../report/read_report.ts";
import { type Card, cardOf } from "./card.ts";

interface Reading {
  readonly now: Date;
  readonly signal: AbortSignal;
  readonly redactor?: Redactor;
}

/** Reads how a run stands, and brings home what was done in its workspace: what the card says of it is so. */
export async function readCard(
  folder: RunFolder,
  { now, redactor = createRedactor([]), signal }: Reading,
): Promise<Card> {
  const collector = readReport(folder, redactor);
  const header = await readHeader(folder, collector);
  const workspace = workspaceOf(folder, collector.state.progress?.target);
  const kept = header.executed
    ? {}
    : workspace === undefined
    ? { inCheckout: await changedInCheckout(folder, signal) }
    : await resultOf(workspace, signal);
  const { finished, remarks } = collector.state.progress ?? {};
  return cardOf({ header, items: collector.items() }, {
    now,
    workspace,
    finished,
    remarks,
    elsewhere: jobElsewhere(folder),
    ...kept,
  });
}

/** What its tasks come together in, or what its agents have worked in; `undefined` for the checkout itself. */
export function workspaceOf(folder: RunFolder, target: string | undefined): Workspace | undefined {
  return target === undefined ? workspaceAround(workdirOf(folder.path) ?? "") : findWorkspace(target);
}

/** What a run has changed in the checkout itself; `undefined` where that is not known, or not any more. */
async function changedInCheckout(
  folder: RunFolder,
  signal: AbortSignal,
): Promise<WorkspaceResult["files"] | undefined> {
  try {
    const work = await checkoutWork(folder, { signal });
    return work && await changedBetween([work.base, work.commit], inStore(work.store, signal));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function resultOf(
  workspace: Workspace,
  signal: AbortSignal,
): Promise<{ readonly result: WorkspaceResult } | { readonly notKept: string }> {
  try {
    return { result: await keepResult(workspace, { signal }) };
  } catch (error) {
    signal.throwIfAborted();
    return { notKept: `what was done is in no commit yet, only in ${workspace.tree}: ${errorText(error)}` };
  }
}
