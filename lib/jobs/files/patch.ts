import { runGit } from "../../base/ports/git.ts";
import { type GitQuestion, listByGit, lstatOf } from "./list.ts";
import { MAX_SHOWN_BYTES } from "./before_contents.ts";
import type { FileSnapshot } from "./snapshot.ts";

/** What a step has changed, and where what was there before is. Paths are absolute. */
interface PatchRequest {
  /** What git is asked of the folder in which it was changed. */
  readonly question: GitQuestion & { readonly signal: AbortSignal };
  readonly changed: readonly string[];
  readonly before: FileSnapshot;
  /** Which contents git has: ids by names. */
  readonly blobs: Readonly<Record<string, string>>;
  readonly keptFolder: string;
  /** A folder for git's scratch folder, which is called `patch-…`. */
  readonly scratchParent: string;
  /** The folders with git's objects. */
  readonly objects: Promise<readonly string[]>;
}

const MAX_FILES = 500;

const MAX_PATCH_BYTES = 8 * 1024 * 1024;

const GIT_TIMEOUT_MS = 60_000;

/**
 * The differences as a patch: those of files in the working directory that git does not ignore, up to 1 MiB each.
 *
 * git compares them in a repository of its own, without anybody's configuration, so that nothing that a repository could
 * configure is run. It is removed again.
 */
export async function makePatch(request: PatchRequest): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ dir: request.scratchParent, prefix: "patch-" });
  try {
    const { before, after, isListed } = await sidesOf(request, folder);
    if (isListed && before.length === 0 && after.length === 0) return "";
    const git = await ownRepository(folder, request);
    const trees = await Promise.all([git.tree("before", before), git.tree("after", after)]);
    return await git.run(["diff-tree", "-p", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color", ...trees]);
  } catch (error) {
    if (error instanceof NoPatchError || error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

class NoPatchError extends Error {}

interface Entry {
  readonly name: string;
  readonly mode: "100644" | "100755" | "120000";
  readonly blob?: string;
  readonly path?: string;
}

/** What is outside of the working directory, or names that git takes into no tree. */
const NEVER_SHOWN = /^\.\.\/|(?:^|\/)\.git(?:\/|$)|\p{Cc}/iu;

async function sidesOf(request: PatchRequest, folder: string) {
  const { question, changed, before: { files }, blobs, keptFolder } = request;
  const [listed] = await Promise.all([listByGit(question), request.objects]);
  const shown = listed === undefined ? undefined : new Set(listed.names);
  const linkFile = (target: string) => {
    const path = `${folder}/link-${crypto.randomUUID()}`;
    Deno.writeTextFileSync(path, target);
    return path;
  };
  const [before, after]: [Entry[], Entry[]] = [[], []];
  for (const name of changed.filter((name) => !NEVER_SHOWN.test(name)).slice(0, MAX_FILES)) {
    const then = files[name];
    const blob = blobs[name];
    if (then !== undefined) {
      const kept = `${keptFolder}/${then.content}`;
      const mode = then.kind === "link" ? "120000" : (then.mode & 0o111) === 0 ? "100644" : "100755";
      if (then.size > MAX_SHOWN_BYTES) continue;
      if (then.kind === "link") before.push({ name, mode, path: linkFile(then.content ?? "") });
      else if (blob !== undefined) before.push({ name, mode, blob });
      else if (then.content !== undefined && lstatOf(kept)?.isFile) before.push({ name, mode, path: kept });
      // Without what it was, the whole file would look new.
      else continue;
    } else if (shown !== undefined && !shown.has(name)) continue;
    const path = `${question.folder}/${name}`;
    const now = lstatOf(path);
    if (now?.isSymlink) after.push({ name, mode: "120000", path: linkFile(Deno.readLinkSync(path)) });
    else if (now?.isFile && now.size <= MAX_SHOWN_BYTES) {
      after.push({ name, mode: ((now.mode ?? 0) & 0o111) === 0 ? "100644" : "100755", path });
    } else if (now !== undefined && then !== undefined) before.pop();
  }
  return { before, after, isListed: listed !== undefined };
}

async function ownRepository(folder: string, { objects, blobs, question: { signal } }: PatchRequest) {
  const run = async (args: readonly string[], { stdin = "", index = "none" } = {}) => {
    // Names that only other systems take for `.git` are names like others.
    const settings = ["compression=0", "protectNTFS=false", "protectHFS=false"].flatMap((is) => ["-c", `core.${is}`]);
    const { code, stdout, truncated } = await runGit([...settings, ...args], {
      cwd: folder,
      env: {
        GIT_DIR: `${folder}/git`,
        GIT_INDEX_FILE: `${folder}/${index}`,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
      stdin,
      timeoutMs: GIT_TIMEOUT_MS,
      maxOutputBytes: MAX_PATCH_BYTES,
      signal,
    });
    if (code !== 0 || truncated) throw new NoPatchError(`git ${args[0]} ended with ${code}, or printed too much`);
    return stdout;
  };
  // What "git init" makes, without another process.
  for (const made of ["objects/info", "refs"]) await Deno.mkdir(`${folder}/git/${made}`, { recursive: true });
  const isSha256 = Object.values(blobs)[0]?.length === 64;
  const format = isSha256 ? "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n" : "";
  await Deno.writeTextFile(`${folder}/git/config`, `[core]\n\tbare = true\n${format}`);
  await Deno.writeTextFile(`${folder}/git/HEAD`, "ref: refs/heads/main\n");
  const alternates = (await objects).map((path) => `${path}\n`).join("");
  await Deno.writeTextFile(`${folder}/git/objects/info/alternates`, alternates);
  return {
    run,
    async tree(index: string, entries: readonly Entry[]): Promise<string> {
      const paths = entries.flatMap(({ path }) => path ?? []);
      const stdin = paths.map((path) => `${JSON.stringify(path)}\n`).join("");
      const hashed = (await run(["hash-object", "-w", "--no-filters", "--stdin-paths"], { stdin })).split("\n");
      const blobOf = new Map(paths.map((path, at) => [path, hashed[at] ?? ""]));
      const lines = entries.map(({ name, mode, blob, path }) => `${mode} ${blob ?? blobOf.get(path!)}\t${name}\0`);
      await run(["update-index", "-z", "--add", "--index-info"], { stdin: lines.join(""), index });
      return (await run(["write-tree", "--missing-ok"], { index })).trim();
    },
  };
}
