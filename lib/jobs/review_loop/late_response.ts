import { tidyArchive } from "../../handoff/archive.ts";
import { lookAtResponsePath, responsePathFor } from "../../handoff/response_files.ts";
import { responseText } from "../../handoff/response_reading.ts";
import { removeIfThere } from "../../ports/files.ts";
import { MAX_KEPT_BYTES } from "./messages.ts";
import { readRegularFile } from "../../ports/regular_file.ts";
import type { Role } from "../../roles.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { sha256Hex } from "../../text/digest.ts";
import { lookUpNames } from "./existing_names.ts";
import type { ReviewFact } from "./facts.ts";
import type { RunState } from "./run_state.ts";

/** A response that was archived, and whose record was not written any more. */
export interface LateResponse {
  readonly event: Extract<ReviewFact, { type: "response_received" }>;
  readonly text: string;
}

/**
 * Finds the response to the open turn that an earlier process moved to the archive right before it was killed, and
 * clears up what that process left half done: reserved names, unfinished copies, and the original of a copy that was
 * finished.
 */
export async function findLateResponse(folder: RunFolder, state: RunState): Promise<LateResponse | undefined> {
  const { turn, responses, head: { workdir } } = state;
  const known = new Set(responses.map(({ path }) => path.replace(/^.*\//, "")));
  const names = tidyArchive(folder.responsesDir, { known });
  // A turn that waits to be sent to a new agent may have its response from the one before.
  if (turn === undefined || (turn.message === undefined && !turn.interrupted)) return undefined;
  const highest = Math.max(0, ...[...known].map((name) => Number.parseInt(name, 10)));
  for (const name of names) {
    if (known.has(name) || name.replace(/^\d+-/, "") !== `${turn.role}.md` || Number.parseInt(name, 10) <= highest) {
      continue;
    }
    const path = `${folder.responsesDir}/${name}`;
    const content = readRegularFile(path, { maxBytes: MAX_KEPT_BYTES });
    const original = readOriginal(workdir, turn.role);
    const text = responseText(content);
    if (original !== undefined && isBegunCopy(content, original)) await Deno.remove(path);
    else if (text !== undefined && text.trim() !== "") {
      const { id: turnId, role } = turn;
      const sha256 = await sha256Hex(content);
      if (original !== undefined && await sha256Hex(original) === sha256) removeIfThere(responsePathFor(workdir, role));
      const event = {
        turnId,
        role,
        bytes: content.length,
        archivedAs: path,
        sha256,
        seconds: 0,
        ...lookUpNames(workdir, { role, text }),
      };
      return { event: { type: "response_received", ...event }, text };
    }
  }
  return undefined;
}

/** What stands at a role's response path, where that is a file. */
function readOriginal(workdir: string, role: Role): Uint8Array<ArrayBuffer> | undefined {
  const { info, problem } = lookAtResponsePath(workdir, role);
  if (info === undefined || problem !== undefined) return undefined;
  return readRegularFile(responsePathFor(workdir, role), { maxBytes: MAX_KEPT_BYTES });
}

/**
 * Whether a file is an unfinished copy. Earlier versions copied straight to the name under which a response is
 * archived.
 */
function isBegunCopy(content: Uint8Array, original: Uint8Array): boolean {
  return content.length < original.length && content.every((byte, index) => byte === original[index]);
}
