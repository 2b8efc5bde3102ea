import { basename, dirname } from "@std/path/posix";
import { PanewrightError, UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { makeOwnFolder, STATE_FOLDER_HINT } from "../base/ports/state_folder.ts";
import { entryOf, findRunEntry } from "./run_entry.ts";
import { errorText } from "../base/text/error_text.ts";

export interface RunFolder {
  readonly id: string;
  readonly path: string;
  readonly responsesDir: string;
  readonly messagesDir: string;
  /** The journal that is believed: in the state folder, where the run has one there; else the copy. */
  readonly journalPath: string;
  /** The copy of it in the working directory, for people and tools. */
  readonly copyPath: string;
  readonly auditPath: string;
  readonly evidenceDir: string;
  readonly stepsDir: string;
  readonly agentsDir: string;
  readonly changesDir: string;
  readonly repliesDir: string;
  /** Notifications that are not delivered yet, a file each; locked by the process that delivers them. */
  readonly outboxDir: string;
  readonly buttonsDir: string;
  readonly binDir: string;
  readonly lockPath: string;
  /** What keeps processes away that know no other: those of another state folder, in a container, say. */
  readonly sharedLockPath: string;
  /** What processes without a terminal have told while they executed the run: what a terminal would have shown. */
  readonly detachedLogPath: string;
}

export type RunSubfolder = "responsesDir" | "evidenceDir" | "stepsDir";

/**
 * Makes the folder `.panewright` of a working directory, unless it is there. It ignores itself, so that no agent
 * commits it.
 *
 * @returns its path
 * @throws {UsageError} when a link, or not a folder, stands in its place
 */
export async function makePanewrightFolder(workdir: string): Promise<string> {
  refuseLinks(workdir);
  const root = `${workdir}/.panewright`;
  await makePrivate(root);
  await writeUnlessThere(`${root}/.gitignore`, "*\n");
  return root;
}

/**
 * Has the folder of a run be there again, each time that it is called and an agent has removed it, as `git clean -x` does,
 * or put something else, such as a link, in its place: what is believed of the run is elsewhere.
 *
 * @returns what does that, and says whether it was to be done
 */
export function keepRunFolder(folder: RunFolder): () => boolean {
  const { path, responsesDir } = folder;
  const runs = dirname(path);
  const root = dirname(runs);
  const places = [root, runs, path];
  let known = lstatOrUndefined(path)?.ino;
  return () => {
    const seen = places.map(lstatOrUndefined);
    const isSame = seen.every((info) => info?.isDirectory === true) && seen.at(-1)?.ino === known;
    if (isSame && lstatOrUndefined(`${root}/.gitignore`) !== undefined) return false;
    for (const place of places) {
      if (lstatOrUndefined(place)?.isDirectory === false) Deno.removeSync(place);
      makeOwnFolder(place);
    }
    if (lstatOrUndefined(`${root}/.gitignore`) === undefined) {
      Deno.writeTextFileSync(`${root}/.gitignore`, "*\n", { createNew: true });
    }
    known = lstatOrUndefined(path)?.ino;
    const kept = keptResponsesOf(folder);
    if (isSame || kept === undefined || lstatOrUndefined(kept) === undefined) return !isSame;
    makeOwnFolder(responsesDir);
    for (const { name } of Deno.readDirSync(kept)) {
      const response = `${responsesDir}/${name}`;
      if (lstatOrUndefined(response) === undefined) {
        Deno.writeFileSync(response, Deno.readFileSync(`${kept}/${name}`), { mode: 0o600 });
      }
    }
    return true;
  };
}

/** Where responses are kept besides: a run cannot be resumed without them. */
function keptResponsesOf(folder: RunFolder): string | undefined {
  const entry = entryOf(folder);
  return entry === undefined ? undefined : `${entry}/responses`;
}

/** Keeps an archived response where no agent removes it. */
export function keepResponse(
  folder: RunFolder,
  { bytes, path }: { readonly path: string; readonly bytes: Uint8Array },
): void {
  const kept = keptResponsesOf(folder);
  if (kept === undefined) return;
  makeOwnFolder(kept);
  Deno.writeFileSync(`${kept}/${basename(path)}`, bytes, { mode: 0o600 });
}

async function makePrivate(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  if (((await Deno.lstat(path)).mode ?? 0) & 0o077) await Deno.chmod(path, 0o700);
}

/**
 * Makes the folder of a new run.
 *
 * @throws {PanewrightError} when the folder cannot be written
 */
export async function createRunFolder(
  workdir: string,
  options: {
    readonly now: Date;
    readonly subfolders?: readonly RunSubfolder[];
  },
): Promise<RunFolder> {
  const root = `${workdir}/.panewright`;
  try {
    await makePanewrightFolder(workdir);
    await makePrivate(`${root}/runs`);
    const id = await claimRunId(`${root}/runs`, options.now);
    const folder = await believedFolder(workdir, id).catch(async (error) => {
      await Deno.remove(`${root}/runs/${id}`);
      throw error;
    });
    for (const subfolder of options.subfolders ?? ["responsesDir", "evidenceDir"]) {
      await Deno.mkdir(folder[subfolder], { mode: 0o700 });
    }
    return folder;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new PanewrightError(`Cannot make a folder for the run in ${root}: ${errorText(cause)}`, {
      cause,
      hint: "The working directory must be writable: panewright keeps its journal and the archived responses there.",
    });
  }
}

/**
 * A run's folder with a place in the state folder for the journal that is believed.
 *
 * @throws {UsageError} when there is no state folder, or it cannot be written, or not by this person alone
 */
export async function believedFolder(workdir: string, id: string): Promise<RunFolder> {
  const folder = runFolderAt(workdir, id);
  try {
    const { claimRunEntry } = await import("./claim_run_entry.ts");
    const entry = await claimRunEntry(folder);
    return { ...folder, journalPath: believedPath(entry), lockPath: lockIn(entry) };
  } catch (cause) {
    throw new UsageError(`Cannot keep the journal of run ${id}: ${errorText(cause)}`, {
      code: "bad_input",
      cause,
      hint: STATE_FOLDER_HINT,
    });
  }
}

/**
 * Refuses a working directory whose folder of runs is a link, or not a folder: what leads elsewhere is neither read nor
 * written.
 *
 * @throws {UsageError}
 */
export function refuseLinks(workdir: string): void {
  const root = `${workdir}/.panewright`;
  for (const path of [root, `${root}/runs`]) refuseUnlessFolder(path);
}

export function refuseLinksIn(folder: RunFolder): void {
  const { path, responsesDir, messagesDir, evidenceDir, stepsDir, agentsDir, binDir } = folder;
  const own = [responsesDir, messagesDir, evidenceDir, stepsDir, agentsDir, binDir];
  const outside = [folder.changesDir, folder.repliesDir, folder.outboxDir, folder.buttonsDir];
  for (const inner of [path, ...own, ...outside]) refuseUnlessFolder(inner);
}

function refuseUnlessFolder(path: string): void {
  const info = look(path);
  if (info === undefined || info.isDirectory) return;
  throw new UsageError(`Cannot use ${path}: it is ${info.isSymlink ? "a symbolic link" : "not a folder"}`, {
    hint: "Runs are kept in a folder of the working directory, which must be writable; links are not followed.",
  });
}

function look(path: string): Deno.FileInfo | undefined {
  try {
    return lstatOrUndefined(path);
  } catch (cause) {
    throw new UsageError(`Cannot use ${path}: ${errorText(cause)}`, { cause });
  }
}

export function runFolderAt(workdir: string, id: string): RunFolder {
  const path = `${workdir}/.panewright/runs/${id}`;
  const copyPath = `${path}/journal.ndjson`;
  const entry = findRunEntry({ id, path });
  const believed = entry === undefined ? undefined : believedPath(entry);
  return {
    id,
    path,
    responsesDir: `${path}/responses`,
    messagesDir: `${path}/messages`,
    journalPath: believed !== undefined && lstatOrUndefined(believed) !== undefined ? believed : copyPath,
    copyPath,
    auditPath: `${path}/audit.ndjson`,
    evidenceDir: `${path}/evidence`,
    stepsDir: `${path}/steps`,
    agentsDir: `${path}/agents`,
    changesDir: `${path}/changes`,
    repliesDir: `${path}/replies`,
    outboxDir: `${path}/outbox`,
    buttonsDir: `${path}/buttons`,
    binDir: `${path}/bin`,
    lockPath: lockIn(entry ?? path),
    sharedLockPath: lockIn(path),
    detachedLogPath: `${path}/detached.log`,
  };
}

function believedPath(entry: string): string {
  return `${entry}/journal.ndjson`;
}

function lockIn(folder: string): string {
  return `${folder}/owner.lock`;
}

export function isRunId(name: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{4}$/.test(name);
}

function timestampOf(moment: Date): string {
  return moment.toISOString().replace(/\.\d+Z$/, "").replaceAll(/[-:]/g, "").replace("T", "-");
}

/**
 * The id also names the run's tmux server, which all working directories share: its random part keeps runs of the same
 * second apart, and the folder's creation decides who has the name.
 */
async function claimRunId(runsDir: string, now: Date): Promise<string> {
  for (;;) {
    const random = Array.from(crypto.getRandomValues(new Uint8Array(2)), (byte) => byte.toString(16).padStart(2, "0"));
    const id = `${timestampOf(now)}-${random.join("")}`;
    try {
      await Deno.mkdir(`${runsDir}/${id}`, { mode: 0o700 });
      return id;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

async function writeUnlessThere(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}
