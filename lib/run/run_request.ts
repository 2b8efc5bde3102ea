import { MAX_JOURNAL_BYTES } from "../journal/paths.ts";
import { PanewrightError, UsageError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { type Fault, faultOfEnvironment, killSelf } from "../base/ports/fault.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { makeFoldersBelow, replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { isObject } from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { errorText } from "../base/text/error_text.ts";
import { tryLockFile } from "../base/ports/lock_file.ts";
import { folderOfPerson, workspaceAround } from "../workspace/workspace.ts";
import { isRunId, makePanewrightFolder, type RunFolder, runFolderAt } from "./run_folder.ts";

export interface RunRequest {
  readonly key: string;
  readonly hash: string;
}

/** A key that no other process can take as long as this is not disposed of. */
interface HeldRequest extends Disposable {
  readonly keyHash: string;
  readonly begun: RunFolder | undefined;
  /** Gives the key to a run that is about to begin */
  claim(folder: RunFolder): Promise<void>;
}

export class RunBegunError extends UsageError {
  override name = "RunBegunError";

  constructor(readonly folder: RunFolder) {
    super(`Cannot start the run: run ${folder.id} has the same key`, { code: "key_reused" });
  }
}

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 50;
const MAX_CLAIM_BYTES = 4096;

/**
 * Takes the key of a request, when no other process has it.
 *
 * A claim is a file that names the run; the key's lock is held from before it is looked for until the run's first record
 * is on the disk. So a claim without that record is one whose process was killed in between: it is void, and replaced.
 *
 * @throws {UsageError} `key_reused` when the key belongs to another request; `unknown_run` when its run was removed;
 * `busy` when another process has held it for a minute
 * @throws {PanewrightError} when the claim cannot be read: nobody knows then whether there is a run
 */
export async function holdRequest(
  workdir: string,
  { key, hash }: RunRequest,
  { clock = systemClock, signal, fault = faultOfEnvironment("claim") }: {
    readonly clock?: Clock | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly fault?: Fault | undefined;
  } = {},
): Promise<HeldRequest> {
  const keyHash = await sha256Hex(key);
  // Whoever asks again does so in the folder that they know.
  const asked = folderOfPerson(workdir);
  const folder = await requestsFolder(asked);
  const lock = await takeLock(`${folder}/${keyHash}.lock`, { clock, signal });
  try {
    const begun = findBegun(asked, { keyHash, hash });
    return {
      keyHash,
      begun,
      async claim({ id: run }) {
        const strikes = (when: Fault["when"]) => fault?.when === when && killSelf();
        strikes("before");
        const at = new Date().toISOString();
        const claim = { run, request: hash, at, ...(asked === workdir ? {} : { workdir }) };
        await replaceFile(claimPath(asked, keyHash), JSON.stringify(claim), {
          durable: true,
          beforeRename: () => void strikes("in"),
        });
        strikes("after");
      },
      [Symbol.dispose]: () => lock[Symbol.dispose](),
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** The run that a request has begun, as far as no process is about to begin it. */
export async function findRequestedRun(workdir: string, { key, hash }: RunRequest): Promise<RunFolder | undefined> {
  return findBegun(folderOfPerson(workdir), { keyHash: await sha256Hex(key), hash });
}

async function requestsFolder(workdir: string): Promise<string> {
  try {
    return await makeFoldersBelow(await makePanewrightFolder(workdir), "requests");
  } catch (cause) {
    if (cause instanceof PanewrightError) throw cause;
    throw new PanewrightError(`Cannot keep the key of the request in ${workdir}/.panewright: ${errorText(cause)}`, {
      cause,
      hint: "The working directory must be writable: panewright keeps its runs there.",
    });
  }
}

async function takeLock(
  path: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<Disposable> {
  const sinceMs = clock.now();
  for (;;) {
    const lock = await tryLockFile(path, `process ${Deno.pid}`);
    if (lock !== undefined) {
      let isHeld = true;
      return {
        [Symbol.dispose]() {
          if (isHeld) lock[Symbol.dispose]();
          isHeld = false;
        },
      };
    }
    if (clock.now() - sinceMs >= PATIENCE_MS) {
      throw new UsageError(
        "Cannot start the run: another process has been starting one with the same key for a minute",
        {
          code: "busy",
          hint: 'Try again with the same key, or look for it with "panewright runs".',
        },
      );
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function findBegun(
  workdir: string,
  { keyHash, hash }: { readonly keyHash: string; readonly hash: string },
): RunFolder | undefined {
  const claim = readClaim(claimPath(workdir, keyHash));
  if (claim === undefined) return undefined;
  const folder = runFolderAt(claim.workdir ?? workdir, claim.run);
  // A claim could name any place.
  const isOurs = claim.workdir === undefined || workspaceAround(claim.workdir)?.origin === workdir;
  if (!isOurs || lstatOrUndefined(folder.path)?.isDirectory !== true) {
    throw new UsageError(`Cannot start the run: the one that the same key has started, ${claim.run}, was removed`, {
      code: "unknown_run",
      hint: "Use another key to do it once more.",
    });
  }
  if (!hasBegun(folder)) return undefined;
  if (claim.request === hash) return folder;
  throw new UsageError(
    `Cannot start the run: the key was used for another request, which run ${claim.run} carries out`,
    {
      code: "key_reused",
      hint: "A key belongs to one request, even after that has ended. Use another key.",
    },
  );
}

function hasBegun({ journalPath }: RunFolder): boolean {
  try {
    const text = readRegularText(journalPath, { maxBytes: MAX_JOURNAL_BYTES });
    return text.split("\n", 3).length > 2;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new PanewrightError(`Cannot read the journal ${journalPath}: ${errorText(error)}`, { cause: error });
  }
}

interface Claim {
  readonly run: string;
  readonly request: string;
  /** Where the run works, if that is in a workspace of the folder. */
  readonly workdir?: string;
}

function readClaim(path: string): Claim | undefined {
  try {
    const claim: unknown = JSON.parse(readRegularText(path, { maxBytes: MAX_CLAIM_BYTES }));
    if (!isObject(claim)) throw new TypeError("it is not a claim");
    const { run, request, workdir } = claim;
    if (typeof run !== "string" || !isRunId(run) || typeof request !== "string") {
      throw new TypeError("it names no run");
    }
    return { run, request, ...(typeof workdir === "string" ? { workdir } : {}) };
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new PanewrightError(`Cannot read which run has the key: ${path}: ${errorText(cause)}`, {
      cause,
      hint: 'See in "panewright runs" whether it was started. Use another key.',
    });
  }
}

function claimPath(workdir: string, keyHash: string): string {
  return `${workdir}/.panewright/requests/${keyHash}.json`;
}
