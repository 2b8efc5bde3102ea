import { dirname } from "@std/path/posix";
import { assertOwn, makeOwnFolder, NO_STATE_FOLDER, stateFolder } from "../base/ports/state_folder.ts";
import { createFileOnce, replaceFile, syncFolder } from "../base/ports/own_files.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { compareText } from "../base/text/order.ts";
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

/**
 * Makes that folder, unless it is there. It is on the disk when this resolves.
 *
 * @throws {Error} when it cannot be written, or not by this person alone
 */
export async function claimRunEntry(run: RunPlace, state = stateFolder()): Promise<string> {
  if (state === undefined) throw new Error(NO_STATE_FOLDER);
  const entries = entriesOf(run, state);
  const above = [state, `${state}/runs`, entries];
  for (const folder of above) makeOwnFolder(folder);
  const entry = findEntry(run, state) ?? `${entries}/${nameOf(run)}`;
  makeOwnFolder(entry);
  const real = realPath(run);
  const isNew = await createFileOnce(placePath(entry), real);
  if (isNew) above.forEach(syncFolder);
  else if (readPlace(entry) !== real) await replaceFile(placePath(entry), real, { durable: true });
  return entry;
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
function findEntry(run: RunPlace, state: string): string | undefined {
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
  return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`).toSorted(compareText);
}

function entriesOf({ id }: RunPlace, state: string): string {
  return `${state}/runs/${id}`;
}

/** By what the folder is, so that those who make the entry at the same time make the same one. */
function nameOf({ path }: RunPlace): string {
  const { dev, ino } = Deno.statSync(path);
  return `${dev}-${ino}`;
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

function placePath(entry: string): string {
  return `${entry}/place`;
}

function realPath({ path }: RunPlace): string {
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
