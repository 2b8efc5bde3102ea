import { createFileOnce, replaceFile, syncFolder } from "../base/ports/own_files.ts";
import { makeOwnFolder, NO_STATE_FOLDER, stateFolder } from "../base/ports/state_folder.ts";
import { entriesOf, findEntry, placePath, readPlace, realPath, type RunPlace } from "./run_entry.ts";

/**
 * Makes the folder that holds what is believed of a run, unless it is there. It is on the disk when this resolves.
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

/** By what the folder is, so that those who make the entry at the same time make the same one. */
function nameOf({ path }: RunPlace): string {
  const { dev, ino } = Deno.statSync(path);
  return `${dev}-${ino}`;
}
