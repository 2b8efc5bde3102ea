import { relative, resolve } from "@std/path/posix";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { present } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { KnownFile, KnownFiles } from "../../workspace/known_files.ts";
import { blobId } from "./blob_id.ts";
import { findRepository, letOthersWork, listByGit, lstatOf, UntoldError, type WalkedFile, walkFiles } from "./list.ts";

export interface SnapshotOptions {
  readonly workdir: string;
  readonly signal?: AbortSignal;
  /** More files than that are not told. @default {500000} */
  readonly maxFiles?: number;
}

export interface FileContent {
  readonly name: string;
  readonly content: string;
  /** `undefined` for what was not read: git is known to have it. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** As what git has the file; one that was read may have changed since. */
  readonly blob: string | undefined;
}

export interface FileSnapshot {
  readonly root: string;
  /** Which folder `root` is: a copy of it is another one. */
  readonly rootId: string;
  /** What git keeps of the repository outside of `root`. */
  readonly gitFolders: readonly string[];
  readonly files: Readonly<Record<string, FileState>>;
}

export interface FilesNote {
  readonly snapshot: FileSnapshot;
  /** What of the contents git has: ids by names. */
  readonly blobs: Readonly<Record<string, string>>;
  /** Where their objects are, besides those of the repository. */
  readonly objects?: readonly string[];
}

/** What one file is. Times are in milliseconds since the epoch. */
export interface FileState {
  readonly kind: "file" | "link" | "other";
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly names: number;
  /** Whether it was changed so shortly before that another change could leave the same times. */
  readonly isRecent?: true;
  /**
   * The SHA-256 of what is in it, or where it was not read git's id of it, after `git:`; or where a link leads. Missing where only
   * size and times are compared.
   */
  readonly content?: string;
}

const MAX_FILES = 500_000;

/** Deno tells the time of an inode's last change in whole seconds (2.9). */
const TIME_STEP_MS = 2000;

/** How much is read; what is beyond it is compared by size and times, which finds more, not less. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_BYTES_OF_FILE = 32 * 1024 * 1024;

/**
 * Notes what the files of a working directory are, with all of its repository: those that git does not ignore by
 * content, the ignored ones by size and times. Repositories below are folders like others, with all of their `.git`. Of
 * the repository's own, hooks and configuration count.
 *
 * git is asked only which files are to be read: what the repository configures is not run, and what git answers cannot
 * hide a file.
 *
 * @param options.onContent told what is in each file that git does not keep itself
 * @param options.knownFiles asked where there is much to read: a file that is as it was then is not
 * @throws {UntoldError} when the files cannot be told
 * @throws the signal's reason when it is aborted
 */
export async function snapshotFiles(
  options: SnapshotOptions & {
    readonly onContent?: (file: FileContent) => Promise<void>;
    readonly knownFiles?: () => Promise<KnownFiles | undefined>;
  },
): Promise<{ readonly snapshot: FileSnapshot; readonly objects: readonly string[] }> {
  const { workdir, onContent, knownFiles } = options;
  const question = { ...options, folder: workdir };
  const asked = findRepository(question);
  const ignored = asked.then((repository) => repository === undefined);
  // Mostly the folder is the top of its repository: both are asked at once.
  const [repository, listedHere] = await Promise.all([asked, listByGit({ ...question, ignored })]);
  const top = repository?.root ?? workdir;
  const listed = top === workdir ? listedHere : await listByGit({ ...options, folder: top });
  const places: Places = {
    root: relative(workdir, top),
    gitFolders: (repository?.gitFolders ?? []).filter((path) => !isBelow(path, top)).map((path) =>
      relative(workdir, path)
    ),
  };
  const nameOf = (name: string) => nameIn(workdir, `${top}/${name}`);
  const isListed = readBy(listed && new Set(listed.names.map(nameOf)));
  const blobs = new Map([...listed?.blobs ?? []].map(([name, blob]) => [nameOf(name), blob]));
  const found: LookedAt[] = [];
  for await (const file of filesAt(places, options)) {
    const state = stateOf(file.info);
    const isRecent = state.ctime + TIME_STEP_MS > Date.now();
    const isToRead = state.kind === "file" && (file.isOfGit || isRecent || isListed(file.name));
    found.push({ ...file, isToRead, state: { ...state, ...(isRecent ? { isRecent } : {}) } });
  }
  const isMuch = found.filter(({ isToRead }) => isToRead).length > MANY_FILES;
  const known = isMuch ? await knownFiles?.() : undefined;
  const files: Record<string, FileState> = Object.create(null);
  let bytesLeft = MAX_BYTES;
  for (const [index, { name, path, isOfGit, isToRead, state }] of found.entries()) {
    options.signal?.throwIfAborted();
    await letOthersWork(index + 1);
    const blob = isToRead ? blobOf(state, known?.files.get(path)) : undefined;
    const isRead = isToRead && blob === undefined && state.size <= Math.min(MAX_BYTES_OF_FILE, bytesLeft);
    const bytes = isRead ? readBytes(path, state.size) : undefined;
    const content = bytes !== undefined
      ? await sha256Hex(bytes)
      : state.kind === "link"
      ? readLink(path)
      : blob && `${BY_GIT}${blob}`;
    bytesLeft -= bytes?.length ?? 0;
    if (!isOfGit && content !== undefined && state.kind === "file" && isListed(name)) {
      await onContent?.({ name, bytes, content, blob: blob ?? blobs.get(name) });
    }
    files[name] = { ...state, ...present({ content }) };
  }
  return { snapshot: { ...places, rootId: idOf(top), files }, objects: known?.objects ?? [] };
}

