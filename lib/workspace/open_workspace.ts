import { UsageError } from "../base/errors.ts";
import { runGit } from "../base/ports/git.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { removeTree, replaceFile } from "../base/ports/own_files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { present } from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { lastLines } from "../base/text/lines.ts";
import { git, gitLine, inStore, makeRepository, type ObjectFormat } from "./git.ts";
import { bringIgnored } from "./bring.ts";
import { freePorts, takePorts } from "./ports.ts";
import { beginIndex, type Limit, lookAtCheckout, NO_LIMIT } from "./own_index.ts";
import { bringObjects, commitFiles } from "./snapshot.ts";
import { isTrial, noteWorkspace, placesOf, takeName, type Workspace } from "./workspace.ts";

/** What of a person's repository says what its files look like on the disk. */
const KEPT_SETTINGS = [
  ...["core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.symlinks", "core.precomposeunicode"],
];

const AUTHOR_SETTINGS = ["user.name", "user.email"];

interface Repository {
  readonly top: string;
  /** The folder's path below it, with `/` at the end; empty for the top itself. */
  readonly prefix: string;
  readonly gitFolder: string;
  readonly objects: string;
  /** Where ours of it is. */
  readonly store: string;
  readonly format: ObjectFormat;
  readonly isPlain?: true;
  /** `undefined` where there is no commit yet. */
  readonly head: string | undefined;
  readonly settings: readonly string[];
  readonly author: readonly string[];
  readonly exclude: string;
}

interface Opening {
  /** What it is for: its name is made of that. */
  readonly task: string;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** A commit of the repository's store, or of the repository itself. @default the checkout as it is now */
  readonly at?: string;
  /** Whether what was done in others is to be merged in it: it gets no files then. @default {false} */
  readonly isTarget?: boolean;
  readonly partOf?: Workspace["partOf"];
  /** Whether the folder is in no repository; its commit is in our store then. @default {false} */
  readonly isPlain?: boolean | undefined;
  /** What git ignores and is brought along from the checkout, in the syntax of `.gitignore`. @default {[]} */
  readonly share?: readonly string[];
}

/**
 * Makes a clone of the repository that a folder is in, with the files as they are now: what is not committed, too, but
 * for what git ignores. It has its own refs, index, stash, settings and hooks, and nothing in it names that repository.
 *
 * @throws {UsageError} where the folder is in no repository
 * @throws {RuntimeError} where git cannot make it; nothing is left then
 */
export async function openWorkspace(
  folder: string,
  { at, task, now, signal, isPlain = false, isTarget = false, partOf, share = [] }: Opening,
): Promise<Workspace> {
  const repository = await (isPlain ? plainFolder(folder) : repositoryOf(folder, signal));
  const { store } = repository;
  await makeStoreOf(repository, signal);
  // A path is a real one once it is there.
  const { trees } = placesOf();
  const name = takeName(task, new Set(isPlain ? [] : await refsOf(folder, { partOf, signal })));
  const tree = `${trees}/${name}`;
  try {
    const base = at === undefined
      ? await commitOfCheckout(repository, { name, signal })
      : await broughtTo(store, { commit: at, borrowed: repository.objects, signal });
    if (!isTarget) await clone(repository, { store, base, tree, name, signal });
    const brought = isTarget ? [] : await bringIgnored({ ...repository, tree }, { patterns: share, signal });
    const workspace: Workspace = {
      ...{ name, tree, store, base, origin: folder, top: repository.top, settings: repository.settings },
      workdir: `${tree}/${repository.prefix}`.replace(/\/$/, ""),
      madeAt: now.toISOString(),
      ...(isTarget ? { isTarget } : {}),
      ...present({ isPlain: repository.isPlain, partOf, portBase: isTarget ? undefined : takePorts(name) }),
      ...(brought.length === 0 ? {} : { brought }),
    };
    await Deno.mkdir(workspace.workdir, { recursive: true });
    await noteWorkspace(workspace);
    return workspace;
  } catch (error) {
    await removeTree(tree).catch(() => {});
    freePorts(name);
    throw error;
  }
}

/** What was kept of workspaces that are gone; of one in which something is checked nothing ever is. */
async function refsOf(
  folder: string,
  { partOf, signal }: Pick<Opening, "partOf" | "signal">,
): Promise<readonly string[]> {
  if (isTrial(partOf)) return [];
  const refs = await git(["for-each-ref", "--format=%(refname:lstrip=2)", "refs/panewright"], { cwd: folder, signal });
  return refs.split("\n");
}

