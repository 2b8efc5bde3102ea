import { dirname, relative } from "@std/path/posix";
import { isAbsence } from "../../base/ports/files.ts";
import { isPlaceholder, mayBePlaceholder } from "../../sandbox/placeholders.ts";
import { runGit } from "../../base/ports/git.ts";
import type { ProcessRunner } from "../../base/ports/process.ts";
import { present } from "../../base/schema.ts";

/** What the files are cannot be told: too many, git does not answer, or something cannot be looked at. */
export class UntoldError extends Error {
  override name = "UntoldError";
}

interface WalkOptions {
  readonly maxFiles: number;
  /** Whether an entry is passed by, a folder with all that is below; `siblings` are the names in its folder. */
  readonly skips?: (path: string, siblings: ReadonlySet<string>) => boolean;
  readonly signal?: AbortSignal;
}

/** What stands in a folder and is no folder itself, or a folder that can be neither read nor entered. */
export interface WalkedFile {
  readonly path: string;
  /** Of the link itself, where it is one. */
  readonly info: Deno.FileInfo;
}

const PIECES_AT_A_TIME = 500;

/** What stands in a name for bytes that are not UTF-8: nothing is found by such a name. */
const REPLACEMENT = "\ufffd";

/** What is below a folder, without following links. What vanishes meanwhile is passed by. */
export async function* walkFiles(folder: string, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { maxFiles, skips = () => false, signal } = options;
  const open = [folder];
  let [entriesSeen, files] = [0, 0];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entries = entriesOf(path);
    const names = new Set(entries?.map(({ name }) => name));
    if (entries === undefined) {
      const info = lstatOf(path);
      // Files in it can be written by their names.
      if (info !== undefined && canBeEntered(path)) throw new UntoldError(`${path} cannot be read`);
      if (info !== undefined) yield { path, info };
      continue;
    }
    for (const { name, isDirectory } of entries) {
      signal?.throwIfAborted();
      await letOthersWork(++entriesSeen);
      const entry = `${path}/${name}`;
      if (skips(entry, names)) continue;
      const info = isDirectory && !name.includes(REPLACEMENT) ? undefined : lstatOf(entry);
      if (info === undefined && name.includes(REPLACEMENT)) throw new UntoldError(`a name in ${path} is not UTF-8`);
      if (isDirectory) open.push(entry);
      if (isDirectory || info === undefined || isPlaceholder(entry, info)) continue;
      if (++files > maxFiles) throw new UntoldError(`there are more than ${maxFiles} files in ${folder}`);
      yield { path: entry, info };
    }
  }
}

function entriesOf(path: string): readonly Deno.DirEntry[] | undefined {
  try {
    return [...Deno.readDirSync(path)];
  } catch (error) {
    if (isAbsence(error)) return [];
    return undefined;
  }
}

function canBeEntered(folder: string): boolean {
  try {
    Deno.lstatSync(`${folder}/.`);
    return true;
  } catch {
    return false;
  }
}

/** What waits meanwhile comes after this. A timer would do as well, but takes 2 ms each time, and a channel a tenth. */
export async function letOthersWork(count: number): Promise<void> {
  if (count % PIECES_AT_A_TIME !== 0) return;
  const { port1, port2 } = new MessageChannel();
  const told = new Promise((resolve) => port1.onmessage = resolve);
  port2.postMessage(undefined);
  await told;
  for (const port of [port1, port2]) port.close();
}

/** What stands at a path; a link is not followed. */
export function lstatOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new UntoldError(`${path} cannot be looked at`, { cause: error });
  }
}

export interface GitQuestion {
  readonly folder: string;
  /** Whether git ignores the folder itself, where that is known. @default asked */
  readonly ignored?: Promise<boolean>;
  readonly signal?: AbortSignal;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
  readonly env?: Readonly<Record<string, string>>;
}

/** A configuration of the repository's can lead git to a file that never ends. */
const GIT_TIMEOUT_MS = 20_000;

/** Whether git ignores a folder, with all that is in it. */
async function isIgnored(question: GitQuestion): Promise<boolean> {
  return (await askGit(question, ["check-ignore", "--quiet", "."]))?.code === 0;
}

