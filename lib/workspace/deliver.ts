import { RuntimeError, UsageError } from "../base/errors.ts";
import { git, type GitAsk, gitLine } from "./git.ts";
import { mergeIn } from "./target.ts";
import { branchResult, type WorkspaceResult } from "./result.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Moves the person's checkout on to a commit that follows their HEAD. Their hooks do not run: what they call, agents may have
 * written.
 *
 * @throws {RuntimeError} where that would overwrite what they have not committed: nothing is moved then
 */
export async function landOnHead(
  workspace: Workspace,
  { commit, of, signal }: Pick<WorkspaceResult, "commit"> & Pick<Delivered, "of"> & { readonly signal: AbortSignal },
): Promise<void> {
  const { name, top } = workspace;
  await git(["merge", "--ff-only", "--quiet", commit], { cwd: top, signal }).catch((cause) => {
    throw new RuntimeError(`Cannot deliver ${name}: your checkout does not take the commit ${commit.slice(0, 12)}`, {
      cause,
      hint: `${cause.message}\nIt is kept: commit or put away what you have, then panewright apply ${name}`,
    });
  });
  await keepDelivered(workspace, { of, tip: commit }, signal);
}

interface OfBranch {
  readonly branch: string;
  readonly signal: AbortSignal;
}

type Place = Pick<Workspace, "name" | "top">;

interface Delivered {
  /** Where its branch stands. */
  readonly tip: string;
  /** The commit of the workspace that was delivered so. */
  readonly of: string;
}

/** What of a workspace was delivered last; undefined where nothing was. */
async function deliveredOf({ name, top }: Place, { signal }: Pick<OfBranch, "signal">): Promise<Delivered | undefined> {
  const [tip = "", of = ""] = await Promise.all(refsOf(name).map((ref) => at(ref, { cwd: top, signal })));
  return tip === "" || of === "" ? undefined : { tip, of };
}

/** Where a branch stands that was delivered of a workspace; undefined where there is none, or somebody has moved it since. */
export async function deliveredTip(place: Place, { branch, signal }: OfBranch): Promise<string | undefined> {
  const there = await at(`refs/heads/${branch}`, { cwd: place.top, signal });
  return there === (await deliveredOf(place, { signal }))?.tip ? there : undefined;
}

function at(ref: string, here: GitAsk): Promise<string> {
  return gitLine(["for-each-ref", "--format=%(objectname)", ref], here);
}

function refsOf(name: string): readonly [tip: string, of: string] {
  const refs = `refs/panewright-delivered/${name}`;
  return [`${refs}/tip`, `${refs}/of`];
}

async function isAncestor([one, other]: readonly [string, string], here: GitAsk): Promise<boolean> {
  const found = await gitLine(["merge-base", one, other], { ...here, codes: [0, 1] });
  return found === one;
}

/** Keeps what was delivered, for the next round's. */
async function keepDelivered({ name, top }: Place, { of, tip }: Delivered, signal: AbortSignal): Promise<void> {
  const [tipRef, ofRef] = refsOf(name);
  await git(["update-ref", "--stdin"], { cwd: top, signal, stdin: `update ${tipRef} ${tip}\nupdate ${ofRef} ${of}\n` });
}

/**
 * Makes a branch of what was done in a workspace, or moves the one that was made of it before.
 *
 * @param options `of`: the commit of the workspace that `commit` has
 * @throws {UsageError} where there is another branch of that name, or it is checked out
 */
export async function deliverBranch(
  workspace: Workspace,
  { branch, commit, of, signal }: OfBranch & Pick<WorkspaceResult, "commit"> & Pick<Delivered, "of">,
): Promise<void> {
  const { name, top } = workspace;
  const here = { cwd: top, signal };
  const tip = await deliveredTip(workspace, { branch, signal });
  if (tip === undefined || tip === commit) await branchResult(workspace, { branch, commit, signal });
  else {
    const trees = await git(["worktree", "list", "--porcelain"], here);
    if (trees.split("\n").includes(`branch refs/heads/${branch}`)) {
      throw new UsageError(`Cannot move the branch ${branch}: it is checked out`, {
        hint: `Take what has come since into it: panewright apply ${name}`,
      });
    }
    await git(["update-ref", `refs/heads/${branch}`, commit, tip], here);
  }
  await keepDelivered(workspace, { of, tip: commit }, signal);
}

/**
 * A commit of what was done in a workspace, on top of the person's HEAD, or of what was delivered of it before, and in their
 * name: what they have not committed themselves is not in it. It is in their repository, under no branch yet.
 *
 * @throws {RuntimeError} where it builds on lines that they have not committed, or they have no HEAD
 */
export async function commitForOthers(
  workspace: Workspace,
  { branch, commit, message, signal }: Pick<WorkspaceResult, "commit"> & {
    readonly message: string;
    /** Where it may be already: the same is not made twice. */
    readonly branch: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { base, name, top } = workspace;
  const here = { cwd: top, signal };
  const before = await deliveredOf(workspace, { signal });
  const tip = await deliveredTip(workspace, { branch, signal });
  const head = tip ?? await gitLine(["rev-parse", "--verify", "HEAD^{commit}"], here).catch((cause) => {
    throw new RuntimeError(`Cannot deliver ${name}: the repository has no commit to build on`, { cause });
  });
  // As what follows the checkout as it was, or what was delivered before: git merges by the commit that both come from.
  const from = before !== undefined && await isAncestor([before.tip, head], here) ? before.of : base;
  const after = (of: string) => gitLine(["commit-tree", `${of}^{tree}`, "-p", from, "-m", "HEAD"], here);
  const { conflicts, tree } = await mergeIn([await after(head), await after(commit)], here);
  if (conflicts.length > 0) {
    throw new RuntimeError(
      `Cannot deliver ${name}: it builds on what you have not committed in ${conflicts.join(", ")}`,
      {
        hint: `Commit that first, or take it with what you have: panewright apply ${name} --branch ${name}`,
      },
    );
  }
  // All of it is there.
  if (await gitLine(["rev-parse", `${head}^{tree}`], here) === tree) return head;
  const there = ["log", "-1", "--format=%T%n%P", `refs/heads/${branch}`, "--"];
  const made = await gitLine(there, { ...here, codes: [0, 128] });
  if (made === `${tree}\n${head}`) return await gitLine(["rev-parse", `refs/heads/${branch}`], here);
  const who = await Promise.all(
    ["user.name", "user.email"].map((key) => gitLine(["config", key], { ...here, codes: [0, 1] })),
  );
  const [person = "", address = ""] = who;
  if (person === "" || address === "") {
    throw new RuntimeError(`Cannot deliver ${name}: git knows no name for your commits`, {
      hint: 'Tell it: git config user.name "Your Name", and git config user.email you@example.com',
    });
  }
  const env = {
    ...{ GIT_AUTHOR_NAME: person, GIT_AUTHOR_EMAIL: address, GIT_COMMITTER_NAME: person, GIT_COMMITTER_EMAIL: address },
  };
  return (await git(["commit-tree", tree, "-p", head, "-F", "-"], { ...here, env, stdin: message })).trim();
}
