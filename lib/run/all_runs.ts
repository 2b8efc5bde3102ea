import { basename } from "@std/path/posix";
import { stateFolder } from "../base/ports/state_folder.ts";
import { workdirOf } from "../journal/paths.ts";
import { readPlace } from "./run_entry.ts";
import { isRunId, type RunFolder, runFolderAt } from "./run_folder.ts";

/** All runs that this person has executed, in whatever folder, the newest first; those that are gone are left out. */
export function listAllRuns(state = stateFolder()): readonly RunFolder[] {
  if (state === undefined) return [];
  const ids = namesIn(`${state}/runs`).filter(isRunId).sort().toReversed();
  return ids.flatMap((id) =>
    namesIn(`${state}/runs/${id}`).flatMap((entry) => placeOf(`${state}/runs/${id}/${entry}`))
  );
}

function placeOf(entry: string): readonly RunFolder[] {
  try {
    const path = readPlace(entry);
    const workdir = path === undefined ? undefined : workdirOf(path);
    if (path === undefined || workdir === undefined || !Deno.lstatSync(path).isDirectory) return [];
    return [runFolderAt(workdir, basename(path))];
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}
