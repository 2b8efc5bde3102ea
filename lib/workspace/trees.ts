import { git, gitLine, inStore } from "./git.ts";
import { placesOf, type Workspace } from "./workspace.ts";

interface Between {
  readonly base: string;
  readonly commit: string;
  readonly store: string;
  readonly signal: AbortSignal;
}

/** A text that is in commits is read up to here; what is longer counts as no text. */
const MOST_BYTES = 1024 * 1024;

/** The text of a file in a commit; `undefined` where there is none, or it is no text. */
export async function textIn(
  commit: string,
  { path, signal, store }: Pick<Between, "store" | "signal"> & { readonly path: string },
): Promise<string | undefined> {
  const place = inStore(store, signal);
  const kind = await gitLine(["cat-file", "-t", `${commit}:${path}`], { ...place, codes: [0, 128] });
  if (kind !== "blob") return undefined;
  const size = Number(await gitLine(["cat-file", "-s", `${commit}:${path}`], place));
  return size > MOST_BYTES ? undefined : await git(["cat-file", "blob", `${commit}:${path}`], place);
}

/** A commit of one's files, but for some paths, which are as in another commit: also where they are not there. */
export async function commitWith(
  { base: others, commit, signal, store }: Between,
  { name, paths }: Pick<Workspace, "name"> & { readonly paths: readonly string[] },
): Promise<string> {
  const index = `${placesOf().known}/${name}.${crypto.randomUUID()}`;
  const place = { ...inStore(store, signal), env: { GIT_DIR: store, GIT_INDEX_FILE: index } };
  try {
    await git(["read-tree", commit], place);
    const listed = await git(["ls-tree", "-r", "-z", others, "--", ...paths], place);
    const there = listed.split("\0").filter((line) => line !== "");
    const gone = paths.filter((path) => !there.some((line) => line.endsWith(`\t${path}`)));
    const lines = [...there, ...gone.map((path) => `0 ${"0".repeat(commit.length)}\t${path}`)];
    await git(["update-index", "-z", "--index-info"], { ...place, stdin: lines.map((line) => `${line}\0`).join("") });
    const tree = await gitLine(["write-tree"], place);
    return await gitLine(["commit-tree", tree, "-p", commit, "-m", "With other tests"], place);
  } finally {
    await Deno.remove(index).catch(() => {});
  }
}
