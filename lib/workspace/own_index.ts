import { RuntimeError } from "../base/errors.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { asSettings, git, type GitAsk } from "./git.ts";
import { placesOf } from "./workspace.ts";

// What git looks at files with is an index of ours: no agent can write it, and nothing of a person's is changed.

/** What is taken of a folder that no agent has made. */
export interface Limit {
  readonly maxNewBytes: number;
  readonly maxNewFiles: number;
  readonly lookMs: number;
}

export const NO_LIMIT: Limit = { maxNewBytes: Infinity, maxNewFiles: Infinity, lookMs: 10 * 60_000 };

export interface CheckoutLook {
  /** How much may be in files that the index has not, and how long it may take to find them. */
  readonly limit: Limit;
  /** The person's index, where ours did not begin with it: what it names is tracked. */
  readonly theirs: string | undefined;
  /** Filters that only the repository's settings name: they are not run, and what goes through them is as git has it. */
  readonly filters: readonly string[];
  /** Whether a run begins with it. Later, what git was told to forget stays tracked: an agent may have told it so. */
  readonly isBase: boolean;
}

/**
 * An index of this process alone, which begins with another one: a git that was killed has locked what it worked with, for
 * good.
 *
 * @param at what its name begins with
 */
export async function ownIndex(
  from: string,
  at: string = from,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = `${at}.${crypto.randomUUID()}`;
  await beginIndex(from, path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      for (const left of [path, `${path}.lock`]) await Deno.remove(left).catch(() => {});
    },
  };
}

/**
 * What a look at a checkout is made with. Its index begins with that of our last look, which no agent can write; before the first one
 * with the person's. What an agent has done to that hides nothing.
 *
 * @param name of whose look it is
 */
