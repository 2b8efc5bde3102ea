import { dirname } from "@std/path/posix";
import { assertOwn, stateFolder } from "../base/ports/state_folder.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { workdirOf } from "../journal/paths.ts";
import { findCarried } from "./carried.ts";

/** A run's folder in a working directory. */
export interface RunPlace {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
}

const MAX_PLACE_BYTES = 4096;

/**
 * The folder in the person's state folder that holds what is believed of a run: its journal, what it is bound to, and
 * what was said to it. No agent in a sandbox can write there. A copy of a run has not that of its original; one that was
 * moved keeps its own.
 *
 * @returns undefined where there is none, or others can write to it
 */
export function findRunEntry(run: RunPlace, state = stateFolder()): string | undefined {
  try {
    return state === undefined ? undefined : findEntry(run, state);
  } catch {
    return undefined;
  }
}

/** The folders of all runs with this id but this one's own. */
export function otherEntries(run: RunPlace, state: string): readonly string[] {
  const own = findEntry(run, state);
  return pathsIn(entriesOf(run, state)).filter((entry) => entry !== own);
}

/**
 * What of the entries under a run's id is this run's: runs of other folders may have the same id, as copies have, and a
 * journal, which an agent can write, does not say which one it is.
 */
export function findEntry(run: RunPlace, state: string): string | undefined {
  const entries = entriesOf(run, state);
  if (lstatOrUndefined(entries) === undefined) return undefined;
  for (const folder of [state, `${state}/runs`, entries]) assertOwn(folder);
  const real = realPath(run);
  const found = pathsIn(entries).flatMap((entry) => {
    const place = readPlace(entry);
    const carried = place === undefined ? undefined : findCarried({ path: real }, place);
    return place === undefined || carried?.isCopy === true ? [] : [{ entry, isHere: carried === undefined }];
  });
  return (found.find(({ isHere }) => isHere) ?? found[0])?.entry;
}

function pathsIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`).sort();
}

export function entriesOf({ id }: RunPlace, state: string): string {
  return `${state}/runs/${id}`;
}

/** Where the run was when it was last executed; undefined while the entry is being made, and where that is nowhere. */
export function readPlace(entry: string): string | undefined {
  try {
    assertOwn(entry);
    const place = readRegularText(placePath(entry), { maxBytes: MAX_PLACE_BYTES });
    return workdirOf(place) === undefined ? undefined : place;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

export function placePath(entry: string): string {
  return `${entry}/place`;
}

export function realPath({ path }: RunPlace): string {
  return Deno.realPathSync(path);
}

export function removeRunEntry(run: RunPlace, state = stateFolder()): void {
  const entry = findRunEntry(run, state);
  if (entry === undefined) return;
  Deno.removeSync(entry, { recursive: true });
  try {
    Deno.removeSync(dirname(entry));
  } catch { /* a copy of the run has its own there */ }
}

/** Removes what is kept of all runs of a working directory that is about to go. */
export function removeEntriesOf(workdir: string): void {
  const runs = `${workdir}/.panewright/runs`;
  if (lstatOrUndefined(runs) === undefined) return;
  for (const { name: id } of Deno.readDirSync(runs)) removeRunEntry({ id, path: `${runs}/${id}` });
}

/** A run, as its folder tells where it is kept. */
export interface KeptRun {
  readonly journalPath: string;
  readonly copyPath: string;
}

/** Its folder in the state folder, where its journal is. */
export function entryOf({ copyPath, journalPath }: KeptRun): string | undefined {
  return journalPath === copyPath ? undefined : dirname(journalPath);
}

/** The job of a fleet whose run it is; undefined for a run of this machine. */
export function jobElsewhere(run: KeptRun): string | undefined {
  const entry = entryOf(run);
  if (entry === undefined || lstatOrUndefined(jobPath(entry)) === undefined) return undefined;
  assertOwn(jobPath(entry));
  return readRegularText(jobPath(entry), { maxBytes: MAX_PLACE_BYTES });
}

export function jobPath(entry: string): string {
  return `${entry}/job`;
}
