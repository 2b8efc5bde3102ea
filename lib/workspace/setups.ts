import { removeTree } from "../base/ports/own_files.ts";
import { RuntimeError } from "../base/errors.ts";
import { isPlainFile, lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularFile, readRegularText } from "../base/ports/regular_file.ts";
import { makeOwnFolder, stateFolder } from "../base/ports/state_folder.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { copyInto, isOurs } from "./bring.ts";
import { git, withStore } from "./git.ts";
import { ownIndex } from "./own_index.ts";
import { findWorkspace, placesOf, type Workspace } from "./workspace.ts";

// What the setup of a workspace has made is kept, so that the next one with the same files need not make it again.

/** How many are kept of a repository. */
const MOST_KEPT = 3;

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** What a setup depends on. */
interface SetupInputs {
  readonly command: string;
  /** Relative to the working directory. */
  readonly files: readonly string[];
}

/** Where what a setup makes is kept, by its command and by what is in the files that it depends on. */
export async function keptSetup(
  { store, workdir }: Pick<Workspace, "store" | "workdir">,
  { command, files }: SetupInputs,
): Promise<string | undefined> {
  const state = stateFolder();
  // Without such files nothing tells when it is to be made anew.
  if (files.length === 0 || state === undefined) return undefined;
  const digests = await Promise.all(files.map(async (file) => {
    const path = `${workdir}/${file}`;
    return [file, isPlainFile(path) ? await sha256Hex(readRegularFile(path, { maxBytes: MAX_FILE_BYTES })) : null];
  }));
  const key = (await sha256Hex(JSON.stringify([command, digests]))).slice(0, 16);
  return `${state}/setups/${store.slice(store.lastIndexOf("/") + 1, -".git".length)}/${key}`;
}

/** Puts what an earlier setup has made into a workspace in which nobody has worked yet; false where there is nothing. */
export async function restoreSetup(
  { tree }: Pick<Workspace, "tree">,
  { kept, signal }: { readonly kept: string; readonly signal: AbortSignal },
): Promise<boolean> {
  if (lstatOrUndefined(kept)?.isDirectory !== true) return false;
  for (const path of listedIn(kept)) {
    if (await copyInto(path, { from: `${kept}/files`, into: tree, replaces: true, signal })) continue;
    throw new RuntimeError(`Cannot set up the workspace: the place of ${path} is behind a link`);
  }
  await Deno.utime(kept, new Date(), new Date());
  return true;
}

function listedIn(kept: string): readonly string[] {
  return readRegularText(`${kept}/paths`, { maxBytes: MAX_FILE_BYTES }).split("\0").filter((path) => path !== "");
}

/**
 * Keeps what a setup has made, as far as git ignores it: only where the workspace began with what the person has, since
 * what an agent has changed would get into the workspaces of others.
 */
export async function keepSetup(
  { base, name, partOf, store, tree }: Workspace,
  { kept, signal }: { readonly kept: string; readonly signal: AbortSignal },
): Promise<void> {
  if (partOf !== undefined && findWorkspace(partOf.target)?.base !== base) return;
  await using index = await ownIndex(`${placesOf().known}/${name}.setup`);
  const place = { ...withStore({ store, tree, index: index.path }), signal };
  await git(["read-tree", base], place);
  const listed = await git(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"], place);
  const paths = listed.split("\0").filter((path) => path !== "" && !isOurs(path));
  const folder = kept.slice(0, kept.lastIndexOf("/"));
  makeOwnFolder(folder);
  const draft = `${folder}/.${crypto.randomUUID()}`;
  try {
    await Deno.mkdir(`${draft}/files`, { recursive: true, mode: 0o700 });
    for (const path of paths) await copyInto(path, { from: tree, into: `${draft}/files`, signal });
    await Deno.writeTextFile(`${draft}/paths`, paths.join("\0"));
    // Another workspace may have been as fast.
    if (lstatOrUndefined(kept) === undefined) await Deno.rename(draft, kept);
  } finally {
    await removeTree(draft).catch(() => {});
  }
  await dropOldest(folder);
}

async function dropOldest(folder: string): Promise<void> {
  const all = [...Deno.readDirSync(folder)].filter(({ name }) => !name.startsWith(".")).map(({ name }) => {
    return { path: `${folder}/${name}`, usedAt: lstatOrUndefined(`${folder}/${name}`)?.mtime?.getTime() ?? 0 };
  });
  const oldest = all.toSorted((one, other) => other.usedAt - one.usedAt).slice(MOST_KEPT);
  for (const { path } of oldest) await removeTree(path).catch(() => {});
}
