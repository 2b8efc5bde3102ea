import { RuntimeError } from "../../base/errors.ts";
import { runGit } from "../../base/ports/git.ts";
import { checkoutAsItIs } from "../../workspace/checkout.ts";
import { isInRepository } from "../../workspace/open_workspace.ts";
import { treeOf } from "../../workspace/trees.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Finding, Statement } from "./statement.ts";

/** Where a statement is looked at: a folder of a repository, or one without git. */
interface Place {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Whether the files are here that a statement is about. */
export async function filesHere({ subject }: Statement, { cwd, signal }: Place): Promise<Finding> {
  const what = "commit";
  const { gitCommit = "", gitTree = "" } = subject[0]?.digest ?? {};
  if (!/^[0-9a-f]{40,64}$/.test(gitCommit)) return { what, holds: false, detail: "it names none" };
  if (!await isInRepository(cwd, signal)) {
    return await treeHere({ cwd, signal }) === gitTree
      ? { what, holds: true, detail: "the files here are those that were judged" }
      : { what, holds: null, detail: "the files here, which are in no repository, are not those that were judged" };
  }
  const tree = await idOf(`${gitCommit}^{tree}`, { cwd, signal });
  if (tree === gitTree) return { what, holds: true, detail: `${gitCommit} has the files that were judged` };
  if (tree !== undefined) {
    return { what, holds: false, detail: `${gitCommit} has other files: ${tree}, not ${gitTree}` };
  }
  return await idOf("HEAD^{tree}", { cwd, signal }) === gitTree
    ? { what, holds: true, detail: "HEAD has the files that were judged" }
    : { what, holds: null, detail: `neither is ${gitCommit} in this repository, nor has HEAD its files` };
}

/** The tree of a folder's files as they are now, where no commit has them. */
async function treeHere({ cwd, signal }: Place): Promise<string | undefined> {
  try {
    const { base, store } = await checkoutAsItIs(cwd, { run: VERIFYING, now: new Date(0), signal });
    return await treeOf(base, { store, signal });
  } catch (error) {
    // Too much is there.
    if (!(error instanceof RuntimeError)) throw error;
    return undefined;
  }
}

const VERIFYING = "verified";

/**
 * The commit here with the files that a statement is about: what was made in a checkout itself, its person has committed.
 *
 * @returns HEAD where the statement's own commit is not here; where there is no repository, one of ours
 */
export async function commitHere(
  { subject }: Statement,
  { cwd, signal }: Place,
): Promise<Pick<Workspace, "base" | "isPlain">> {
  if (!await isInRepository(cwd, signal)) {
    return await checkoutAsItIs(cwd, { run: VERIFYING, now: new Date(0), signal });
  }
  const { gitCommit = "" } = subject[0]?.digest ?? {};
  const here = await idOf(`${gitCommit}^{commit}`, { cwd, signal });
  return { base: here ?? await idOf("HEAD^{commit}", { cwd, signal }) ?? gitCommit };
}

async function idOf(
  name: string,
  { cwd, signal }: Place,
): Promise<string | undefined> {
  const { code, stdout } = await runGit(["rev-parse", "--verify", "--quiet", name], { cwd, signal });
  return code === 0 ? stdout.trim() : undefined;
}