/** Has the store of a repository be there; it ignores what the repository does. */
export async function makeStoreOf({ exclude, format, store }: Repository, signal: AbortSignal): Promise<void> {
  for (const path of Object.values(placesOf())) makeOwnFolder(path);
  await makeStore(store, { format, signal });
  await replaceFile(`${store}/info/exclude`, `${exclude}\n${OURS}`);
}

/** @param objects where the repository has its objects. Absolute path, links resolved */
export async function storePathOf(objects: string): Promise<string> {
  return `${placesOf().stores}/${(await sha256Hex(objects)).slice(0, 16)}.git`;
}

/** Makes the store of a repository, unless it is there: whoever else makes it meanwhile, it appears whole. */
async function makeStore(
  store: string,
  { format, signal }: { readonly format: ObjectFormat; readonly signal: AbortSignal },
): Promise<void> {
  if (lstatOrUndefined(store) !== undefined) return;
  const draft = `${store}.${crypto.randomUUID()}`;
  await Deno.mkdir(`${draft}/info`, { recursive: true, mode: 0o700 });
  await makeRepository(draft, { format, isBare: true, signal });
  await Deno.rename(draft, store).catch(async (error) => {
    await Deno.remove(draft, { recursive: true });
    if (lstatOrUndefined(store) === undefined) throw error;
  });
}

/** What panewright itself puts into a working directory. */
const OURS = "/.tmp/agent-responses/\n.panewright/\n";

