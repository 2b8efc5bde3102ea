import { placeBelow, spoolAt, type SpoolPlace } from "../agents/spool.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import { sha256Hex } from "../base/text/digest.ts";
import type { RunFolder } from "./run_folder.ts";

/**
 * What a run is called in the person's state folder: by its id. A copy is called by its place as well: what its
 * original has there is not its own.
 */
export async function nameInState({ id, path }: Pick<RunFolder, "id" | "path">, isCopy: boolean): Promise<string> {
  return isCopy ? `${id}-${(await sha256Hex(path)).slice(0, 8)}` : id;
}

/**
 * Where the hooks of a run's agents ask and tell. It is the person's: one in the working directory could be written by
 * an agent in a sandbox. `undefined` where the person has no state folder.
 *
 * @param name the run's, as {@linkcode nameInState} has it
 * @param below of them, those of one agent, or for one purpose: `roles/tester`
 */
export function hooksOf(name: string, below?: string): SpoolPlace | undefined {
  const state = stateFolder();
  return state === undefined ? undefined : placeBelow(spoolAt(`${state}/hooks/${name}`), below);
}

/** Absolute path of the folder of a run's agents in the sandbox around them: their settings, sessions and temporary files. */
export function agentsFolderOf(name: string): string | undefined {
  const state = stateFolder();
  return state === undefined ? undefined : `${state}/sandbox/${name}`;
}
