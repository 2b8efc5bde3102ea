import type { RunState } from "./state.ts";
import { tidyArchive, writeToArchive } from "../../turn/archive.ts";
import { nextAction } from "./machine.ts";
import type { RunParts } from "./run_parts.ts";
import { lookAtResponsePath, responsePathOf } from "../../turn/response_files.ts";
import { responseText } from "../../turn/response_reading.ts";
import { removeIfThere } from "../../base/ports/files.ts";
import { MAX_KEPT_BYTES } from "./messages.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import type { Role } from "../../base/roles.ts";
import { keepResponse, type RunFolder } from "../../run/run_folder.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { endTurnApart } from "../keep_turn.ts";
import { errorText } from "../../base/text/error_text.ts";
import { keepTurnChanges } from "./turn_changes.ts";
import { lookUpNames } from "./existing_names.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { OpenTurn } from "../../journal/loop/state.ts";

interface LateResponse {
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
  const late = await findLate({ archiveDir: folder.responsesDir, known, turn, workdir });
  if (late === undefined || turn === undefined) return undefined;
  const { id: turnId, role } = turn;
  const { text, ...file } = late;
  const event = { turnId, role, ...file, seconds: 0, ...lookUpNames(workdir, { role, text }) };
  return { event: { type: "response_received", ...event }, text };
}

async function findLateReplies(
  folder: RunFolder,
  { messages, head: { workdir } }: Pick<RunState, "messages" | "head">,
): Promise<readonly Extract<ReviewFact, { type: "message_answered" }>[]> {
  const found = messages.filter(({ turn }) => turn !== undefined).map(async ({ id: messageId, role, turn }) => {
    const archiveDir = `${folder.repliesDir}/${messageId}`;
    const late = await findLate({ archiveDir, known: new Set(), turn, workdir });
    if (late === undefined) return [];
    const { text: _, ...file } = late;
    return [{ type: "message_answered", messageId, role, ...file, seconds: 0 } as const];
  });
  return (await Promise.all(found)).flat();
}

interface LateFile {
  readonly bytes: number;
  readonly archivedAs: string;
  readonly sha256: string;
  readonly text: string;
}

async function findLate({ archiveDir, known, turn, workdir }: {
  readonly archiveDir: string;
  readonly known: ReadonlySet<string>;
  readonly turn: OpenTurn | undefined;
  readonly workdir: string;
}): Promise<LateFile | undefined> {
  const names = tidyArchive(archiveDir, { known });
  // A turn that waits to be sent to a new agent may have its response from the one before.
  if (turn === undefined || (turn.message === undefined && !turn.interrupted)) return undefined;
  const highest = Math.max(0, ...[...known].map((name) => Number.parseInt(name, 10)));
  for (const name of names) {
    if (known.has(name) || name.replace(/^\d+-/, "") !== `${turn.role}.md` || Number.parseInt(name, 10) <= highest) {
      continue;
    }
    const archivedAs = `${archiveDir}/${name}`;
    const content = readRegularFile(archivedAs, { maxBytes: MAX_KEPT_BYTES });
    const original = readOriginal(workdir, turn.role);
    const text = responseText(content);
    if (original !== undefined && isBegunCopy(content, original)) await Deno.remove(archivedAs);
    else if (text !== undefined && text.trim() !== "") {
      const sha256 = await sha256Hex(content);
      const isCopied = original !== undefined && await sha256Hex(original) === sha256;
      if (isCopied) removeIfThere(responsePathOf(workdir, turn.role));
      return { bytes: content.length, archivedAs, sha256, text };
    }
  }
  return undefined;
}

function readOriginal(workdir: string, role: Role): Uint8Array<ArrayBuffer> | undefined {
  const { info, problem } = lookAtResponsePath(workdir, role);
  if (info === undefined || problem !== undefined) return undefined;
  return readRegularFile(responsePathOf(workdir, role), { maxBytes: MAX_KEPT_BYTES });
}

/**
 * Whether a file is an unfinished copy. Earlier versions copied straight to the name under which a response is
 * archived.
 */
function isBegunCopy(content: Uint8Array, original: Uint8Array): boolean {
  return content.length < original.length && content.every((byte, index) => byte === original[index]);
}

/** Does what an earlier process of the run could not do any more, and takes the turns that were done in another run. */
export async function makeUp(parts: RunParts): Promise<void> {
  const { plan: { workdir }, folder, state, record } = parts;
  const late = await findLateResponse(folder, state());
  if (late !== undefined) record(late.event, late.text);
  for (const reply of await findLateReplies(folder, state())) record(reply);
  await keepTurnChanges({ ...parts, workdir }).makeUp();
  await takeTurns(parts);
  if (state().turn === undefined) await endTurnApart({ ...parts, workdir });
}

/** Puts back what the role has changed in whose turn, apart, the run has ended: by a stop, too, which is no reason not to. */
export async function endOpenTurnApart({ plan: { workdir }, record, wallClock }: RunParts): Promise<void> {
  try {
    await endTurnApart({ workdir, record, wallClock, signal: new AbortController().signal });
  } catch (error) {
    // Why the run has ended is told; to resume it puts back what is left.
    record({ type: "warning", message: errorText(error) });
  }
}

/** Records the turns that were done in another run: those that the loop comes to first. No agent is asked for them. */
async function takeTurns({ folder, record, state, taken }: RunParts): Promise<void> {
  if (taken === undefined || Object.keys(state().agents).length > 0) return;
  const turns = await taken();
  for (;;) {
    for (const fact of state().untold) record(fact);
    const action = nextAction(state().loop);
    const turn = action.do === "run_attempt" ? turns.find(({ turnId }) => turnId === action.at.id) : undefined;
    if (action.do !== "run_attempt" || turn === undefined) return;
    const { text, ...about } = turn;
    const { role, round, cycle } = action.at;
    const { takenFrom, turnId } = turn;
    record({ type: "turn_started", turnId, role, round, cycle, promptBytes: 0, takenFrom });
    const { path: archivedAs, bytes } = writeToArchive(text, { archiveDir: folder.responsesDir, label: role });
    const content = new TextEncoder().encode(text);
    const sha256 = await sha256Hex(content);
    keepResponse(folder, { path: archivedAs, bytes: content });
    record({ type: "response_received", role, bytes, archivedAs, sha256, seconds: 0, ...about }, text);
  }
}
