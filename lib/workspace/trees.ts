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
  // It is asked by lines.
  if (path.includes("\n")) return undefined;
  const said = await git(["cat-file", "--batch"], { ...inStore(store, signal), stdin: `${commit}:${path}\n` });
  const [, bytes, text] = /^[0-9a-f]+ blob (\d+)\n(.*)\n$/s.exec(said) ?? [];
  return text === undefined || Number(bytes) > MOST_BYTES ? undefined : text;
}

/** The texts of files in a commit. */
export async function textsIn(
  commit: string,
  { paths, signal, store }: Pick<Between, "store" | "signal"> & { readonly paths: readonly string[] },
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  if (paths.length === 0) return [];
  // All at once: to ask for one after the other takes several processes each.
  const asked = [..."grep --text --no-color --null -e".split(" "), "", commit, "--"];
  const literal = paths.map((path) => `:(literal)${path}`);
  const said = await git([...asked, ...literal], { ...inStore(store, signal), codes: [0, 1] });
  const texts = new Map<string, string[]>();
  for (const line of said.split("\n")) {
    const [name = "", text] = line.split("\0", 2);
    if (text === undefined) continue;
    const path = name.slice(commit.length + 1);
    const lines = texts.get(path);
    if (lines === undefined) texts.set(path, [text]);
    else lines.push(text);
  }
  return [...texts].map(([path, lines]) => ({ path, text: lines.join("\n") }));
}

/** A commit of one's files, but for some paths, which are as in another commit: also where they are not there. */
export async function commitWith(
  { base: others, commit, signal, store }: Between,
  { name, paths }: Pick<Workspace, "name"> & { readonly paths: readonly string[] },
): Promise<string> {
  return await changedCommit({ commit, name, signal, store }, async (place) => {
    const listed = await git(["ls-tree", "-r", "-z", others, "--", ...paths], place);
    const there = listed.split("\0").filter((line) => line !== "");
    const gone = paths.filter((path) => !there.some((line) => line.endsWith(`\t${path}`)));
    const lines = [...there, ...gone.map((path) => `0 ${"0".repeat(commit.length)}\t${path}`)];
    await git(["update-index", "-z", "--index-info"], { ...place, stdin: lines.map((line) => `${line}\0`).join("") });
  });
}

/** A commit in which the text of a file is another one; the file's mode stays. */
export async function commitWithText(
  between: Changing,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<string> {
  return await changedCommit(between, async (place) => {
    const blob = (await git(["hash-object", "-w", "--stdin"], { ...place, stdin: text })).trim();
    const [mode = "100644"] = (await git(["ls-tree", between.commit, "--", path], place)).split(" ", 1);
    await git(["update-index", "--add", "--cacheinfo", `${mode},${blob},${path}`], place);
  });
}

/** A commit without some of what it has changed: a patch of one of its hunks is taken back. */
export async function commitWithout(between: Changing, patch: string): Promise<string> {
  return await changedCommit(between, async (place) => {
    await git(["apply", "--cached", "--reverse", "--unidiff-zero", "--whitespace=nowarn", "-"], {
      ...place,
      stdin: patch,
    });
  });
}

type Changing = Pick<Between, "commit" | "store" | "signal"> & Pick<Workspace, "name">;

/** A commit that follows another one, with what was changed in the index. */
async function changedCommit(
  { commit, name, signal, store }: Changing,
  change: (place: ReturnType<typeof inStore>) => Promise<void>,
): Promise<string> {
  const index = `${placesOf().known}/${name}.${crypto.randomUUID()}`;
  const place = { ...inStore(store, signal), env: { GIT_DIR: store, GIT_INDEX_FILE: index } };
  try {
    await git(["read-tree", commit], place);
    await change(place);
    const tree = await gitLine(["write-tree"], place);
    return await gitLine(["commit-tree", tree, "-p", commit, "-m", "To be tried"], place);
  } finally {
    await Deno.remove(index).catch(() => {});
  }
}

/** The files in a commit, below the top of the repository. */
export async function filesIn(commit: string, { signal, store }: Pick<Between, "store" | "signal">) {
  const listed = await git(["ls-tree", "-r", "-z", "--name-only", commit], inStore(store, signal));
  return listed.split("\0").filter((path) => path !== "");
}

/** The tree of a commit. */
export async function treeOf(commit: string, { signal, store }: Pick<Between, "store" | "signal">): Promise<string> {
  return await gitLine(["rev-parse", `${commit}^{tree}`], inStore(store, signal));
}

/** What two commits differ in, as a patch without lines around its hunks. */
export async function patchBetween({ base, commit, signal, store }: Between): Promise<string> {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0", "--full-index"];
  return await git(["-c", "core.quotePath=false", "diff", ...plain, base, commit], inStore(store, signal));
}
