import { UsageError } from "../base/errors.ts";
import { type CheckoutWork, checkoutWork } from "../jobs/evidence/noted.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import type { CliIo } from "./console/command.ts";
import { findMeantRun } from "./find_named_run.ts";
import { workspacesOf } from "./meant_workspace.ts";

/** What a run has changed in the checkout itself. */
export interface MeantCheckout {
  readonly run: RunFolder;
  readonly work: CheckoutWork;
}

/**
 * What the run that is meant has changed in the checkout itself: by name, or the newest here where there is no workspace.
 * What there is now where no end was noted; `undefined` where a workspace is meant, or nothing is known of it.
 */
export async function meantCheckout(name: string | undefined, io: CliIo): Promise<MeantCheckout | undefined> {
  const isApart = name === undefined
    ? (await workspacesOf(io)).some(({ partOf }) => partOf === undefined)
    : findWorkspace(name) !== undefined;
  if (isApart) return undefined;
  try {
    const run = await findMeantRun(io, name, undefined);
    const work = await checkoutWork(run, { signal: io.signal, orNow: true });
    return work && { run, work };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return undefined;
  }
}
