import { removeTree } from "../base/ports/own_files.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { isAbsence } from "../base/ports/files.ts";
import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { git, gitLine, inStore, QUIETLY } from "./git.ts";
import { commitOfNow } from "./open_workspace.ts";
import { keepOwnCommits } from "./own_commits.ts";
import { partsOf, type PatchPart, patchWith } from "./patch.ts";
import { freePorts } from "./ports.ts";
import { ownIndex } from "./own_index.ts";
import { bringObjects, commitFiles } from "./snapshot.ts";
import { landedIn, mergeIn } from "./target.ts";
import { emptyTree, isTrial, listWorkspaces, placesOf, type Workspace } from "./workspace.ts";

/** A part of a change, each character of which is a byte, and its path below the top of the repository. */
export type NamedPart = PatchPart & { readonly path: string };

/** Chooses what is applied of a change. */
export type ChooseParts = (parts: readonly NamedPart[]) => Promise<readonly NamedPart[]>;

/** What came of a workspace. */
export interface WorkspaceResult {
  /** The commit of all that is in it now; the one that it began with where nothing was changed. */
  readonly commit: string;
  /** The ref in the person's repository that holds it. */
  readonly ref: string;
  readonly files: readonly ChangedFile[];
  /** What is in no commit: repositories that were made inside, and what git may not read. */
  readonly inner: readonly string[];
}

