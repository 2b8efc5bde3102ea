import { RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import type { RunFactOf } from "../journal/run_facts.ts";
import { keepTurn } from "../workspace/turns.ts";
import { workspaceAround } from "../workspace/workspace.ts";

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