export async function lookAtCheckout(
  { gitFolder, objects, settings, store, top }: {
    readonly gitFolder: string;
    readonly objects: string;
    readonly settings: readonly string[];
    readonly store: string;
    readonly top: string;
  },
  { name, signal, ...look }: Omit<CheckoutLook, "filters" | "theirs"> & {
    readonly name: string;
    readonly signal: AbortSignal;
  },
) {
  const kept = await keptIndexOf({ store, top });
  const own = `${gitFolder}/index`;
  const at = `${placesOf().known}/${name}.checkout`;
  await using opened = new AsyncDisposableStack();
  const whole = isSplit(gitFolder) ? opened.use(await ownIndex(own, `${at}.whole`)).path : own;
  if (whole !== own) {
    const env = { GIT_DIR: gitFolder, GIT_INDEX_FILE: whole };
    await git(["update-index", "--no-split-index"], { cwd: top, env, signal });
  }
  const [from, theirs] = lstatOrUndefined(kept) === undefined ? [whole, undefined] : [kept, whole];
  const { path: index } = opened.use(await ownIndex(from, at));
  const filters = await filtersOf({ objects, top }, signal);
  const taken = opened.move();
  return {
    files: { store, tree: top, index, settings, borrowed: objects, signal, checkout: { ...look, filters, theirs } },
    keep: () => Deno.rename(index, kept),
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}

/** What a repository's settings can name filters in. */
const MAY_FILTER = /^[ \t]*\[[ \t]*(?:filter|include|extensions)/im;

/** The filters that only a repository's settings name. */
async function filtersOf(
  { objects, top }: { readonly objects: string; readonly top: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!MAY_FILTER.test(await Deno.readTextFile(`${objects}/../config`))) return [];
  const asked = ["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|process)$"];
  const parts = (await git(asked, { cwd: top, codes: [0, 1], signal })).split("\0");
  const named = parts.flatMap((key, at) => {
    const [, name] = /^filter\.(.+)\.\w+$/s.exec(key) ?? [];
    return name === undefined ? [] : [{ name, isTheirs: !["local", "worktree"].includes(parts[at - 1] ?? "") }];
  });
  const theirs = new Set(named.flatMap(({ name, isTheirs }) => isTheirs ? [name] : []));
  return [...new Set(named.map(({ name }) => name))].filter((name) => !theirs.has(name));
}

/** Whether an index may be in two files, the second of which is only found beside the first (`core.splitIndex`). */
function isSplit(gitFolder: string): boolean {
  try {
    return [...Deno.readDirSync(gitFolder)].some(({ name }) => name.startsWith("sharedindex."));
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Where the index of our last look at a checkout is. */
export async function keptIndexOf({ store, top }: { readonly store: string; readonly top: string }): Promise<string> {
  return `${store}/${(await sha256Hex(top)).slice(0, 16)}.index`;
}

/** Begins our index with another one, whose looks at files are kept. */
export async function beginIndex(from: string, index: string): Promise<void> {
  await Deno.remove(index).catch(() => {});
  if (lstatOrUndefined(from)?.isFile !== true) return;
  try {
    await Deno.copyFile(from, index);
    // By its time git tells which files it may have looked at too early.
    const { mtime } = await Deno.stat(from);
    if (mtime !== null) await Deno.utime(index, mtime, mtime);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Has an index that began with another one pass nothing by that is there, and requires what it has not to be little. */
export async function takeInAll(
  index: string,
  { ask: place, checkout, settings, tree }: {
    readonly tree: string;
    readonly ask: GitAsk;
    readonly checkout: CheckoutLook;
    readonly settings: readonly string[];
  },
): Promise<void> {
  const { isBase, limit, theirs } = checkout;
  const ask = { ...place, timeoutMs: limit.lookMs };
  const list = (...args: readonly string[]) => listed(args, ask);
  const update = async (paths: readonly string[], ...args: readonly string[]) => {
    if (paths.length === 0) return;
    const stdin = paths.map((path) => `${path}\0`).join("");
    await git([...asSettings(settings), "update-index", "-z", ...args, "--stdin"], { ...ask, stdin });
  };
  const infoOf = (path: string) => lstatOrUndefined(`${tree}/${path}`);
  const [here, there] = await Promise.all([
    list("-v", "--cached", "--others", "--exclude-standard"),
    theirs === undefined ? undefined : trackedBy(theirs, ask),
  ]);
  const absentIn = (lines: readonly string[]) => pathsOf(/^s /i, lines).filter((path) => infoOf(path) === undefined);
  const absent = new Set(absentIn(here));
  if (isBase && theirs !== undefined && !absentIn(there ?? []).every((path) => absent.has(path))) {
    // What is not there and not gone is as the person has it.
    await beginIndex(theirs, index);
    const alone = { ...checkout, theirs: undefined };
    return await takeInAll(index, { tree, ask: place, checkout: alone, settings });
  }
  const others = pathsOf(/^\? /, here);
  if (others.length > limit.maxNewFiles) throw tooMuch(tree, `more than ${limit.maxNewFiles} files`);
  const bytes = others.reduce((sum, path) => sum + (infoOf(path)?.size ?? 0), 0);
  if (bytes > limit.maxNewBytes) throw tooMuch(tree, `${Math.round(bytes / 1024 / 1024)} MB`);
  await update(pathsOf(/^[a-z] /, here), "--no-assume-unchanged");
  await update(pathsOf(/^s /i, here).filter((path) => !absent.has(path)), "--no-skip-worktree");
  if (there === undefined) return;
  const tracked = new Set(pathsOf(/^/, there));
  const ours = new Set(pathsOf(/^[^?] /, here));
  // What git ignores, and a person has it track all the same.
  const more = [...tracked].filter((path) => !ours.has(path) && infoOf(path)?.isDirectory === false);
  await update(more, "--add", "--remove", "--replace");
  if (!isBase || ours.isSubsetOf(tracked)) return;
  const ignored = await list("--cached", "--ignored", "--exclude-standard");
  await update(ignored.filter((path) => !tracked.has(path)), "--force-remove");
}

/** What an index tracks, with a tag before each; `undefined` for one that cannot be read. */
async function trackedBy(index: string, ask: GitAsk): Promise<readonly string[] | undefined> {
  const info = lstatOrUndefined(index);
  if (info?.isFile !== true) return info === undefined ? [] : undefined;
  try {
    return await listed(["-t"], { ...ask, env: { ...ask.env, GIT_INDEX_FILE: index } });
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return undefined;
  }
}

async function listed(args: readonly string[], ask: GitAsk): Promise<readonly string[]> {
  return (await git(["ls-files", "-z", ...args], ask)).split("\0").filter((line) => line !== "");
}

function pathsOf(tag: RegExp, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => tag.test(line) ? [line.slice(2)] : []);
}

function tooMuch(tree: string, much: string): RuntimeError {
  return new RuntimeError(
    `Cannot take what is in ${tree}: ${much} of it are in no commit, and git does not ignore them`,
  );
}
