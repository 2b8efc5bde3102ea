import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import { inStore } from "./git.ts";
import {
  commitOfNow,
  makeStoreOf,
  placesOfRepository,
  plainFolder,
  repositoryOf,
  storePathOf,
} from "./open_workspace.ts";
import { type Limit, lookAtCheckout } from "./own_index.ts";
import { bringObjects, commitFiles, commitOfTree } from "./snapshot.ts";
import { applyResult } from "./result.ts";
import { commitTree } from "./target.ts";
import { treeOf } from "./trees.ts";
import { nameOf, type Workspace } from "./workspace.ts";

interface Asking {
  readonly signal: AbortSignal;
}

/**
 * What git neither has nor ignores is copied up to here: a person may keep data beside their code, and a folder without git
 * may be all that they have.
 */
const LIMIT: Limit = { maxNewBytes: 256 * 1024 * 1024, maxNewFiles: 200_000, lookMs: 60_000 };
const PLAIN_LIMIT: Limit = { maxNewBytes: 64 * 1024 * 1024, maxNewFiles: 20_000, lookMs: 10_000 };

/** As what the checkout is known that a run works in itself. */
export function notedName(run: string): string {
  return nameOf(`run ${run}`);
}

/**
 * The checkout that agents are about to work in itself, as a workspace is known: what it is now is its base. Nothing of the
 * person's is changed, and its name is no workspace's.
 *
 * @throws {RuntimeError} where git cannot take what is in it, or that is too much
 */
export async function checkoutAsItIs(
  folder: string,
  { isHead = false, now, run, signal }: Asking & {
    readonly run: string;
    readonly now: Date;
    /** Whether it was what its last commit says, whatever it is now. @default {false} */
    readonly isHead?: boolean;
  },
): Promise<Workspace> {
  const name = notedName(run);
  const repository = await repositoryOf(folder, signal).catch((error) => {
    if (error instanceof UsageError) return plainFolder(folder);
    throw error;
  });
  const { isPlain, objects, prefix, settings, store, top } = repository;
  await makeStoreOf(repository, signal);
  const limit = isPlain ? PLAIN_LIMIT : LIMIT;
  await using look = await lookAtCheckout(repository, { name, limit, isBase: true, signal });
  const madeAt = now.toISOString();
  // Without what came before it: of a large repository that would be much, and no check asks for it.
  const message = "The checkout as it was";
  const base = isHead
    ? await commitOfTree(`${repository.head}^{tree}`, { date: madeAt, message, place: inStore(store, signal, objects) })
    : await commitFiles(look.files, { date: madeAt, parent: undefined, message });
  if (!isHead) await look.keep();
  const places = { origin: folder, top, tree: top, workdir: `${top}/${prefix}`.replace(/\/$/, "") };
  return { ...places, name, store, base, settings, madeAt, ...(isPlain ? { isPlain } : {}) };
}

/**
 * A commit of a checkout as it is now: its base where nothing was changed; otherwise both are in the store then.
 *
 * @throws {RuntimeError} where git cannot take what is in it, or that is too much
 */
export async function keepCheckout(checkout: Workspace, { signal }: Asking): Promise<string> {
  const { commit, objects } = await commitOfNow(checkout, { signal, limit: checkout.isPlain ? PLAIN_LIMIT : LIMIT });
  // The base comes along: the commit follows it.
  if (commit !== checkout.base) await bringObjects(commit, { store: checkout.store, borrowed: objects, signal });
  return commit;
}

/** Brings all that a workspace, or a checkout, has begun with into the store: of a checkout no more than its commit is there. */
export async function bringBase({ base, isPlain, origin, store }: Workspace, { signal }: Asking): Promise<void> {
  const { objects } = await (isPlain ? plainFolder(origin) : placesOfRepository(origin, signal));
  await bringObjects(base, { store, borrowed: objects, signal });
}

/**
 * Takes back what was changed in a checkout from its base to a later commit of its store; what was changed since stays.
 *
 * @param checkout by what name it is told
 * @returns the files that were written; none where nothing of it is there any more
 * @throws {RuntimeError} which names the files that were changed since in the same lines, or are in the way
 */
export async function undoCheckout(
  checkout: Workspace,
  { commit, signal }: Asking & { readonly commit: string },
): Promise<readonly string[]> {
  const { base, store } = checkout;
  if (base === commit) return [];
  const tree = await treeOf(base, { store, signal });
  const before = await commitTree(tree, { store, signal, onto: commit, message: "The checkout as it was" });
  const refused = { verb: "undo", hint: () => "Commit or undo yours first." };
  return await applyResult({ ...checkout, base: commit }, { commit: before }, { signal, refused });
}

/** Removes what is kept of a checkout that is removed for good. */
export async function dropStoreOf(top: string): Promise<void> {
  const there = stateFolder() !== undefined && lstatOrUndefined(`${top}/.git`) !== undefined;
  if (!there) return;
  const store = await storePathOf(`${await Deno.realPath(top)}/.git/objects`);
  if (lstatOrUndefined(store) !== undefined) await Deno.remove(store, { recursive: true });
}
