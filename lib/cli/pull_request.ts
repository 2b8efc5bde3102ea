import { basename } from "@std/path/posix";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { type CommandSpec, systemProcessRunner, UNASKED } from "../base/ports/process.ts";
import { withoutRepository } from "../base/ports/git.ts";
import { present } from "../base/schema.ts";
import { lastLines } from "../base/text/lines.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { JOBS } from "../jobs/mod.ts";
import type { Progress } from "../journal/progress.ts";
import { readOverview } from "../run/overview.ts";
import { findProgram } from "../run/programs.ts";
import { commitForOthers, deliverBranch, deliveredTip } from "../workspace/deliver.ts";
import { landedTasks } from "../workspace/target.ts";
import type { WorkspaceResult } from "../workspace/result.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { newestRunIn } from "./meant_workspace.ts";
import { sumText } from "./show/workspace_words.ts";

interface PullRequestOptions {
  readonly branch: string;
  readonly remote: string;
  readonly draft: boolean;
  /** @default what was asked for */
  readonly title?: string;
  /** The branch that it is to go into. @default the remote's own */
  readonly base?: string;
  readonly signal: AbortSignal;
  readonly env: (name: string) => string | undefined;
  /** Whether nobody is there who could be asked for a passphrase. @default {false} */
  readonly isUnattended?: boolean;
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
  { base, branch, draft, env, isUnattended = false, remote, signal, ...given }: PullRequestOptions,
): Promise<{ readonly url: string }> {
  const { name, top } = workspace;
  if (result.files.length === 0) throw new UsageError(`Cannot deliver ${name}: nothing was changed in it`);
  const run = (argv: readonly [string, ...string[]], stdin?: string) =>
    call({ argv, cwd: top, signal, env: isUnattended ? UNASKED : {}, ...present({ stdin }) });
  const address = await run(["git", "remote", "get-url", remote]).catch(() => {
    throw new UsageError(`Cannot deliver ${name}: the repository has no remote "${remote}"`, {
      hint: `Name one with --remote, or make a branch only: panewright apply ${name} --branch ${branch}`,
    });
  });
  const forge = /gitlab/i.test(address) ? "glab" : "gh";
  const program = findProgram(forge, { folder: top, searchPath: env("PATH") ?? "" });
  if (program === undefined) {
    throw new UsageError(`Cannot deliver ${name}: there is no program "${forge}" on PATH, which opens the request`, {
      hint:
        `Install it and log in (${forge} auth login), or make a branch only: panewright apply ${name} --branch ${branch}`,
    });
  }
  const isOpen = await deliveredTip(workspace, { branch, signal }) !== undefined;
  const { body, commit, title } = await commitOfWork(workspace, result, { branch, signal, ...given });
  await deliverBranch(workspace, { commit, of: result.commit, branch, signal });
  // A branch that is there with other commits is refused by git: nothing is forced.
  await run(["git", "push", remote, `refs/heads/${branch}:refs/heads/${branch}`]);
  const known = isOpen ? await run([program, ...VIEWS[forge], branch]).catch(() => "") : "";
  const [url] = /https?:\/\/[^\s"]+/.exec(known) ?? [];
  if (url !== undefined) return { url };
  const into = base === undefined ? [] : [forge === "gh" ? "--base" : "--target-branch", base];
  const how = [...into, ...(draft ? ["--draft"] : [])];
  const what = ["--source-branch", branch, "--title", title, "--description", body];
  const said = forge === "gh"
    ? await run([program, "pr", "create", "--head", branch, "--title", title, "--body-file", "-", ...how], body)
    : await run([program, "mr", "create", ...what, "--yes", ...how]);
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

/** Calls a program of the person's with what they have: their login, their hooks. */
async function call({ argv, env, ...spec }: CommandSpec): Promise<string> {
  const own = { ...withoutRepository(), ...env, GIT_TERMINAL_PROMPT: "0" };
  const { code, stderr, stdout } = await systemProcessRunner.run({ ...spec, argv, clearEnv: true, env: own });
  if (code === 0) return stdout.trim();
  const [program, verb] = [basename(argv[0]), argv[1]];
  const words = lastLines(stderr === "" ? stdout : stderr, 5).join("\n");
  throw new RuntimeError(`Cannot deliver it: ${program} ${verb} has failed (exit code ${code})`, { hint: words });
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