/** A commit that is in the store, or comes there from the person's repository. */
async function broughtTo(
  store: string,
  { borrowed, commit, signal }: {
    readonly commit: string;
    readonly borrowed: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const found = await gitLine(["cat-file", "-t", commit], { ...inStore(store, signal), codes: [0, 128] });
  if (found !== "commit") await bringObjects(commit, { store, borrowed, signal });
  return commit;
}

/** A commit of a person's checkout as it is, in the store: HEAD itself where nothing was changed. */
async function commitOfCheckout(
  repository: Repository,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<string> {
  const { head } = repository;
  await using look = await lookAtCheckout(repository, { name, limit: NO_LIMIT, isBase: true, signal });
  const files = { ...look.files, isWhole: true };
  const message = "The checkout as it was";
  const commit = await commitFiles(files, { parent: head, message });
  try {
    await bringObjects(commit, files);
    return commit;
  } catch (error) {
    if (head === undefined) throw error;
    // A shallow or partial clone has not all that its commits name: without them, its files are all there is.
    const alone = await commitFiles(files, { parent: undefined, message });
    await bringObjects(alone, files);
    return alone;
  }
}

/** A commit of a checkout as it is now, and where its objects are besides the store. */
export async function commitOfNow(
  { base, isPlain, madeAt: date, name, origin, settings, store, top }: Workspace,
  { limit = NO_LIMIT, signal }: { readonly signal: AbortSignal; readonly limit?: Limit },
): Promise<{ readonly commit: string; readonly objects: string }> {
  const { gitFolder, objects } = await (isPlain ? plainFolder(origin) : placesOfRepository(origin, signal));
  const repository = { gitFolder, objects, settings, store, top };
  await using look = await lookAtCheckout(repository, { name, limit, isBase: false, signal });
  const commit = await commitFiles(look.files, { parent: base, message: "The checkout as it is", date });
  await look.keep();
  return { commit, objects };
}

async function clone(
  { author, format, settings }: Repository,
  { base, name, signal, store, tree }: {
    readonly store: string;
    readonly base: string;
    readonly tree: string;
    readonly name: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const branch = `panewright/${name}`;
  const here = { cwd: tree, signal };
  await makeRepository(tree, { format, branch, signal });
  for (const folder of ["info", "hooks"]) await Deno.mkdir(`${tree}/.git/${folder}`, { recursive: true });
  await Deno.writeTextFile(`${tree}/.git/info/exclude`, OURS);
  await Deno.writeTextFile(`${tree}/.git/objects/info/alternates`, `${store}/objects\n`);
  await Deno.writeTextFile(`${tree}/.git/config`, configText([...author, ...settings]), { append: true });
  await git(["reset", "--quiet", "--hard", base], here);
  // Nobody has worked there yet: our first look at it need not read what is in it.
  const { known } = placesOf();
  await beginIndex(`${tree}/.git/index`, `${known}/${name}.kept`);
  await Deno.writeTextFile(`${known}/${name}.fresh`, "");
}

/** Settings as a file of git's has them: to have git write one after the other takes a process each. */
function configText(settings: readonly string[]): string {
  return settings.map((setting) => {
    const [, section = "", key = "", value = ""] = /^(\w+)\.(\w+)=(.*)$/s.exec(setting) ?? [];
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"\n`;
  }).join("");
}

/** @throws {UsageError} where a folder is in no repository of which there can be workspaces */
export async function requireRepository(folder: string, signal: AbortSignal): Promise<void> {
  await placesOfRepository(folder, signal);
}

/** Whether a folder is in a repository of which there can be workspaces; without git there is none. */
export async function isInRepository(folder: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { code, stdout } = await runGit(["rev-parse", "--show-toplevel"], { cwd: folder, signal });
    return code === 0 && stdout.trim() !== "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A folder that is in no repository, as if it were one without a commit: ours has all that git is to have of it. */
export async function plainFolder(folder: string): Promise<Repository> {
  const top = await Deno.realPath(folder);
  const store = await storePathOf(`${top}/.git/objects`);
  const none = { prefix: "", format: "sha1" as const, head: undefined, settings: [], author: [], exclude: "" };
  return { ...none, top, store, gitFolder: store, objects: `${store}/objects`, isPlain: true };
}

export async function repositoryOf(folder: string, signal: AbortSignal): Promise<Repository> {
  const pattern = `^(${[...KEPT_SETTINGS, ...AUTHOR_SETTINGS].join("|").replaceAll(".", "\\.")})$`;
  const here = { cwd: folder, ...present({ signal }) };
  const config = git(["config", "-z", "--get-regexp", pattern], { ...here, codes: [0, 1] });
  // Where there is no repository, that is what is told.
  config.catch(() => {});
  const { common, ...places } = await placesOfRepository(folder, signal);
  // Of several values the last one holds.
  const values = new Map(
    (await config).split("\0").map((entry) => {
      const [key = "", value = ""] = entry.split(/\n(.*)/s);
      return [key, value] as const;
    }),
  );
  const valuesOf = (keys: readonly string[]) =>
    keys.filter((key) => (values.get(key) ?? "") !== "").map((key) => `${key}=${values.get(key)}`);
  return {
    ...places,
    store: await storePathOf(places.objects),
    settings: valuesOf(KEPT_SETTINGS),
    author: valuesOf(AUTHOR_SETTINGS),
    exclude: await Deno.readTextFile(`${common}/info/exclude`).catch(() => ""),
  };
}

/** What is the same for all settings, and told by one start of git. Absolute paths. */
export async function placesOfRepository(folder: string, signal: AbortSignal) {
  const asked = [
    "--path-format=absolute",
    "--show-toplevel",
    "--git-dir",
    "--git-common-dir",
    "--show-object-format",
    "--show-prefix",
  ];
  // Last, and only if it is there: without a commit git says nothing in its place.
  const { code, stderr, stdout } = await runGit(["rev-parse", ...asked, "--revs-only", "HEAD^{commit}"], {
    ...{ cwd: folder, signal },
  });
  const [top = "", gitFolder, common, idsBy, ...rest] = stdout.replace(/\n+$/, "").split("\n");
  if (code !== 0 || gitFolder === undefined || common === undefined || top === "") {
    const [said = "it is in no working tree"] = lastLines(stderr, 1);
    throw new UsageError(`Cannot make a workspace of ${folder}: it is in no working tree of git that can be used`, {
      hint:
        `A workspace is a clone: make the folder a repository (git init), or work in the folder itself, without --workspace, --parallel and --attempts. git says: ${said}`,
    });
  }
  // A path below the top ends with a slash.
  const head = /^[0-9a-f]{40,64}$/.test(rest.at(-1) ?? "") ? rest.pop() : undefined;
  const format: ObjectFormat = idsBy === "sha256" ? idsBy : "sha1";
  return { top, gitFolder, common, format, head, objects: `${common}/objects`, prefix: rest.join("\n") };
}