export interface Listing {
  /** Relative to the folder. A repository below is one name, that of its folder. */
  readonly names: readonly string[];
  /** What git has of them: ids by names. */
  readonly blobs: ReadonlyMap<string, string>;
}

/**
 * The files below a folder that git tracks or would track. git only lists names: nothing that a repository could configure
 * is run.
 */
export async function listByGit(question: GitQuestion): Promise<Listing | undefined> {
  const [list, ignored] = await Promise.all([
    askGit(question, ["ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard"]),
    question.ignored ?? isIgnored(question),
  ]);
  if (list === undefined || list.code !== 0 || ignored) return undefined;
  if (list.stdout.includes(REPLACEMENT)) throw new UntoldError("a name is not UTF-8");
  const isOurs = (name: string) =>
    mayBePlaceholder(name) && isPlaceholder(name, lstatOf(`${question.folder}/${name}`) ?? { size: NaN });
  const names = new Set<string>();
  const blobs = new Map<string, string>();
  for (const entry of list.stdout.split("\0")) {
    // `? NAME`, or of what is tracked `H 100644 ID 0<tab>NAME`.
    const { mode = "", id = "", stage, tracked, other } = LISTED.exec(entry)?.groups ?? {};
    const name = tracked ?? other;
    if (name === undefined || isOurs(name)) continue;
    names.add(name.replace(/\/$/, ""));
    if (stage === "0" && mode.startsWith("100")) blobs.set(name, id);
  }
  return { names: [...names], blobs };
}

const LISTED = /^(?:\? (?<other>.+)|\w (?<mode>\d{6}) (?<id>[0-9a-f]+) (?<stage>\d)\t(?<tracked>.+))$/s;

/** Where a repository's parts are. Absolute paths. */
interface Repository {
  readonly root: string;
  /** What git keeps of the working tree, and what all its working trees share; often the same folder. */
  readonly gitFolders: readonly string[];
}

/** `undefined` where git has nothing of the folder: it is in no repository, or git ignores it. */
export async function findRepository(question: GitQuestion): Promise<Repository | undefined> {
  const places = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
  const answer = await askGit(question, ["rev-parse", "--path-format=absolute", ...places]);
  if (answer?.code !== 0) {
    const place = folderWithGit(question.folder);
    const why = answer?.stderr.trim().split("\n", 1)[0] ?? "there is no such program";
    // Of one that a file leads to and that is gone, its place is named.
    const isNone = place === undefined || why.includes("not a git repository (or any");
    if (isNone || place === question.folder) return undefined;
    throw new UntoldError(`git cannot read the repository in ${place}: ${why}`);
  }
  const [root, ...gitFolders] = answer.stdout.split("\n").filter((line) => line !== "");
  if (root === undefined || gitFolders.length !== 2) throw new UntoldError("git names its folders on several lines");
  const below = relative(root, question.folder);
  if (/^\.\.(?:\/|$)/.test(below)) {
    throw new UntoldError(`git takes ${root} for the working tree of ${question.folder}`);
  }
  // Of the top itself that cannot be.
  if (below !== "" && await isIgnored(question)) return undefined;
  return { root, gitFolders: [...new Set(gitFolders)] };
}

/** The nearest folder, from one upwards, with a `.git` that git does not pass over: sandboxes leave empty ones behind. */
export function folderWithGit(folder: string): string | undefined {
  const git = lstatOf(`${folder}/.git`);
  if (git !== undefined && (!git.isDirectory || lstatOf(`${folder}/.git/HEAD`) !== undefined)) return folder;
  return folder === "/" ? undefined : folderWithGit(dirname(folder));
}

/** Asks git in a folder, so that nothing that a repository could configure is run. */
export async function askGit(
  { folder, signal, processRunner, env = {} }: GitQuestion,
  args: readonly string[],
) {
  try {
    const limits = { timeoutMs: GIT_TIMEOUT_MS, maxOutputBytes: 128 * 1024 * 1024 };
    const answer = await runGit(args, { cwd: folder, env, ...limits, ...present({ signal }) }, processRunner);
    if (answer.timedOut || answer.truncated) throw new UntoldError("git does not answer");
    return answer;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof UntoldError || signal?.aborted) throw error;
    // Such as a program that may not be started: what is watched beside a run must not end it.
    throw new UntoldError("git cannot be asked", { cause: error });
  }
}
