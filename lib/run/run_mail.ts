import { dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { createFileOnce, replaceFile, syncFolder } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder, stateFolder } from "../base/ports/state_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { compareText } from "../base/text/order.ts";
import { type Carried, findCarried } from "./carried.ts";
import { workdirOf } from "../journal/paths.ts";
import type { RunFolder } from "./run_folder.ts";

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

type Place = Pick<RunFolder, "id" | "path">;

const MAX_PLACE_BYTES = 4096;

const MAX_TAKER_BYTES = 4096;

/**
 * Where what is said to a run is left, as far as a process that executes it, or somebody who left something there, has
 * made it. A copy of a run has not that of its original; one that was moved keeps its own.
 *
 * @param state the person's state folder
 * @returns undefined where there is none, or others can write to it
 */
export function findRunMail(run: Place, state = stateFolder()): RunMail | undefined {
  const entry = entryOf(run, state);
  return entry === undefined ? undefined : mailIn(entry);
}

/**
 * Makes the place where what is said to a run is left, unless it is there. It is on the disk when this resolves.
 *
 * @throws {UsageError} `bad_input` when there is no state folder, or it cannot be written, or not by this person alone
 */
export async function claimRunMail(
  run: Place,
  { state = stateFolder(), taker }: ClaimMailOptions = {},
): Promise<RunMail> {
  const fail = (reason: string, cause?: unknown) =>
    new UsageError(`Cannot keep answers and messages for run ${run.id}: ${reason}`, {
      code: "bad_input",
      cause,
      hint: "Set HOME, or XDG_STATE_HOME. They are kept in the state folder, where no agent in a sandbox can write.",
    });
  if (state === undefined) throw fail("neither HOME nor XDG_STATE_HOME names a folder");
  try {
    const entries = entriesOf(run, state);
    const above = [state, `${state}/runs`, entries];
    for (const folder of above) makeOwnFolder(folder);
    const entry = findEntry(run, state) ?? `${entries}/${nameOf(run)}`;
    const mail = mailIn(entry);
    for (const folder of [entry, mail.answersDir, mail.inboxDir]) makeOwnFolder(folder);
    const real = realPath(run);
    const isNew = await createFileOnce(placePath(entry), real);
    if (isNew) above.forEach(syncFolder);
    else if (readPlace(entry) !== real) await replaceFile(placePath(entry), real, { durable: true });
    if (taker !== undefined) await replaceFile(takerPath(mail), taker);
    return mail;
  } catch (cause) {
    throw fail(errorText(cause), cause);
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
export async function noteTaker(run: Place, taker: string, state = stateFolder()): Promise<void> {
  const entry = entryOf(run, state);
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
export function findCarriedLoop(run: Place, recorded: string): Carried | undefined {
  const carried = findCarried(run, recorded);
  const folder = carried?.isCopy === false ? findOtherPlace(run, stateFolder()) : undefined;
  const workdir = folder === undefined ? undefined : workdirOf(folder);
  return folder === undefined || workdir === undefined ? carried : { folder, workdir, isCopy: true };
}

function findOtherPlace(run: Place, state: string | undefined): string | undefined {
  try {
    if (state === undefined) return undefined;
    const own = findEntry(run, state);
    const entries = pathsIn(entriesOf(run, state)).filter((entry) => entry !== own);
    const executed = entries.filter((entry) => lstatOrUndefined(takerPath(mailIn(entry))) !== undefined);
    return executed.map(readPlace).find((place) => place !== undefined && lstatOrUndefined(place) !== undefined);
  } catch {
    return undefined;
  }
}

/** What a run tells that cannot be told anything from outside. */
export function unheardMessage(reason: string): string {
  return `only the run's own terminal can answer, and no messages are taken: ${reason}`;
}

export function removeRunMail(run: Place, state = stateFolder()): void {
  const entry = entryOf(run, state);
  if (entry === undefined) return;
  Deno.removeSync(entry, { recursive: true });
  try {
    Deno.removeSync(dirname(entry));
  } catch { /* a copy of the run has its own there */ }
}

/** In a folder that is not this person's alone there is nothing of theirs. */
function entryOf(run: Place, state: string | undefined): string | undefined {
  try {
    return state === undefined ? undefined : findEntry(run, state);
  } catch {
    return undefined;
  }
}

/**
 * What of the entries under a run's id is this run's: runs of other folders may have the same id, as copies have, and a
 * journal, which an agent can write, does not say which one it is.
 */
function findEntry(run: Place, state: string): string | undefined {
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

function entriesOf({ id }: Place, state: string): string {
  return `${state}/runs/${id}`;
}

function mailIn(entry: string): RunMail {
  return { answersDir: `${entry}/answers`, inboxDir: `${entry}/inbox` };
}

/** By what the folder is, so that those who make the entry at the same time make the same one. */
function nameOf({ path }: Place): string {
  const { dev, ino } = Deno.statSync(path);
  return `${dev}-${ino}`;
}

/** Where the run was when it was last executed; undefined while the entry is being made, and where that is nowhere. */
function readPlace(entry: string): string | undefined {
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

function takerPath({ answersDir }: RunMail): string {
  return `${dirname(answersDir)}/taker`;
}

function realPath({ path }: Place): string {
  return Deno.realPathSync(path);
}
