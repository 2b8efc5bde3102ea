import { type ProcessRunner, systemProcessRunner } from "../../ports/process.ts";
import { mayWrite } from "./write_globs.ts";

/** Where and how git is called. */
export interface GitWritesOptions {
  /** Absolute. */
  readonly workdir: string;
  /** An absolute folder that this may fill: it keeps the repository free of our objects. */
  readonly scratch: string;
  readonly signal?: AbortSignal;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
}

/**
 * The state of all files that git does not ignore, tracked or not, as the id of a git tree. The repository is not
 * changed: index and objects are written to `scratch`.
 *
 * @returns `undefined` where the folder is in no git repository, or git is missing
 */
export async function snapshotTree(options: GitWritesOptions): Promise<string | undefined> {
  const place = await findRepository(options);
  if (place === undefined) return undefined;
  await Deno.mkdir(`${options.scratch}/objects`, { recursive: true, mode: 0o700 });
  // A copy of the index knows which files are unchanged, so that they need not be read again.
  await Deno.copyFile(place.index, `${options.scratch}/index`).catch(() => {});
  const env = scratchEnv(options, place);
  if ((await git(options, ["add", "--all", "--", ":/"], env)).code !== 0) return undefined;
  const { code, stdout } = await git(options, ["write-tree"], env);
  return code === 0 ? stdout.trim() : undefined;
}

/**
 * The files that differ between two snapshots and that no glob allows, relative to the working directory.
 *
 * @param baseline what {@linkcode snapshotTree} returned before, with the same `scratch`
 */
export async function writesOutside(
  options: GitWritesOptions & { readonly baseline: string; readonly allowWrite: readonly string[] },
): Promise<string[] | undefined> {
  const place = await findRepository(options);
  const now = await snapshotTree(options);
  if (place === undefined || now === undefined) return undefined;
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", options.baseline, now];
  const { code, stdout } = await git(options, args, scratchEnv(options, place));
  if (code !== 0) return undefined;
  return stdout.split("\0").filter((path) => path !== "").map((path) => relativeTo(place.prefix, path))
    .filter((path) => !mayWrite(path, options.allowWrite));
}

interface Repository {
  /** The working directory's path in the repository, with a slash at the end; empty at the top. */
  readonly prefix: string;
  readonly index: string;
  readonly objects: string;
}

async function findRepository(options: GitWritesOptions): Promise<Repository | undefined> {
  try {
    const { code, stdout } = await git(options, [
      ...["rev-parse", "--path-format=absolute", "--show-prefix", "--git-path", "index", "--git-path", "objects"],
    ]);
    const [prefix, index, objects] = stdout.split("\n");
    return code !== 0 || prefix === undefined || !index || !objects ? undefined : { prefix, index, objects };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function scratchEnv({ scratch }: GitWritesOptions, { objects }: Repository): Record<string, string> {
  return {
    GIT_INDEX_FILE: `${scratch}/index`,
    GIT_OBJECT_DIRECTORY: `${scratch}/objects`,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
  };
}

function git(options: GitWritesOptions, args: readonly string[], env: Record<string, string> = {}) {
  const { workdir, signal, processRunner = systemProcessRunner } = options;
  return processRunner.run({
    argv: ["git", "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false", ...args],
    cwd: workdir,
    env: { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", ...env },
    maxOutputBytes: 64 * 1024 * 1024,
    ...(signal === undefined ? {} : { signal }),
  });
}

/**
 * A path of the repository, seen from one of its folders.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["a/b/c.ts", "a/d.ts"].map((path) => relativeTo("a/b/", path)), ["c.ts", "../d.ts"]);
 * ```
 */
export function relativeTo(prefix: string, path: string): string {
  const folders = prefix.split("/").filter((part) => part !== "");
  const parts = path.split("/");
  let shared = 0;
  while (shared < folders.length && shared < parts.length - 1 && folders[shared] === parts[shared]) shared++;
  return [...folders.slice(shared).map(() => ".."), ...parts.slice(shared)].join("/");
}
