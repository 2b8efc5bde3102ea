import { RuntimeError } from "../base/errors.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { lastLines } from "../base/text/lines.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { placeholdersIn } from "../sandbox/placeholders.ts";
import { asSettings, git, type GitAsk, gitLine, withStore } from "./git.ts";

/** What is taken of a folder that no agent has made. */
export interface Limit {
  readonly maxNewBytes: number;
  readonly maxNewFiles: number;
  readonly lookMs: number;
}

interface Files {
  readonly store: string;
  /** Absolute path of the folder with the files: the top of a checkout. */
  readonly tree: string;
  /** Where our own index is kept; it makes the next look fast. */
  readonly index: string;
  readonly settings: readonly string[];
  /** Where objects are as well: those of the person's repository, while it is looked at. */
  readonly borrowed?: string | undefined;
  /** How much may be in files that the index has not, and how long it may take to find them. @default {{}} */
  readonly limit?: Limit | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A commit of all files of a folder as they are, but for what git ignores. The folder's own index, stash, HEAD and
 * settings are neither changed nor obeyed.
 *
 * @param parent the commit that it follows; where its files are the same, that is the answer
 * @param date of the commit: with the same date the same files are the same commit. @default now
 * @throws {RuntimeError} where git cannot take a file
 */
export async function commitFiles(
  files: Files,
  { date, parent, message }: {
    readonly date?: string;
    readonly parent: string | undefined;
    readonly message: string;
  },
): Promise<string> {
  const { borrowed, index, limit, settings, signal, store, tree } = files;
  const { cwd, env } = withStore({ store, tree, index });
  const ask = {
    cwd,
    signal,
    env: borrowed === undefined ? env : { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed },
  };
  const before = parent === undefined ? undefined : gitLine(["rev-parse", `${parent}^{tree}`], ask);
  // Whether it can be told at all is said first.
  before?.catch(() => {});
  await requireTakable(tree, { ask, limit });
  // What a sandbox that is open shows there is no work of anybody.
  const shown = placeholdersIn(tree).map((name) => `:(exclude,top,literal)${name}`);
  await git([...asSettings(settings), "add", "--all", "--", ".", ...shown], ask).catch((cause) => {
    const [, inner] = /error: '(.+?)\/?' does not have a commit checked out/.exec(errorText(cause)) ?? [];
    if (inner === undefined) throw cause;
    throw new RuntimeError(`Cannot take what is in ${tree}: ${inner} is a repository of its own without a commit`, {
      ...{ cause, hint: `Have git ignore it (.gitignore), or commit something in it. Its files are not taken along.` },
    });
  });
  const written = await gitLine(["write-tree"], ask);
  if (parent !== undefined && written === await before) return parent;
  return await commitOfTree(written, { place: ask, message, ...present({ date, parent }) });
}

/** A commit that has the files of a tree; with the same date the same files are the same commit. */
export async function commitOfTree(
  tree: string,
  { date, message, parent, place }: {
    readonly place: GitAsk;
    readonly message: string;
    readonly date?: string;
    readonly parent?: string;
  },
): Promise<string> {
  const follows = parent === undefined ? [] : ["-p", parent];
  const dated = date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return await gitLine(["commit-tree", tree, ...follows, "-m", message], {
    ...place,
    env: { ...place.env, ...dated },
  });
}

/** Looks at both at once: what git waits for in vain is given up with what was found. */
async function requireTakable(
  tree: string,
  { ask, limit }: { readonly ask: GitAsk; readonly limit: Limit | undefined },
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(ask.signal === undefined ? [] : [ask.signal])]);
  try {
    await Promise.all([
      requireReadable(tree, { signal, timeoutMs: limit?.lookMs }),
      limit === undefined ? undefined : requireLittle(tree, { ask: { ...ask, signal }, limit }),
    ]);
  } finally {
    over.abort();
  }
}

async function requireLittle(
  tree: string,
  { ask, limit: { lookMs: timeoutMs, maxNewBytes, maxNewFiles } }: { readonly ask: GitAsk; readonly limit: Limit },
): Promise<void> {
  const listed = await git(["ls-files", "--others", "--exclude-standard", "-z"], { ...ask, timeoutMs });
  const paths = listed.split("\0");
  if (paths.length > maxNewFiles) throw tooMuch(tree, `more than ${maxNewFiles} files`);
  const sizeOf = (path: string) => path === "" ? 0 : lstatOrUndefined(`${tree}/${path}`)?.size ?? 0;
  const bytes = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  if (bytes > maxNewBytes) throw tooMuch(tree, `${Math.round(bytes / 1024 / 1024)} MB`);
}

function tooMuch(tree: string, much: string): RuntimeError {
  return new RuntimeError(
    `Cannot take what is in ${tree}: ${much} of it are in no commit, and git does not ignore them`,
  );
}

/** git reads these files of any folder, and would wait for a FIFO in the place of one without an end. */
async function requireReadable(
  tree: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number | undefined },
): Promise<void> {
  const read = ["(", "-name", ".gitignore", "-o", "-name", ".gitattributes", ")"];
  const { stdout, timedOut } = await systemProcessRunner.run({
    argv: ["find", tree, ...read, "!", "-type", "f", "!", "-type", "d", "!", "-type", "l", "-print"],
    ...present({ signal, timeoutMs }),
  });
  if (timedOut) throw new RuntimeError(`Cannot take what is in ${tree}: to look for it takes too long`);
  const [odd] = lastLines(stdout, 1);
  if (odd !== undefined) {
    throw new RuntimeError(`Cannot take what is in ${tree}: git reads ${odd}, which is not a file`);
  }
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

/** Begins our index with another one, whose looks at files are kept. */
export async function beginIndex(from: string, index: string): Promise<void> {
  await Deno.remove(index).catch(() => {});
  try {
    await Deno.copyFile(from, index);
    // By its time git tells which files it may have looked at too early.
    const { mtime } = await Deno.stat(from);
    if (mtime !== null) await Deno.utime(index, mtime, mtime);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Brings a commit, and all that it reaches, into the store, where none of it is there yet. */
export async function bringObjects(
  commit: string,
  { store, borrowed, signal }: Pick<Files, "store" | "borrowed" | "signal">,
): Promise<void> {
  const own = { cwd: store, env: { GIT_DIR: store }, signal };
  const refs = (await git(["for-each-ref", "--format=%(objectname) %(refname)"], own)).split("\n");
  const ref = `refs/kept/${commit}`;
  if (refs.includes(`${commit} ${ref}`)) return;
  const known = refs.flatMap((line) => line === "" ? [] : `^${line.split(" ", 1)}`);
  const env = { ...own.env, ...(borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed }) };
  const stdin = `${[commit, ...known].join("\n")}\n`;
  // To look for what is alike in so many files takes long, and saves little here: what is packed already stays so.
  await git(["pack-objects", "--revs", "--quiet", "--window=0", `${store}/objects/pack/pack`], { ...own, env, stdin });
  await git(["update-ref", ref, commit], own);
}