interface ChangedFile {
  /** Below the top of the repository. */
  readonly path: string;
  /** `undefined` for a file that is no text. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

interface Asking {
  readonly signal: AbortSignal;
}

/** Commits all that is in a workspace, and brings the commit into the person's repository, under a ref of ours. */
export async function keepResult(workspace: Workspace, { signal }: Asking): Promise<WorkspaceResult> {
  const { base, name, store, top } = workspace;
  const leftOut = new Set<string>();
  const commit = workspace.isTarget === true
    ? await landedIn(workspace, { signal })
    : await commitWork(workspace, { signal, onLeftOut: (path) => void leftOut.add(path) });
  await bringObjects(commit, { store, signal });
  const ref = `refs/panewright/${name}`;
  await git(["fetch", ...QUIETLY, store, `+refs/kept/${commit}:${ref}`], { cwd: top, signal });
  return {
    commit,
    ref,
    files: await changedBetween([base, commit], inStore(store, signal)),
    inner: [...await innerOf(workspace, commit, { signal }), ...leftOut],
  };
}

/** Commits all that is in the files of a workspace, in the store; a repository without a commit is left out. */
export async function commitWork(
  { base, madeAt: date, name, settings, store, tree }: Workspace,
  { signal, onLeftOut }: Asking & { readonly onLeftOut?: (path: string) => void },
): Promise<string> {
  const kept = `${placesOf().known}/${name}.kept`;
  await using index = await ownIndex(kept);
  const files = { store, tree, index: index.path, settings, signal, ...present({ onLeftOut }) };
  const commit = await commitFiles(files, { date, parent: base, message: `What came of ${name}` });
  await Deno.rename(index.path, kept).catch(() => {});
  return commit;
}

/** Of a repository in a repository git would write an empty folder, and take nothing away. */
const NO_LINKS = ["--ignore-submodules=all"];

/** The files in which two commits of a store differ, with how many lines. */
export async function changedBetween(
  [from, to]: readonly [string, string],
  place: ReturnType<typeof inStore>,
  options: readonly string[] = [],
): Promise<readonly ChangedFile[]> {
  // A store need not have the base of what was not changed.
  if (from === to) return [];
  const said = await git(["diff-tree", "-r", "-z", "--numstat", "--no-renames", ...options, from, to], place);
  return said.split("\0").filter((line) => line !== "").map((line) => {
    const [added = "", removed = "", path = ""] = line.split(/\t(.*?)\t(.*)/s);
    const count = (text: string) => text === "-" ? undefined : Number(text);
    return { path, added: count(added), removed: count(removed) };
  });
}

/** The files in which two commits differ, below the top of the repository. */
export async function changedPaths(
  commits: readonly [string, string],
  { store, signal }: Pick<Workspace, "store"> & Asking,
): Promise<readonly string[]> {
  return (await changedBetween(commits, inStore(store, signal))).map(({ path }) => path);
}

/** How many lines two commits differ in; a file that is no text counts as many. */
export async function sizeBetween(
  commits: readonly [string, string],
  { store, signal }: Pick<Workspace, "store"> & Asking,
): Promise<number> {
  const files = await changedBetween(commits, inStore(store, signal));
  return files.reduce((sum, { added = NO_TEXT, removed = 0 }) => sum + added + removed, 0);
}

const NO_TEXT = 1000;

/** Folders that stand for another repository's commit, and did not before. */
async function innerOf(workspace: Workspace, commit: string, asking: Asking): Promise<readonly string[]> {
  return (await linksOf(workspace, commit, asking)).filter(({ isNew }) => isNew).map(({ path }) => path);
}

/** Folders that stand for another repository's commit, and for another one than before. */
export async function linksOf(
  { base, store }: Workspace,
  commit: string,
  { signal }: Asking,
): Promise<readonly { readonly path: string; readonly isNew: boolean }[]> {
  const said = await git(["diff-tree", "-r", "-z", "--raw", "--no-renames", base, commit], inStore(store, signal));
  return [...said.matchAll(/:(\d+) 160000 [^\0]*\0([^\0]*)\0/g)].map(([, before, path = ""]) => ({
    path,
    isNew: before !== "160000",
  }));
}

/** The folders of a workspace that are repositories of their own, and empty there: submodules, and what lies in the checkout. */
export async function emptyIn({ base, store, tree }: Workspace, { signal }: Asking): Promise<readonly string[]> {
  const own = inStore(store, signal);
  const said = await git(["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--raw", "--no-renames", base], own);
  const taken = [...said.matchAll(/:\d+ 160000 [^\0]*\0([^\0]*)\0/g)].map(([, path = ""]) => path);
  const named = lstatOrUndefined(`${tree}/.gitmodules`)?.isFile === true
    ? await git(["config", "--file", `${tree}/.gitmodules`, "-z", "--get-regexp", "^submodule\\..*\\.path$"], {
      ...own,
      codes: [0, 1],
    })
    : "";
  const submodules = named.split("\0").flatMap((entry) => entry.split("\n").slice(1));
  return [...new Set([...taken, ...submodules])].sort();
}

/** What was changed in a workspace since it began, as a patch for people. */
export async function diffOf(
  { base, store }: Pick<Workspace, "base" | "store">,
  { commit }: Pick<WorkspaceResult, "commit">,
  { signal }: Asking,
) {
  if (base === commit) return "";
  return await git(["diff", "--no-ext-diff", "--no-textconv", "--no-color", base, commit], inStore(store, signal));
}

/**
 * Brings what was changed in a workspace into the person's checkout, where what they have changed since stays: nothing
 * is overwritten, and where both have changed the same lines, nothing is written at all. Repositories in it stay where
 * they are.
 *
 * @returns the files that were written; none where all of it is there already
 * @throws {RuntimeError} which names the files that both have changed, or those that are in the way
 */
export async function applyResult(
  workspace: Workspace,
  { commit }: Pick<WorkspaceResult, "commit">,
  { choose, signal, refused = CANNOT_APPLY }: Asking & {
    readonly choose?: ChooseParts;
    /** What is said where nothing can be written. @default that it cannot be applied */
    readonly refused?: Refused;
  },
): Promise<readonly string[]> {
  const { name, store, top } = workspace;
  const patch = `${placesOf().known}/${name}.patch`;
  try {
    const { commit: now, objects } = await commitOfNow(workspace, { signal });
    const here = inStore(store, signal, objects);
    const { conflicts, tree: merged } = await mergeIn([now, commit], here);
    const cannot = (why: string, hint: string, cause?: unknown) =>
      new RuntimeError(`Cannot ${refused.verb} ${name}: ${why}`, { cause, hint: `Nothing was written. ${hint}` });
    if (conflicts.length > 0) {
      throw cannot(`your checkout has other changes to the same lines of ${conflicts.join(", ")}`, refused.hint(name));
    }
    const files = await changedBetween([now, merged], here, NO_LINKS);
    if (files.length === 0) return [];
    // Through a file, and byte for byte: what is in files need not be UTF-8.
    const how = [...NO_LINKS, "--binary", "--full-index", "--no-ext-diff", "--no-textconv", `--output=${patch}`];
    await git(["diff", ...how, ...choose === undefined ? [] : ["--no-renames"], now, merged], here);
    const chosen = choose === undefined ? files.map(({ path }) => path) : await chooseIn(patch, { choose, files });
    if (chosen.length === 0) return [];
    await git(["apply", "--whitespace=nowarn", patch], { cwd: top, signal }).catch((cause) => {
      throw cannot("something of yours is in the way", errorText(cause), cause);
    });
    return chosen;
  } finally {
    await Deno.remove(patch).catch(() => {});
  }
}

/** Leaves of a patch in a file what is chosen of it, and says of which files that is. */
async function chooseIn(
  patch: string,
  { choose, files }: { readonly choose: ChooseParts; readonly files: readonly ChangedFile[] },
): Promise<readonly string[]> {
  // Byte for byte: what is in files need not be UTF-8.
  const parts = partsOf(byteText(await Deno.readFile(patch))).map((part) => ({
    ...part,
    path: files[part.file]?.path ?? "",
  }));
  const chosen = await choose(parts);
  const left = patchWith(parts.filter((part) => chosen.includes(part)));
  await Deno.writeFile(patch, Uint8Array.from(left, (character) => character.charCodeAt(0)));
  return [...new Set(chosen.map(({ path }) => path))];
}

/** Each byte as a character. */
function byteText(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return pieces.join("");
}

interface Refused {
  readonly verb: string;
  readonly hint: (name: string) => string;
}

const CANNOT_APPLY: Refused = {
  verb: "apply",
  hint: (name) =>
    `Commit or undo yours first, or take the result as a branch: panewright apply ${name} --branch ${name}`,
};

/** @throws {UsageError} where there is a branch of that name */
export async function branchResult(
  { top }: Workspace,
  { commit, branch, signal }: Pick<WorkspaceResult, "commit"> & Asking & { readonly branch: string },
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  await git(["check-ref-format", ref], { cwd: top, signal }).catch(() => {
    throw new UsageError(`Cannot make the branch "${branch}": git takes no such name`);
  });
  const there = await gitLine(["rev-parse", "--verify", "--quiet", ref], { cwd: top, codes: [0, 1], signal });
  if (there === commit) return;
  if (there !== "") {
    throw new UsageError(`Cannot make the branch ${branch}: there is one`, { hint: "Name another one." });
  }
  // Only where there is none: another process may be as fast.
  await git(["update-ref", ref, commit, "0".repeat(commit.length)], { cwd: top, signal });
}

/**
 * Removes a workspace. What was in it stays under its ref, and the commits that were made in it under others.
 *
 * @param result all of it, as it is now
 * @returns the refs of those commits
 * @throws {UsageError} where something in it is in no commit, or a commit of its own cannot be kept
 */
export async function removeWorkspace(
  workspace: Workspace,
  { inner, ref }: WorkspaceResult,
  { signal }: Asking,
): Promise<readonly string[]> {
  const { name, tree } = workspace;
  if (inner.length > 0) {
    throw new UsageError(
      `Cannot remove the workspace ${name}: ${ref} does not have all that is in it`,
      {
        hint: `Move them away, or remove them: ${inner.map((path) => `${tree}/${path}`).join(", ")}`,
      },
    );
  }
  const commits = await keepOwnCommits(workspace, { signal });
  await dropWorkspace(workspace);
  return commits;
}

/** Removes what was made to try what is in a workspace, or what it began with: a process that was killed may have left it. */
export async function dropTrials(target: string): Promise<void> {
  for (const left of listWorkspaces()) {
    if (left.partOf?.target === target && isTrial(left.partOf)) await dropWorkspace(left);
  }
}

/** Removes a workspace, and whatever is in it; of one that runs have made for themselves, its empty folder stays for a while. */
export async function dropWorkspace(
  { name, partOf, tree }: Pick<Workspace, "name" | "partOf" | "tree">,
): Promise<void> {
  const { known } = placesOf();
  const removed = partOf === undefined ? removeTree(tree) : emptyTree(tree);
  await removed.catch((error) => {
    if (!isAbsence(error)) throw error;
  });
  // Names have no dot.
  const own = [...Deno.readDirSync(known)].map((entry) => entry.name).filter((file) => file.startsWith(`${name}.`));
  for (const file of own) await Deno.remove(`${known}/${file}`).catch(() => {});
  freePorts(name);
}
