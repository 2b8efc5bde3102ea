import { UsageError } from "../base/errors.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { EMAIL, git, inStore, QUIETLY } from "./git.ts";
import { bringObjects } from "./snapshot.ts";
import type { Workspace } from "./workspace.ts";

// Agents commit, branch and stash in their clone. What comes home of it is its files; these commits are kept before the clone
// goes. Its `.git` is data that an agent may have written: git is never asked to obey it, and gets its objects alone.

/** A commit that was made in a workspace, and what it is called there. */
interface OwnCommit {
  /** `heads/topic`, `tags/v1`, `stash`, `stash-1` for the one before it, `HEAD` where that is on no branch. */
  readonly name: string;
  readonly id: string;
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_COMMITS = 200;

/** An object's id, which ends where the word does. */
const ID = "[0-9a-f]{40,64}\\b";

/**
 * Brings the commits that were made in a workspace into the person's repository: what branches, tags, stash and HEAD name,
 * each under a ref of ours.
 *
 * @returns these refs; none where there are no such commits
 * @throws {UsageError} where they cannot be kept as they are
 */
export async function keepOwnCommits(
  { base, name, store, top, tree }: Workspace,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  try {
    const named = namedIn(`${tree}/.git`);
    if (named.length === 0) return [];
    const borrowed = `${tree}/.git/objects`;
    await requirePlain(borrowed, { store, signal });
    const own: OwnCommit[] = [];
    for (const one of await knownOf(named, { store, borrowed, signal })) {
      const asked = ["rev-list", "--max-count=1", "--format=%ce", one.id, `^${base}`];
      const [, committer] = (await git(asked, inStore(store, signal, borrowed))).split("\n");
      // A fork begins with a commit of ours.
      if (committer === undefined || committer === EMAIL) continue;
      if (!own.some(({ id }) => id === one.id)) own.push(one);
    }
    if (own.length === 0) return [];
    if (own.length > MOST_COMMITS) throw new Error(`there are ${own.length} of them, more than ${MOST_COMMITS}`);
    for (const { id } of own) await bringObjects(id, { store, borrowed, signal });
    const refs = own.map(({ id, name: called }) => ({ id, ref: `refs/panewright-commits/${name}/${called}` }));
    const specs = refs.map(({ id, ref }) => `+refs/kept/${id}:${ref}`);
    await git(["fetch", ...QUIETLY, store, ...specs], { cwd: top, signal });
    return refs.map(({ ref }) => ref);
  } catch (cause) {
    signal.throwIfAborted();
    throw new UsageError(
      `Cannot remove the workspace ${name}: commits that were made in it cannot be kept: ${errorText(cause)}`,
      { cause, hint: `Take out of it what you want to keep, then remove ${tree}/.git, and discard again.` },
    );
  }
}

/** What refs in a `.git` name, read as files: nothing that a setting, a link or a FIFO there leads to. */
function namedIn(folder: string): readonly OwnCommit[] {
  if (lstatOrUndefined(folder)?.isDirectory !== true) return [];
  const found: OwnCommit[] = [];
  const add = (path: string, id: string | undefined) => {
    if (id === undefined || !/^(?:HEAD|stash(?:-\d+)?|(?:heads|tags)\/.+)$/.test(path)) return;
    if (!found.some((one) => one.name === path)) found.push({ name: path, id });
  };
  const textOf = (path: string) => readText(`${folder}/${path}`);
  const walk = (path: string) => {
    if (lstatOrUndefined(`${folder}/${path}`)?.isDirectory !== true) return;
    for (const entry of Deno.readDirSync(`${folder}/${path}`)) {
      if (entry.isDirectory) walk(`${path}/${entry.name}`);
      else if (entry.isFile) add(`${path}/${entry.name}`.slice("refs/".length), idOf(textOf(`${path}/${entry.name}`)));
    }
  };
  walk("refs");
  for (const [, id, path = ""] of textOf("packed-refs").matchAll(new RegExp(`^(${ID}) refs/(.+)$`, "gm"))) {
    add(path, id);
  }
  add("HEAD", idOf(textOf("HEAD")));
  // Each line of this log is one stash, the newest last, which is the ref itself.
  const stashes = [...textOf("logs/refs/stash").matchAll(new RegExp(`^${ID} (${ID})`, "gm"))].map(([, id]) => id);
  for (const [before, id] of stashes.toReversed().entries()) if (before > 0) add(`stash-${before}`, id);
  return found;
}

function idOf(text: string): string | undefined {
  return new RegExp(`^${ID}`).exec(text)?.[0];
}

/** The text of a file, which is empty where there is none; what cannot be read is not taken for nothing. */
function readText(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MOST_BYTES });
  } catch (cause) {
    if (isAbsence(cause)) return "";
    throw new Error(`${path} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Those that are commits, or tags of commits, under names that git takes. */
async function knownOf(
  named: readonly OwnCommit[],
  { borrowed, signal, store }: { readonly store: string; readonly borrowed: string; readonly signal: AbortSignal },
): Promise<readonly OwnCommit[]> {
  const stdin = named.map(({ id }) => `${id}^{commit}\n`).join("");
  const said = await git(["cat-file", "--batch-check"], { ...inStore(store, signal, borrowed), stdin });
  const ids = said.split("\n").map((line) => new RegExp(`^(${ID}) commit `).exec(line)?.[1]);
  const missing = named.find((_, at) => ids[at] === undefined);
  if (missing !== undefined) throw new Error(`${missing.name} names ${missing.id}, which is no commit that is there`);
  return named.map(({ name }, at) => ({
    name: /^[\w./+@=-]+$/.test(name) && !/\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[./]$/.test(name)
      ? name
      : `unnamed-${at + 1}`,
    id: ids[at] ?? "",
  }));
}

/**
 * What a folder of objects leads to besides its own: an agent that has linked another repository's there would have that one's
 * commits brought to where the next agent can read them.
 */
async function requirePlain(
  objects: string,
  { store, signal }: { readonly store: string; readonly signal: AbortSignal },
): Promise<void> {
  const { code, stdout } = await systemProcessRunner.run({
    argv: ["find", objects, "!", "-type", "f", "!", "-type", "d", "-print", "-quit"],
    ...present({ signal }),
  });
  if (code !== 0) throw new Error(`what is in ${objects} cannot be told`);
  const [odd] = stdout.split("\n");
  if (odd !== undefined && odd !== "") throw new Error(`${odd} is not a file of git's`);
  if (readText(`${objects}/info/alternates`) !== `${store}/objects\n`) {
    throw new Error(`${objects}/info/alternates names other repositories than it did`);
  }
}
