import { RuntimeError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { stateFolder } from "../base/ports/state_folder.ts";
import { git, inStore } from "./git.ts";
import { commitOfNow, repositoryOf, storeOf, storePathOf } from "./open_workspace.ts";
import { bringObjects, commitFiles, commitOfTree, ownIndex } from "./snapshot.ts";
import { placesOf, type Workspace } from "./workspace.ts";

interface Asking {
  readonly signal: AbortSignal;
}

/** What git neither has nor ignores is copied up to here: a person may keep data beside their code. */
const MOST_UNTRACKED_BYTES = 256 * 1024 * 1024;

/**
 * The checkout that agents are about to work in itself, as a workspace is known: what it is now is its base. Nothing of the
 * person's is changed, and its name is no workspace's.
 *
 * @throws {UsageError} where the folder is in no repository
 * @throws {RuntimeError} where git cannot take what is in it, or that is too much
 */
export async function checkoutAsItIs(
  folder: string,
  { isHead = false, name, now, signal }: Asking & {
    readonly name: string;
    readonly now: Date;
    /** Whether it was what its last commit says, whatever it is now. @default {false} */
    readonly isHead?: boolean;
  },
): Promise<Workspace> {
  const repository = await repositoryOf(folder, signal);
  const { objects, prefix, settings, top } = repository;
  const store = await storeOf(repository, signal);
  await using index = await ownIndex(`${repository.gitFolder}/index`, `${placesOf().known}/${name}.checkout`);
  const madeAt = now.toISOString();
  const files = { store, tree: top, index: index.path, settings, borrowed: objects, signal };
  // Without what came before it: of a large repository that would be much, and no check asks for it.
  const message = "The checkout as it was";
  if (!isHead) await requireLittle(top, signal);
  const base = isHead
    ? await commitOfTree(`${repository.head}^{tree}`, { date: madeAt, message, place: inStore(store, signal, objects) })
    : await commitFiles(files, { date: madeAt, parent: undefined, message });
  const places = { origin: folder, top, tree: top, workdir: `${top}/${prefix}`.replace(/\/$/, "") };
  return { ...places, name, store, base, settings, madeAt };
}

/**
 * A commit of a checkout as it is now: its base where nothing was changed; otherwise both are in the store then.
 *
 * @throws {RuntimeError} where git cannot take what is in it, or that is too much
 */
export async function keepCheckout(checkout: Workspace, { signal }: Asking): Promise<string> {
  const { base, name, store, top } = checkout;
  await requireLittle(top, signal);
  await using index = await ownIndex(`${placesOf().known}/${name}.checkout`);
  const { commit, objects } = await commitOfNow(checkout, { index: index.path, signal });
  // The base comes along: the commit follows it.
  if (commit !== base) await bringObjects(commit, { store, borrowed: objects, signal });
  return commit;
}

/** Removes what is kept of a checkout that is removed for good. */
export async function dropStoreOf(top: string): Promise<void> {
  const there = stateFolder() !== undefined && lstatOrUndefined(`${top}/.git`) !== undefined;
  if (!there) return;
  const store = await storePathOf(`${await Deno.realPath(top)}/.git/objects`);
  if (lstatOrUndefined(store) !== undefined) await Deno.remove(store, { recursive: true });
}

async function requireLittle(top: string, signal: AbortSignal): Promise<void> {
  const listed = await git(["ls-files", "--others", "--exclude-standard", "-z"], { cwd: top, signal });
  const sizes = listed.split("\0").map((path) => path === "" ? 0 : lstatOrUndefined(`${top}/${path}`)?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MOST_UNTRACKED_BYTES) return;
  const megabytes = Math.round(bytes / 1024 / 1024);
  throw new RuntimeError(
    `Cannot copy what is in ${top}: ${megabytes} MB of it are in no commit, and git does not ignore them`,
  );
}
