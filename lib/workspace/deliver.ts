import { RuntimeError } from "../base/errors.ts";
import { git, gitLine } from "./git.ts";
import { mergeIn } from "./target.ts";
import type { WorkspaceResult } from "./result.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Moves the person's checkout on to a commit that follows their HEAD. Their hooks do not run: what they call, agents may have
 * written.
 *
 * @throws {RuntimeError} where that would overwrite what they have not committed: nothing is moved then
 */
export async function landOnHead(
  { name, top }: Workspace,
  { commit, signal }: Pick<WorkspaceResult, "commit"> & { readonly signal: AbortSignal },
): Promise<void> {
  await git(["merge", "--ff-only", "--quiet", commit], { cwd: top, signal }).catch((cause) => {
    throw new RuntimeError(`Cannot deliver ${name}: your checkout does not take the commit ${commit.slice(0, 12)}`, {
      cause,
      hint: `${cause.message}\nIt is kept: commit or put away what you have, then panewright apply ${name}`,
    });
  });
}

/**
 * A commit of what was done in a workspace, on top of the person's HEAD and in their name: what they have not committed
 * themselves is not in it. It is in their repository, under no branch yet.
 *
 * @throws {RuntimeError} where it builds on lines that they have not committed, or they have no HEAD
 */
export async function commitForOthers(
  { base, name, top }: Workspace,
  { branch, commit, message, signal }: Pick<WorkspaceResult, "commit"> & {
    readonly message: string;
    /** Where it may be already: the same is not made twice. */
    readonly branch: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const here = { cwd: top, signal };
  const head = await gitLine(["rev-parse", "--verify", "HEAD^{commit}"], here).catch((cause) => {
    throw new RuntimeError(`Cannot deliver ${name}: the repository has no commit to build on`, { cause });
  });
  // HEAD as what follows the checkout as it was: git merges by the commit that both come from.
  const taken = await gitLine(["commit-tree", `${head}^{tree}`, "-p", base, "-m", "HEAD"], here);
  const { conflicts, tree } = await mergeIn([taken, commit], here);
  if (conflicts.length > 0) {
    throw new RuntimeError(
      `Cannot deliver ${name}: it builds on what you have not committed in ${conflicts.join(", ")}`,
      {
        hint: `Commit that first, or take it with what you have: panewright apply ${name} --branch ${name}`,
      },
    );
  }
  const there = ["log", "-1", "--format=%T%n%P", `refs/heads/${branch}`, "--"];
  const before = await gitLine(there, { ...here, codes: [0, 128] });
  if (before === `${tree}\n${head}`) return await gitLine(["rev-parse", `refs/heads/${branch}`], here);
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
