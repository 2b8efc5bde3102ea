import { RuntimeError, UsageError } from "../base/errors.ts";
import { isLocked, readLockOwner, tryLockFile } from "../base/ports/lock_file.ts";
import { git, type GitAsk, gitLine, inStore } from "./git.ts";
import { placesOf, type Workspace } from "./workspace.ts";

// A target is what the results of several workspaces are merged in, one after another. Where it stands is one ref in the
// store: a process that is killed at any moment leaves it either before a merge or after it.

/** What a merge would come to. */
export interface Merge {
  /** The files, with git's marks in those that both sides have changed at the same place. */
  readonly tree: string;
  /** Those files, below the top of the repository. */
  readonly conflicts: readonly string[];
}

interface Asking {
  readonly signal: AbortSignal;
}

type Named = Pick<Workspace, "name" | "store">;

/** The commit that a target stands at: the one that it began with until something is landed. */
export async function landedIn({ base, ...target }: Workspace, asking: Asking): Promise<string> {
  return await readRef(target, asking) ?? base;
}

/** The names of the tasks that were landed in a target, the first one first; none of another workspace. */
export async function landedTasks(target: Workspace, { signal }: Asking): Promise<readonly string[]> {
  if (target.isTarget !== true) return [];
  const range = `${target.base}..${await landedIn(target, { signal })}`;
  const said = await gitLine(["log", "--reverse", "--format=%s", range], inStore(target.store, signal));
  return said.split("\n").filter((line) => line !== "");
}

async function readRef({ name, store }: Named, { signal }: Asking): Promise<string | undefined> {
  const own = { ...inStore(store, signal), codes: [0, 1] };
  return await gitLine(["rev-parse", "--verify", "--quiet", refOf(name)], own) || undefined;
}

/** Merges two commits of a store by the commit that both come from, without touching any file or ref. */
export async function mergeOf(
  commits: readonly [string, string],
  { store, signal }: Pick<Workspace, "store"> & Asking,
): Promise<Merge> {
  return await mergeIn(commits, inStore(store, signal));
}

/** @param place where git is to look for them, and to put what it makes of them */
export async function mergeIn([ours, theirs]: readonly [string, string], place: GitAsk): Promise<Merge> {
  const how = ["--write-tree", "-z", "--name-only", "--no-messages"];
  const said = await git(["merge-tree", ...how, ours, theirs], { ...place, codes: [0, 1] });
  const [tree = "", ...conflicts] = said.split("\0").filter((line) => line !== "");
  return { tree, conflicts };
}

/** A commit of a tree that follows another one; that one itself where nothing is changed. */
export async function commitTree(
  tree: string,
  { date, message, onto, store, signal }: Pick<Workspace, "store"> & Asking & {
    readonly onto: string;
    readonly message: string;
    /** With the same date it is the same commit. @default now */
    readonly date?: string;
  },
): Promise<string> {
  const own = inStore(store, signal);
  if (await gitLine(["rev-parse", `${onto}^{tree}`], own) === tree) return onto;
  const dated = date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const env = { ...own.env, ...dated };
  return await gitLine(["commit-tree", tree, "-p", onto, "-F", "-"], { ...own, env, stdin: message });
}

/**
 * Lands a commit, where the target still stands at the one that it follows.
 *
 * @throws {RuntimeError} where somebody else has landed something meanwhile
 */
export async function land(
  commit: string,
  { onto, signal, target }: Asking & { readonly onto: string; readonly target: Workspace },
): Promise<void> {
  const { base, name, store } = target;
  // There is no ref before something is landed.
  const isFirst = onto === base && await readRef(target, { signal }) === undefined;
  const before = isFirst ? "0".repeat(commit.length) : onto;
  await git(["update-ref", refOf(name), commit, before], inStore(store, signal)).catch((cause) => {
    throw new RuntimeError(`Cannot land what was merged in ${name}: it does not stand where it stood`, { cause });
  });
}

/**
 * Holds a target for the run whose tasks come together in it.
 *
 * @throws {UsageError} where another process has it
 */
export async function holdTarget({ name }: Pick<Workspace, "name">): Promise<Disposable> {
  const held = await tryLockFile(lockOf(name), `process ${Deno.pid}`);
  if (held !== undefined) return held;
  throw new UsageError(`Cannot work with ${name}: ${readLockOwner(lockOf(name)) || "another process"} has it`);
}

export async function isBusy({ name }: Pick<Workspace, "name">): Promise<boolean> {
  return await isLocked(lockOf(name));
}

function lockOf(name: string): string {
  return `${placesOf().known}/${name}.lock`;
}

/** Takes away the lock that a git which was killed has left on a target; nobody else may be at work with it. */
export async function freeTarget({ name, store }: Named): Promise<void> {
  await Deno.remove(`${store}/${refOf(name)}.lock`).catch(() => {});
}

/** Which of these files still have git's marks of a conflict in a commit. */
export async function markedIn(
  commit: string,
  { files, store, signal }: Pick<Workspace, "store"> & Asking & { readonly files: readonly string[] },
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const how = ["grep", "-l", "-z", "--text", "-E", "^(<{7}|>{7}) ", commit, "--"];
  const paths = files.map((path) => `:(top,literal)${path}`);
  const said = await git([...how, ...paths], { ...inStore(store, signal), codes: [0, 1] });
  return said.split("\0").filter((line) => line !== "").map((line) => line.slice(commit.length + 1));
}

function refOf(name: string): string {
  return `refs/landed/${name}`;
}

/** Whether a target has a commit: it stands there, or at one that follows it. */
export async function hasLanded(
  commit: string,
  { target, signal }: Asking & { readonly target: Workspace },
): Promise<boolean> {
  const now = await landedIn(target, { signal });
  const base = await gitLine(["merge-base", commit, now], { ...inStore(target.store, signal), codes: [0, 1] });
  return base === commit;
}
