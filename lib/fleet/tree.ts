import { removeTree } from "../base/ports/own_files.ts";
import { RuntimeError } from "../base/errors.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { EMAIL, formatOf, git, gitLine, inStore, makeRepository, QUIETLY } from "../workspace/git.ts";
import { inside } from "./inside.ts";
import { dropStoreOf } from "../workspace/checkout.ts";
import { commitFiles } from "../workspace/snapshot.ts";

interface Asking {
  readonly signal: AbortSignal;
}

/** Where a worker has a job: a checkout of its own, and beside it a store that keeps what was done there. */
export interface JobPlace {
  readonly root: string;
  readonly checkout: string;
  /** The folder in the checkout that the job works in. */
  readonly workdir: string;
  readonly store: string;
  /** The commit that the job was submitted at. */
  readonly origin: string;
  /** The commit that it began with: that one, with what has come of the jobs that it needs. */
  readonly base: string;
}

/** A commit of a store, with what it reaches but for what `without` reaches, as one file. */
export async function bundleOf(
  commit: string,
  { store, signal, without }: Asking & { readonly store: string; readonly without?: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const own = inStore(store, signal);
  const ref = `refs/bundled/${commit}`;
  const file = `${store}/${crypto.randomUUID()}.bundle`;
  await git(["update-ref", ref, commit], own);
  try {
    const range = without === undefined || without === commit ? [] : [`^${without}`];
    await git(["bundle", "create", "--quiet", file, ref, ...range], own);
    return await Deno.readFile(file);
  } finally {
    await Deno.remove(file).catch(() => {});
  }
}

/**
 * Brings the commits of a bundle into a store.
 *
 * @throws {RuntimeError} when the bundle has not the commit
 */
export async function takeBundle(
  bundle: Uint8Array,
  { commit, store, signal }: Asking & { readonly commit: string; readonly store: string },
): Promise<void> {
  const file = `${store}/${crypto.randomUUID()}.bundle`;
  await Deno.writeFile(file, bundle, { createNew: true, mode: 0o600 });
  try {
    await git(["fetch", ...QUIETLY, file, `+refs/*:refs/brought/*`], inStore(store, signal));
  } finally {
    await Deno.remove(file).catch(() => {});
  }
  const found = await gitLine(["cat-file", "-t", commit], { ...inStore(store, signal), codes: [0, 128] });
  if (found !== "commit") throw new RuntimeError(`Cannot find commit ${commit.slice(0, 12)} in the bundle of the job`);
  await git(["update-ref", `refs/kept/${commit}`, commit], inStore(store, signal));
}

/**
 * Makes the store of a job, with nothing in it.
 *
 * @param commit one of its repository
 */
export async function makeStoreOf(
  root: string,
  { commit, signal }: Asking & { readonly commit: string },
): Promise<string> {
  makeOwnFolder(root);
  const store = `${root}/store.git`;
  await Deno.mkdir(`${store}/info`, { recursive: true });
  await makeRepository(store, { format: formatOf(commit), isBare: true, signal });
  await Deno.writeTextFile(`${store}/info/exclude`, OURS);
  return store;
}

/** What panewright itself puts into a working directory. */
const OURS = "/.tmp/agent-responses/\n.panewright/\n";

const BRANCH = "panewright/job";

/** A checkout of its own: nothing in it names the store. */
export async function makeCheckout(
  root: string,
  { base, folder, origin, store, signal }: Asking & {
    readonly base: string;
    readonly origin: string;
    readonly folder: string;
    readonly store: string;
  },
): Promise<JobPlace> {
  const checkout = `${root}/checkout`;
  await Deno.mkdir(checkout, { mode: 0o700 });
  const here = { cwd: checkout, signal };
  await makeRepository(checkout, { format: formatOf(base), branch: BRANCH, signal });
  await Deno.mkdir(`${checkout}/.git/info`, { recursive: true });
  await Deno.writeTextFile(`${checkout}/.git/info/exclude`, OURS);
  await git(["config", "user.name", "panewright"], here);
  await git(["config", "user.email", EMAIL], here);
  await git(["fetch", ...QUIETLY, store, `refs/kept/${base}:refs/heads/${BRANCH}`, "--update-head-ok"], here);
  await git(["reset", "--quiet", "--hard"], here);
  const workdir = inside(folder === "" ? "." : folder, { checkout, workdir: checkout });
  await Deno.mkdir(workdir, { recursive: true });
  await Deno.writeTextFile(noteIn(root), workdir, { mode: 0o600 });
  return { root, checkout, workdir, store, origin, base };
}

/** Removes the place of a job, and what is kept of its checkout. */
export async function removeRoot(root: string): Promise<void> {
  await dropStoreOf(`${root}/checkout`);
  await removeTree(root);
}

/** Where it stands which folder a job works in, for whoever finds the place of a worker that is gone. */
export function noteIn(root: string): string {
  return `${root}/workdir`;
}

/** The files of a checkout as they are now, as a commit of the store: the same files are the same commit. */
export async function commitNow({ base, checkout, root, store }: JobPlace, { signal }: Asking): Promise<string> {
  const files = { store, tree: checkout, index: `${root}/saved.index`, settings: [], signal };
  return await commitFiles(files, { parent: base, message: "The work of a job", date: EPOCH });
}

/** A commit's time would make it another one for the same files. */
const EPOCH = "2000-01-01T00:00:00Z";

/** Makes the files of a checkout those of a commit of the store; what HEAD names stays. */
export async function restoreFiles(
  { checkout, store }: JobPlace,
  { commit, signal }: Asking & { readonly commit: string },
): Promise<void> {
  const here = { cwd: checkout, signal };
  await git(["fetch", ...QUIETLY, store, `refs/kept/${commit}:refs/panewright/work`], here);
  await git(["restore", "--quiet", "--no-overlay", `--source=${commit}`, "--worktree", "--", ":/"], here);
  await git(["update-ref", "-d", "refs/panewright/work"], here);
}
