import type { RunFolder } from "../../run/run_folder.ts";
import { responseText } from "../../handoff/response_reading.ts";
import { sha256Hex } from "../../text/digest.ts";
import type { ReviewFact } from "./facts.ts";
import type { RunState } from "./run_state.ts";

/** A response that was archived, and whose record was not written any more. */
export interface LateResponse {
  readonly event: Extract<ReviewFact, { type: "response_received" }>;
  readonly text: string;
}

/**
 * The response to the open turn that an earlier process has moved to the archive right before it was killed. A name that was
 * only reserved is given back.
 */
export async function findLateResponse(folder: RunFolder, state: RunState): Promise<LateResponse | undefined> {
  const { turn, responses } = state;
  // A turn that waits to be sent to a new agent may have its response from the one before.
  if (turn === undefined || (turn.message === undefined && !turn.interrupted)) return undefined;
  const known = new Set(responses.map(({ path }) => path.replace(/^.*\//, "")));
  const highest = Math.max(0, ...[...known].map((name) => Number.parseInt(name, 10)));
  for (const name of await listNames(folder.responsesDir)) {
    if (known.has(name) || name.replace(/^\d+-/, "") !== `${turn.role}.md` || Number.parseInt(name, 10) <= highest) {
      continue;
    }
    const path = `${folder.responsesDir}/${name}`;
    const content = await Deno.readFile(path);
    const text = responseText(content);
    if (content.length === 0) await Deno.remove(path);
    else if (text !== undefined && text.trim() !== "") {
      const { id: turnId, role } = turn;
      const sha256 = await sha256Hex(content);
      const event = { turnId, role, bytes: content.length, archivedAs: path, sha256, seconds: 0 } as const;
      return { event: { type: "response_received", ...event }, text };
    }
  }
  return undefined;
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
