import { UsageError } from "../../errors.ts";
import { isJournalOf, readFacts } from "../../run/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { JOBS } from "../mod.ts";
import type { ExecFact } from "./facts.ts";
import { foldFacts } from "./fold.ts";
import { PIPELINE } from "./mod.ts";
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
  throw new UsageError(`Cannot resume run ${folder.id}: it is not a run of "panewright exec"`);
}

/** Like {@linkcode readExecRun}; `undefined` for a run of another command. */
export async function tryReadExecRun(folder: RunFolder): Promise<ReadRun | undefined> {
  const journal = await readFacts(folder.journalPath, JOBS);
  if (!isJournalOf(journal, PIPELINE)) return undefined;
  const state = foldFacts(journal.facts);
  return state.run === undefined ? undefined : { facts: journal.facts, state: { ...state, run: state.run } };
}
