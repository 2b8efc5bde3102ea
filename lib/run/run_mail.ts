import { dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { noteBegun } from "../turn/desk/giver.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder, STATE_FOLDER_HINT, stateFolder } from "../base/ports/state_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { type Carried, findCarried } from "./carried.ts";
import { workdirOf } from "../journal/paths.ts";
import { findRunEntry, otherEntries, readPlace, type RunPlace } from "./run_entry.ts";

/**
 * Where what is said to a run from outside is left. It is in the person's state folder: in the run's own folder an agent
 * in a sandbox could write, and answer its own question.
 */
export interface RunMail {
  /** Answers that were given, a file a question; absolute path. */
  readonly answersDir: string;
  /** Messages for agents of a review loop, a file a message; absolute path. */
  readonly inboxDir: string;
}

interface ClaimMailOptions {
  readonly state?: string | undefined;
  readonly taker?: string;
}

const MAX_TAKER_BYTES = 4096;

/**
 * Where what is said to a run is left, as far as a process that executes it, or somebody who left something there, has
 * made it. A copy of a run has not that of its original; one that was moved keeps its own.
 *
 * @param state the person's state folder
 * @returns undefined where there is none, or others can write to it
 */
export function findRunMail(run: RunPlace, state = stateFolder()): RunMail | undefined {
  const entry = findRunEntry(run, state);
  return entry === undefined ? undefined : mailIn(entry);
}

/**
 * Makes the place where what is said to a run is left, unless it is there. It is on the disk when this resolves.
 *
 * @throws {UsageError} `bad_input` when there is no state folder, or it cannot be written, or not by this person alone
 */
export async function claimRunMail(
  run: RunPlace,
  { state = stateFolder(), taker }: ClaimMailOptions = {},
): Promise<RunMail> {
  try {
    const { claimRunEntry } = await import("./claim_run_entry.ts");
    const mail = mailIn(await claimRunEntry(run, state));
    for (const folder of [mail.answersDir, mail.inboxDir]) makeOwnFolder(folder);
    if (taker !== undefined) {
      await replaceFile(takerPath(mail), taker);
      await noteBegun(mail);
    }
    return mail;
  } catch (cause) {
    throw new UsageError(`Cannot keep answers and messages for run ${run.id}: ${errorText(cause)}`, {
      code: "bad_input",
      cause,
      hint: STATE_FOLDER_HINT,
    });
  }
}

/**
 * The process that takes what is left there, as its lock named it: the last one that executed the run with this state
 * folder. A run that was resumed with another one leaves what is here alone.
 */
export function takerOf(mail: RunMail): string | undefined {
  try {
    assertOwn(takerPath(mail));
    return readRegularText(takerPath(mail), { maxBytes: MAX_TAKER_BYTES });
  } catch {
    return undefined;
  }
}

/**
 * Notes which process takes what is left, where there is a place for it: whoever answers before {@linkcode claimRunMail}
 * is told whether that process looks into their state folder.
 */
export async function noteTaker(run: RunPlace, taker: string, state = stateFolder()): Promise<void> {
  const entry = findRunEntry(run, state);
  // Without it, what is left is refused.
  if (entry !== undefined) await replaceFile(takerPath(mailIn(entry)), taker).catch(() => {});
}

/**
 * Whether a review loop was carried elsewhere, like {@linkcode findCarried}. Of several folders that were made of one
 * that is gone, the first that a process executes with this state folder is the run; the others are its copies: tmux
 * server and agents are known by the run's id.
 *
 * @param recorded its folder, as the process had it that executed it last; absolute
 */
export function findCarriedLoop(run: RunPlace, recorded: string): Carried | undefined {
  const carried = findCarried(run, recorded);
  const folder = carried?.isCopy === false ? findOtherPlace(run, stateFolder()) : undefined;
  const workdir = folder === undefined ? undefined : workdirOf(folder);
  return folder === undefined || workdir === undefined ? carried : { folder, workdir, isCopy: true };
}

function findOtherPlace(run: RunPlace, state: string | undefined): string | undefined {
  try {
    if (state === undefined) return undefined;
    const executed = otherEntries(run, state).filter((entry) =>
      lstatOrUndefined(takerPath(mailIn(entry))) !== undefined
    );
    return executed.map(readPlace).find((place) => place !== undefined && lstatOrUndefined(place) !== undefined);
  } catch {
    return undefined;
  }
}

/** What a run tells that cannot be told anything from outside. */
export function unheardMessage(reason: string): string {
  return `only the run's own terminal can answer, and no messages are taken: ${reason}`;
}

function mailIn(entry: string): RunMail {
  return { answersDir: `${entry}/answers`, inboxDir: `${entry}/inbox` };
}

function takerPath({ answersDir }: RunMail): string {
  return `${dirname(answersDir)}/taker`;
}
