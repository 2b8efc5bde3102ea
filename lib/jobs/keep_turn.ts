import { RuntimeError, UsageError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { runCommandLine } from "../run/command_line.ts";
import type { RunFactOf } from "../journal/run_facts.ts";
import { beginApart, endApart, keepTurn } from "../workspace/turns.ts";
import { type Workspace, workspaceAround } from "../workspace/workspace.ts";

interface Keeping {
  readonly workdir: string;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
  readonly record: (fact: RunFactOf<"warning">) => void;
}

/** Keeps what a turn has made in a workspace; elsewhere nothing is. What cannot be kept is told, and the run continues. */
export async function keepTurnOf(of: string, { record, signal, wallClock, workdir }: Keeping): Promise<void> {
  const workspace = workspaceAround(workdir);
  if (workspace === undefined || signal.aborted) return;
  try {
    await keepTurn(workspace, { of, now: wallClock(), signal });
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof RuntimeError)) throw error;
    record({ type: "warning", message: `what ${of} has done could not be kept as a turn: ${errorText(error)}` });
  }
}

/**
 * Begins the turn of a role that works apart: nothing of what it changes stays.
 *
 * @throws {UsageError} where the run works in no workspace
 */
export async function beginTurnApart(of: string, { signal, wallClock, workdir }: Keeping): Promise<void> {
  await beginApart(requireWorkspace(workdir, of), { of, now: wallClock(), signal });
}

/** Puts back what was changed in a turn of a role that works apart, and tells of it; also in one of an earlier process. */
export async function endTurnApart({ record, signal, wallClock, workdir }: Keeping): Promise<void> {
  const workspace = workspaceAround(workdir);
  if (workspace?.apart === undefined) return;
  const { of } = workspace.apart;
  const changed = await endApart(workspace, { now: wallClock(), signal });
  if (changed === undefined) return;
  const { files, number } = changed;
  const some = files.length > MOST_NAMED ? [...files.slice(0, MOST_NAMED), `${files.length - MOST_NAMED} more`] : files;
  const diff = runCommandLine(["diff", workspace.name, "--turn", `${number}`]);
  record({ type: "warning", message: `what ${of} has changed is put back: ${some.join(", ")}; to see it: ${diff}` });
}

/**
 * @param who whose changes are not to stay
 * @throws {UsageError} where the run works in no workspace
 */
export function requireWorkspace(workdir: string, who: string): Workspace {
  const workspace = workspaceAround(workdir);
  if (workspace !== undefined && workspace.isTarget !== true) return workspace;
  throw new UsageError(`Cannot put back what ${who} changes: the run works in the checkout itself`, {
    hint: "Have it work in a workspace: --workspace, or isolation: workspace.",
  });
}

const MOST_NAMED = 5;