/** From so many files on, it takes less time to ask what is known of them. */
const MANY_FILES = 1000;

const BY_GIT = "git:";

interface LookedAt extends PlacedFile {
  readonly state: FileState;
  readonly isToRead: boolean;
}

/** As what git has a file that is as it was when it was looked at. */
function blobOf({ ctime, inode, mtime, size }: FileState, known: KnownFile | undefined): string | undefined {
  const isKnown = known !== undefined && known.mtime === mtime && known.ctime === ctime &&
    // git keeps the lower half of an inode's number.
    known.size === size && known.inode === inode % 2 ** 32;
  return isKnown ? known.blob : undefined;
}

export async function changedFiles(before: FileSnapshot, options: SnapshotOptions): Promise<readonly string[]> {
  const isCopy = idOf(resolve(options.workdir, before.root)) !== before.rootId;
  const gone = new Set(Object.keys(before.files));
  const changed: string[] = [];
  for await (const { name, path, info } of filesAt(before, options)) {
    gone.delete(name);
    const [then, now] = [before.files[name], stateOf(info)];
    if (then === undefined || !await isSame(then, { now, path, isCopy })) changed.push(name);
  }
  return [...new Set(changed).union(gone)].toSorted();
}

async function isSame(
  then: FileState,
  { now, path, isCopy }: { readonly now: FileState; readonly path: string; readonly isCopy: boolean },
): Promise<boolean> {
  if (then.kind !== now.kind || then.size !== now.size) return false;
  const { isRecent = false } = then;
  const hasTimes = then.mtime === now.mtime && then.ctime === now.ctime && then.inode === now.inode;
  if (hasTimes && !isRecent) return true;
  if (then.content !== undefined) {
    return isExecutable(then) === isExecutable(now) && await hasContent(then.content, { path, now });
  }
  if (then.mode !== now.mode) return false;
  // Archives and copies keep the time of a file to the second, and nothing of its inode.
  if (isCopy) return Math.trunc(then.mtime / 1000) === Math.trunc(now.mtime / 1000);
  // Another name that was made or removed elsewhere changes the inode, but not the file.
  const isShared = then.names > 1 && now.names > 1;
  return then.mtime === now.mtime && (isShared || then.ctime === now.ctime);
}

function isExecutable({ mode }: FileState): boolean {
  return (mode & 0o111) !== 0;
}

type Places = Pick<FileSnapshot, "root" | "gitFolders">;

interface PlacedFile extends WalkedFile {
  readonly name: string;
  /** Whether it belongs to what git keeps. */
  readonly isOfGit: boolean;
}

