import { UsageError } from "../../errors.ts";
import { readJournal } from "../../run/read_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { ExecFact } from "./facts.ts";
import { foldFacts } from "./fold.ts";
import type { ExecState, RunHead } from "./state.ts";

/** A run of `panewright exec` as its journal has it. */
export interface ReadRun {
  readonly facts: readonly ExecFact[];
  readonly state: ExecState & { readonly run: RunHead };
}

/**
 * Reads a run of `panewright exec`.
 *
 * @throws {UsageError} when the run is one of another command
 * @throws {PanewrightError} when its journal cannot be read
 */
export async function readExecRun(folder: RunFolder): Promise<ReadRun> {
  const found = await tryReadExecRun(folder);
  if (found !== undefined) return found;
  throw new UsageError(`Cannot go on with run ${folder.id}: it is none of "panewright exec"`);
}

/** Like {@linkcode readExecRun}; `undefined` for a run of another command. */
export async function tryReadExecRun(folder: RunFolder): Promise<ReadRun | undefined> {
  const [, ...records] = await readJournal(folder.journalPath);
  const [first] = records;
  if (first?.type !== "run_started" || !("job" in first) || first.job !== "exec") return undefined;
  // Records are facts with their time: panewright itself wrote them, and the fold passes over what it does not know.
  const facts = records as unknown as readonly ExecFact[];
  const state = foldFacts(facts);
  return state.run === undefined ? undefined : { facts, state: { ...state, run: state.run } };
}
