import { basename } from "@std/path/posix";
import { findRunEntry } from "../../lib/run/run_entry.ts";

/** The journal that a run is resumed by, in the state folder of this home; the run's folder has a copy. */
export function believedJournal(folder: string, home: string): string {
  const entry = findRunEntry({ id: basename(folder), path: folder }, `${home}/.local/state/panewright`);
  if (entry === undefined) throw new Error(`Cannot find the journal of ${folder} below ${home}`);
  return `${entry}/journal.ndjson`;
}
