import { dirname } from "@std/path/posix";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { checkoutAsItIs, keepCheckout } from "../../workspace/checkout.ts";
import { nameOf, readAt, type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import type { TrialRun } from "./trial.ts";

/** Notes what the checkout is that agents are about to work in itself: no commit says it afterwards. */
export async function noteCheckout(
  { folder, record, signal, wallClock }: Pick<TrialRun["run"], "folder" | "record" | "signal" | "wallClock">,
  { evidence, workdir }: Pick<TrialRun["plan"], "workdir" | "evidence">,
): Promise<void> {
  const file = noteOf(folder);
  if (evidence === undefined || file === undefined || workspaceAround(workdir) !== undefined) return;
  try {
    const checkout = await checkoutAsItIs(workdir, { name: nameOf(`run ${folder.id}`), now: wallClock(), signal });
    await replaceFile(file, `${JSON.stringify(checkout)}\n`);
  } catch (error) {
    // Outside of git there is nothing to begin with.
    if (error instanceof UsageError || error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof RuntimeError)) throw error;
    record({ type: "warning", message: `what this run does to tests will not be looked into: ${error.message}` });
  }
}

/** What the checkout was when the run began; `undefined` where nothing was noted then. */
export function notedCheckout({ folder }: Pick<TrialRun["run"], "folder">): Workspace | undefined {
  const file = noteOf(folder);
  return file === undefined ? undefined : readAt(file);
}

/** The commit of what a checkout is now, or why that cannot be told. */
export async function keptOfCheckout(
  checkout: Workspace,
  { signal }: Pick<TrialRun["run"], "signal">,
): Promise<{ readonly commit: string } | { readonly problem: string }> {
  try {
    return { commit: await keepCheckout(checkout, { signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError || error instanceof UsageError)) throw error;
    return { problem: error.message };
  }
}

/** Beside the journal that is believed: no agent in a sandbox can write there. */
function noteOf({ copyPath, journalPath }: TrialRun["run"]["folder"]): string | undefined {
  return journalPath === copyPath ? undefined : `${dirname(journalPath)}/checkout.json`;
}
