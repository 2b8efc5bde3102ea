import { RuntimeError } from "../base/errors.ts";
import { runGit } from "../base/ports/git.ts";
import { present } from "../base/schema.ts";
import { lastLines } from "../base/text/lines.ts";

export interface GitAsk {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal | undefined;
  /** @default {600_000} */
  readonly timeoutMs?: number;
  /** Exit codes that are an answer. @default {[0]} */
  readonly codes?: readonly number[];
}

const NAME = "panewright";
export const EMAIL = "panewright@localhost";

/** Whose commits ours are: no agent's, and not the person's own. */
const AUTHOR = {
  GIT_AUTHOR_NAME: NAME,
  GIT_AUTHOR_EMAIL: EMAIL,
  GIT_COMMITTER_NAME: NAME,
  GIT_COMMITTER_EMAIL: EMAIL,
};

/** What keeps a fetch to what it is asked for. */
export const QUIETLY = [
  ...["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"],
];

/** Several workspaces may be begun at a time; files are written by as many processes as there are cores, in half the time. */
const SETTINGS = ["core.filesRefLockTimeout=10000", "core.packedRefsTimeout=10000", "checkout.workers=0"];

/** Many files take their time; but an agent can make what git waits for without an end. */
const LIMIT_MS = 10 * 60_000;

const MOST_BYTES = 256 * 1024 * 1024;

/**
 * What git says, without running anything of the repository's.
 *
 * @throws {RuntimeError} with git's own words
 */
export async function git(
  args: readonly string[],
  { cwd, env, codes = [0], signal, ...rest }: GitAsk,
): Promise<string> {
  const { code, stdout, stderr, timedOut, truncated } = await runGit([...asSettings(SETTINGS), ...args], {
    cwd,
    // Its own large files it fetches by itself, when it wants them.
    env: { ...AUTHOR, GIT_ALLOW_PROTOCOL: "file", GIT_LFS_SKIP_SMUDGE: "1", ...env },
    timeoutMs: LIMIT_MS,
    ...rest,
    ...present({ signal }),
    maxOutputBytes: MOST_BYTES,
  });
  if (codes.includes(code) && !truncated) return stdout;
  const verb = args.find((word) => /^[a-z]/.test(word) && !word.includes("=")) ?? "";
  const words = lastLines(stderr, 2).join("; ");
  const said = timedOut ? "it does not end" : truncated ? "it says too much" : words === "" ? `code ${code}` : words;
  throw new RuntimeError(`Cannot work with the repository: git ${verb}: ${said}`);
}

/** One line of an answer. */
export async function gitLine(args: readonly string[], ask: GitAsk): Promise<string> {
  return (await git(args, ask)).trimEnd();
}

/** What makes git work on a folder's files with our own repository and index: nothing of the folder's `.git` is obeyed. */
export function withStore(
  { store, tree, index }: { readonly store: string; readonly tree: string; readonly index: string },
): { readonly cwd: string; readonly env: Readonly<Record<string, string>> } {
  return { cwd: tree, env: { GIT_DIR: store, GIT_WORK_TREE: tree, GIT_INDEX_FILE: index } };
}

/** How git is asked of a person's folder: by its own repository, or by ours where it has none. */
export function inFolder(
  { isPlain = false, store, top }: {
    readonly top: string;
    readonly store: string;
    readonly isPlain?: boolean | undefined;
  },
): Pick<GitAsk, "cwd" | "env"> {
  return isPlain ? { cwd: top, env: { GIT_DIR: store, GIT_WORK_TREE: top } } : { cwd: top };
}

/** How long a repository's ids are, which no other repository's objects may differ in that it borrows. */
export type ObjectFormat = "sha1" | "sha256";

export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? "sha256" : "sha1";
}

/** Makes a repository with nothing in it. */
export async function makeRepository(
  path: string,
  { branch, format, isBare = false, signal }: {
    readonly format: ObjectFormat;
    readonly isBare?: boolean;
    readonly branch?: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const how = [...(isBare ? ["--bare"] : []), ...(branch === undefined ? [] : [`--initial-branch=${branch}`])];
  await git(["init", "--quiet", "--template=", `--object-format=${format}`, ...how, path], { cwd: path, signal });
}

export function asSettings(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

/** @param borrowed where objects are as well, which none of the store's commits need */
export function inStore(store: string, signal: AbortSignal, borrowed?: string) {
  const env = { GIT_DIR: store, ...(borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed }) };
  return { cwd: store, env, signal };
}
