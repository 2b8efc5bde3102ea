import { RuntimeError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { present } from "../base/schema.ts";
import { addAll, type Adding } from "./add_all.ts";
import { git, type GitAsk, gitLine, withStore } from "./git.ts";
import { type CheckoutLook, takeInAll } from "./own_index.ts";

interface Files extends Pick<Adding, "isWhole" | "onLeftOut"> {
  readonly store: string;
  /** Absolute path of the folder with the files: the top of a checkout. */
  readonly tree: string;
  /** Our own index. */
  readonly index: string;
  readonly settings: readonly string[];
  /** Where objects are as well: those of the person's repository, while it is looked at. */
  readonly borrowed?: string | undefined;
  /** What is looked at, where it is a checkout that somebody else works in. */
  readonly checkout?: CheckoutLook | undefined;
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
  const { borrowed, checkout, index, settings, signal, store, tree } = files;
  const { cwd, env } = withStore({ store, tree, index });
  const ask = {
    cwd,
    signal,
    env: borrowed === undefined ? env : { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed },
  };
  const before = parent === undefined ? undefined : gitLine(["rev-parse", `${parent}^{tree}`], ask);
  // Whether it can be told at all is said first.
  before?.catch(() => {});
  const odd = await requireTakable(tree, { ask, checkout, index, settings });
  await forget(odd, { ask, index });
  await addAll(tree, { ...files, filters: checkout?.filters ?? [], ask });
  const written = await gitLine(["write-tree"], ask).catch(async () => {
    // The person's git may have tidied away what was there at the last look.
    await Deno.remove(index);
    await addAll(tree, { ...files, filters: checkout?.filters ?? [], ask });
    return await gitLine(["write-tree"], ask);
  });
  if (parent !== undefined && written === await before) return parent;
  return await commitOfTree(written, { place: ask, message, ...present({ date, parent }) });
}

/** Git fails where such a thing stands in the place of a file. */
async function forget(
  paths: readonly string[],
  { ask, index }: { readonly ask: GitAsk; readonly index: string },
): Promise<void> {
  if (paths.length === 0 || lstatOrUndefined(index) === undefined) return;
  const stdin = paths.map((path) => `${path}\0`).join("");
  await git(["update-index", "-z", "--force-remove", "--stdin"], { ...ask, stdin });
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

interface Look extends Pick<Files, "checkout" | "index" | "settings"> {
  readonly ask: GitAsk;
}

/** Looks at both at once: what git waits for in vain is given up with what was found. */
async function requireTakable(tree: string, { ask, checkout, index, settings }: Look): Promise<readonly string[]> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(ask.signal === undefined ? [] : [ask.signal])]);
  try {
    const [odd] = await Promise.all([
      oddIn(tree, { signal, timeoutMs: checkout?.limit.lookMs }),
      checkout === undefined ? undefined : takeInAll(index, { tree, ask: { ...ask, signal }, checkout, settings }),
    ]);
    return odd;
  } finally {
    over.abort();
  }
}

/** What git reads of any folder: for a FIFO in the place of one it would wait without an end. */
const READ_BY_GIT = /(?:^|\/)\.git(?:ignore|attributes)$/;

/** What is neither a file nor a folder nor a link, by paths below the tree. */
async function oddIn(
  tree: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number | undefined },
): Promise<readonly string[]> {
  const { stdout, timedOut, truncated } = await systemProcessRunner.run({
    argv: ["find", tree, "!", "-type", "f", "!", "-type", "d", "!", "-type", "l", "-print0"],
    ...present({ signal, timeoutMs }),
  });
  if (timedOut || truncated) {
    const why = truncated ? "it holds too many special files, such as FIFOs" : "to look for it takes too long";
    throw new RuntimeError(`Cannot take what is in ${tree}: ${why}`);
  }
  const odd = stdout.split("\0").flatMap((path) => path === "" ? [] : [path.slice(tree.length + 1)]);
  const read = odd.find((path) => READ_BY_GIT.test(path));
  if (read !== undefined) {
    throw new RuntimeError(`Cannot take what is in ${tree}: git reads ${tree}/${read}, which is not a file`);
  }
  return odd;
}

/**
 * Brings a commit, and all that it reaches, into the store, where none of it is there yet.
 *
 * @throws {RuntimeError} also where an object is not what its name says: git does not look when it reads one, and who works
 *   in a checkout can write its objects
 */
export async function bringObjects(
  commit: string,
  { store, borrowed, signal }: Pick<Files, "store" | "borrowed" | "signal">,
): Promise<void> {
  const own = { cwd: store, env: { GIT_DIR: store }, signal };
  const refs = (await git(["for-each-ref", "--format=%(objectname) %(refname)"], own)).split("\n");
  const ref = `refs/kept/${commit}`;
  if (refs.includes(`${commit} ${ref}`)) return;
  // A commit may share no history with those that are here: only without their trees does git leave out their files.
  const known = refs.flatMap((line) => line === "" ? [] : [`^${line.split(" ", 1)}`, `^${line.split(" ", 1)}^{tree}`]);
  const env = { ...own.env, ...(borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed }) };
  const stdin = `${[commit, ...known].join("\n")}\n`;
  // To look for what is alike in so many files takes long, and saves little here: what is packed already stays so.
  // Where it is no object of the store before it is verified.
  const draft = `${store}/new-${crypto.randomUUID()}`;
  const parts = ["rev", "pack", "idx"];
  const pack = await gitLine(["pack-objects", "--revs", "--quiet", "--window=0", draft], { ...own, env, stdin });
  try {
    if (borrowed !== undefined) await requireVerified(`${draft}-${pack}.idx`, { own, borrowed });
    for (const part of parts) {
      const from = `${draft}-${pack}.${part}`;
      if (lstatOrUndefined(from) !== undefined) await Deno.rename(from, `${store}/objects/pack/pack-${pack}.${part}`);
    }
  } finally {
    for (const part of parts) await Deno.remove(`${draft}-${pack}.${part}`).catch(() => {});
  }
  await git(["update-ref", ref, commit], own);
  await tidyStore(store, own);
}

/** Of so many packs on, git takes notably longer to find an object. */
const MANY_PACKS = 50;

/** Has each run not leave a pack behind for good. No object goes, and whoever reads meanwhile finds it in its new place. */
async function tidyStore(store: string, own: GitAsk): Promise<void> {
  const packs = [...Deno.readDirSync(`${store}/objects/pack`)].filter(({ name }) => name.endsWith(".pack"));
  if (packs.length <= MANY_PACKS) return;
  const tidy = [["repack", "--geometric=2", "-d", "--quiet"], ["pack-refs", "--all"]];
  for (const args of tidy) {
    await git(args, own).catch((error) => {
      own.signal?.throwIfAborted();
      // An older git knows no such thing, and another process may tidy as well: what is not tidy works all the same.
      if (!(error instanceof RuntimeError)) throw error;
    });
  }
}

async function requireVerified(
  index: string,
  { borrowed, own }: { readonly borrowed: string; readonly own: GitAsk },
): Promise<void> {
  try {
    await git(["verify-pack", index], own);
  } catch (cause) {
    own.signal?.throwIfAborted();
    throw new RuntimeError(`Cannot work with the repository: an object in ${borrowed} is not what its name says`, {
      ...{ cause, hint: "See which one: git fsck --full" },
    });
  }
}
