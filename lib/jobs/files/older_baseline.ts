import { relative, resolve } from "@std/path/posix";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { askGit, findRepository, type GitQuestion, letOthersWork, listByGit, lstatOf, UntoldError } from "./list.ts";
import { blobId } from "./blob_id.ts";
import type { FilesNote, FileState } from "./snapshot.ts";

/** Whether a step's baseline is what earlier versions have in its place: the id of a git tree. */
export function isOlderBaseline(baseline: string): boolean {
  return /^[0-9a-f]{40}$/.test(baseline);
}

/**
 * The files that have changed since a step of an older version began, sorted; with what they were before. That version
 * kept what git did not ignore, in objects of its own.
 *
 * What git keeps in another form than the files have, by a filter or by line ends, counts as changed.
 */
export async function changedSinceTree(
  tree: string,
  { objects, ...question }: GitQuestion & { readonly objects: string },
): Promise<{ readonly changed: readonly string[]; readonly note: FilesNote }> {
  const { folder: workdir, signal } = question;
  const repository = await findRepository(question);
  if (repository === undefined) throw new UntoldError("the repository that an earlier version compared is gone");
  const top = repository.root;
  const env = {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `${repository.gitFolders.at(-1)}/objects`,
  };
  const answer = await askGit({ ...question, folder: top, env }, ["ls-tree", "-r", "-z", "--full-tree", tree]);
  const listed = await listByGit({ ...question, folder: top });
  if (answer?.code !== 0 || listed === undefined) throw new UntoldError("what an earlier version has noted is gone");
  const nameOf = (path: string) => relative(workdir, `${top}/${path}`);
  const blobs: Record<string, string> = Object.create(null);
  const files: Record<string, FileState> = Object.create(null);
  // git still lists what was gone before.
  const changed = new Set(listed.names.map(nameOf).filter((name) => lstatOf(resolve(workdir, name)) !== undefined));
  for (const [index, entry] of answer.stdout.split("\0").entries()) {
    signal?.throwIfAborted();
    await letOthersWork(index + 1);
    const { mode, id, path } = /^(?<mode>\d+) \w+ (?<id>[0-9a-f]+)\t(?<path>.*)$/s.exec(entry)?.groups ?? {};
    if (mode === undefined || id === undefined || path === undefined) continue;
    const name = nameOf(path);
    const isSame = await isAsBefore(resolve(workdir, name), { mode, id });
    if (isSame) changed.delete(name);
    else changed.add(name);
    if (mode === SUBMODULE) continue;
    blobs[name] = id;
    files[name] = { ...NOTHING_KNOWN, kind: mode === LINK ? "link" : "file", mode: Number.parseInt(mode, 8) };
  }
  const snapshot = { root: relative(workdir, top), rootId: "", gitFolders: [], files };
  return { changed: [...changed].toSorted(), note: { snapshot, blobs } };
}

const LINK = "120000";
const SUBMODULE = "160000";

const NOTHING_KNOWN = { size: 0, mtime: 0, ctime: 0, inode: 0, names: 1 };

/** What cannot be read is not as before. */
async function isAsBefore(
  path: string,
  { mode, id }: { readonly mode: string; readonly id: string },
): Promise<boolean> {
  const info = lstatOf(path);
  // Which of its commits is checked out, the older version did not know for certain either.
  if (mode === SUBMODULE) return info?.isDirectory === true;
  const isLink = mode === LINK;
  if (info === undefined || !(isLink ? info.isSymlink : info.isFile)) return false;
  if (!isLink && ((info.mode ?? 0) & 0o100) !== (Number.parseInt(mode, 8) & 0o100)) return false;
  try {
    const bytes = isLink
      ? new TextEncoder().encode(Deno.readLinkSync(path))
      : readRegularFile(path, { maxBytes: info.size });
    return await blobId(bytes, id.length) === id;
  } catch {
    return false;
  }
}