async function* filesAt({ root, gitFolders }: Places, options: SnapshotOptions): AsyncGenerator<PlacedFile> {
  const { workdir, signal, maxFiles = MAX_FILES } = options;
  const limits = { maxFiles, ...present({ signal }) };
  const top = resolve(workdir, root);
  const own = OWN_FILES.map((name) => `${workdir}/${name}`);
  const skips = (path: string, siblings: ReadonlySet<string>) =>
    own.includes(path) || (inGitFolder(path.slice(top.length)) !== undefined && isBulkOfGit(path, siblings));
  for await (const file of walkFiles(top, { ...limits, skips })) {
    const within = inGitFolder(file.path.slice(top.length));
    if (within !== undefined && !actsInGit(within, file.info)) continue;
    yield { ...file, name: nameIn(workdir, file.path), isOfGit: within !== undefined };
  }
  for (const folder of gitFolders) {
    const start = resolve(workdir, folder);
    for await (const file of walkFiles(start, { ...limits, skips: isBulkOfGit })) {
      if (!actsInGit(file.path.slice(start.length + 1).split("/"), file.info)) continue;
      yield { ...file, name: nameIn(workdir, file.path), isOfGit: true };
    }
  }
}

const OWN_FILES = [".panewright/runs", ".panewright/review-loop.lock", ".panewright/.gitignore"];

/** The rest of a path in the repository's own `.git`. One further below is a folder like others. */
function inGitFolder(path: string): readonly string[] | undefined {
  return path.startsWith("/.git/") ? path.split("/").slice(2) : undefined;
}

/**
 * Whether a file that git keeps decides what git does: hooks and configuration, also those of submodules, and what leads
 * to others, as a link in the place of their folder does. A folder is one whose files cannot be told.
 */
function actsInGit(parts: readonly string[], { isSymlink, isDirectory }: Deno.FileInfo): boolean {
  const [name = "", folder] = [parts.at(-1), parts.at(-2)];
  return isDirectory || (isSymlink && !HARMLESS_LINK.test(parts.join("/"))) || parts.slice(0, -1).includes("hooks") ||
    name === "config" ||
    name === "config.worktree" ||
    (folder === "info" && (name === "attributes" || name === "exclude")) ||
    // Each further working tree has one.
    (name === "commondir" && parts[0] !== "worktrees");
}

/** git itself can make a link of HEAD, and Emacs one for each file that a person edits. */
const HARMLESS_LINK = /(?:^|\/)HEAD$|^\.#[^/]*$/;

function isBulkOfGit(path: string, siblings: ReadonlySet<string>): boolean {
  return siblings.has("HEAD") && /\/(?:objects|refs|logs|lfs)$/.test(path);
}

/** Which files are read: those that are listed, or are in a folder that is, such as a repository below. */
function readBy(listed: ReadonlySet<string> | undefined): (name: string) => boolean {
  if (listed === undefined) return () => true;
  return (name) => {
    for (let at = name.length; at > 0; at = name.lastIndexOf("/", at - 1)) {
      if (listed.has(name.slice(0, at))) return true;
    }
    return false;
  };
}

function stateOf({ isFile, isSymlink, isDirectory, mode, size, mtime, ctime, ino, nlink }: Deno.FileInfo): FileState {
  return {
    kind: isFile ? "file" : isSymlink ? "link" : "other",
    mode: mode ?? 0,
    size,
    mtime: mtime?.getTime() ?? 0,
    ctime: ctime?.getTime() ?? 0,
    inode: ino ?? 0,
    // A folder's count is of those in it.
    names: isDirectory ? 1 : nlink ?? 1,
  };
}

async function hasContent(
  content: string,
  { now: { kind, size }, path }: { readonly now: FileState; readonly path: string },
): Promise<boolean> {
  if (kind === "link") return readLink(path) === content;
  const bytes = kind === "file" ? readBytes(path, size) : undefined;
  if (bytes === undefined) return false;
  const blob = content.startsWith(BY_GIT) ? content.slice(BY_GIT.length) : undefined;
  return blob === undefined ? await sha256Hex(bytes) === content : await blobId(bytes, blob.length) === blob;
}

function readLink(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}

function readBytes(path: string, maxBytes: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readRegularFile(path, { maxBytes });
  } catch {
    return undefined;
  }
}

function idOf(folder: string): string {
  const info = lstatOf(folder);
  if (info?.isDirectory !== true) throw new UntoldError(`${folder} is not a folder`);
  return `${info.dev}:${info.ino}`;
}

function nameIn(workdir: string, path: string): string {
  return isBelow(path, workdir) ? path.slice(workdir.length + 1) : relative(workdir, path);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
