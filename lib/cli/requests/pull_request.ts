import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { lastLines } from "../../base/text/lines.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Progress } from "../../journal/progress.ts";
import { readOverview } from "../../run/overview.ts";
import { commitForOthers, deliverBranch, deliveredTip } from "../../workspace/deliver.ts";
import { landedTasks } from "../../workspace/target.ts";
import type { WorkspaceResult } from "../../workspace/result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { findForge, type ForgeOptions } from "./forge.ts";
import { newestRunIn } from "../meant_workspace.ts";
import { sumText } from "../show/workspace_words.ts";

interface PullRequestOptions extends ForgeOptions {
  readonly draft: boolean;
  /** @default what was asked for */
  readonly title?: string;
  /** The branch that it is to go into. @default the remote's own */
  readonly base?: string;
}

/**
 * Pushes what was done in a workspace as a branch of the person's, never by force, and opens a pull or merge request of it
 * by their own `gh` or `glab`.
 *
 * @throws {UsageError} where nothing is to be delivered, or there is no such remote or program
 * @throws {RuntimeError} where git or the program refuses, in its words
 */
export async function openPullRequest(
  workspace: Workspace,
  result: WorkspaceResult,
  { base, branch, draft, env, isUnattended, remote, signal, ...given }: PullRequestOptions,
): Promise<{ readonly url: string }> {
  const { name } = workspace;
  if (result.files.length === 0) throw new UsageError(`Cannot deliver ${name}: nothing was changed in it`);
  const forge = await findForge(workspace, { branch, env, remote, signal, ...present({ isUnattended }) });
  const isOpen = await deliveredTip(workspace, { branch, signal }) !== undefined;
  const { body, commit, title } = await commitOfWork(workspace, result, { branch, signal, ...given });
  await deliverBranch(workspace, { commit, of: result.commit, branch, signal });
  // A branch that is there with other commits is refused by git: nothing is forced.
  await forge.git(["push", remote, `refs/heads/${branch}:refs/heads/${branch}`]);
  const known = isOpen ? await forge.call([...VIEWS[forge.kind], branch]).catch(() => "") : "";
  const [url] = /https?:\/\/[^\s"]+/.exec(known) ?? [];
  if (url !== undefined) return { url };
  const into = base === undefined ? [] : [forge.kind === "gh" ? "--base" : "--target-branch", base];
  const how = [...into, ...(draft ? ["--draft"] : [])];
  const what = ["--source-branch", branch, "--title", title, "--description", body];
  const said = forge.kind === "gh"
    ? await forge.call(["pr", "create", "--head", branch, "--title", title, "--body-file", "-", ...how], body)
    : await forge.call(["mr", "create", ...what, "--yes", ...how]);
  return { url: lastLines(said, 1)[0] ?? "" };
}

/** What shows the request of a branch, with its address. */
const VIEWS = { gh: ["pr", "view", "--json", "url"], glab: ["mr", "view"] } as const;

/**
 * What was done in a workspace as one commit of the person's on their HEAD, under no branch yet.
 *
 * @param options `branch`: where it may be already
 */
export async function commitOfWork(
  workspace: Workspace,
  result: WorkspaceResult,
  { branch, signal, ...given }: Pick<PullRequestOptions, "branch" | "signal" | "title">,
): Promise<{ readonly commit: string; readonly title: string; readonly body: string }> {
  const stood = await progressOf(workspace);
  const title = given.title ?? titleOf(stood?.about ?? workspace.name);
  const landed = await landedTasks(workspace, { signal });
  const body = bodyText(result, { landed, stood });
  const message = `${title}\n\n${body}`;
  return { commit: await commitForOthers(workspace, { commit: result.commit, message, branch, signal }), title, body };
}

/** How the newest run in a workspace stands; that of a target is in the person's own folder, with other ones. */
async function progressOf(workspace: Workspace): Promise<Progress | undefined> {
  const newest = workspace.isTarget === true ? undefined : await newestRunIn(workspace);
  return newest === undefined ? undefined : (await readOverview(newest, JOBS)).progress;
}

const MOST_FILES = 50;

/** What people read of it: what was asked, what changed, and how it ended. */
function bodyText(
  { files }: WorkspaceResult,
  { landed, stood }: { readonly landed: readonly string[]; readonly stood: Progress | undefined },
): string {
  const shown = files.slice(0, MOST_FILES).map(({ path, added, removed }) =>
    `- \`${sanitizeLine(path).replaceAll("`", "'")}\` ${added === undefined ? "(no text)" : `+${added} −${removed}`}`
  );
  const more = files.length > MOST_FILES ? [`- and ${files.length - MOST_FILES} more`] : [];
  const { finished } = stood ?? {};
  return [
    `Changed: ${sumText(files)}`,
    [...shown, ...more].join("\n"),
    ...(finished === undefined ? [] : [`The run: ${finished.outcome}, ${sanitizeLine(finished.reason)}`]),
    ...(landed.length === 0 ? [] : [`Tasks that were done apart, and merged: ${landed.map(sanitizeLine).join(", ")}`]),
  ].join("\n\n") + "\n";
}

const MAX_TITLE = 70;

function titleOf(about: string): string {
  const line = sanitizeLine(about).replace(/^"(.*)"$/, "$1").replace(/\.md$/, "");
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`;
}
