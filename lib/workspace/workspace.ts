import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { removeTree, replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { makeOwnFolder, NO_STATE_FOLDER, STATE_FOLDER_HINT, stateFolder } from "../base/ports/state_folder.ts";
import { flag, listOf, number, object, oneOf, optional, text, type ValueOf } from "../base/schema.ts";
import { parseJsonObject } from "../base/text/json.ts";

// A workspace is a clone in which agents work apart from the checkout of the person: what git may do there reaches
// nothing of theirs. What comes in is a folder of a repository; what goes out is a commit, and what it changes.

const WORKSPACE = object({
  name: text,
  /** The folder that the person meant; its place in the clone is `workdir`. All paths are absolute. */
  origin: text,
  workdir: text,
  /** The person's checkout, and the clone. */
  top: text,
  tree: text,
  /** The repository of ours whose objects the clone borrows. */
  store: text,
  /** The commit that it began with: the checkout as it was. */
  base: text,
  /** Settings of the person's repository that say what its files look like: `core.autocrlf=input`. */
  settings: listOf(text),
  /** Whether the folder is in no repository: what git is asked of it, it is asked by the store. @default {false} */
  isPlain: optional(flag),
  /** ISO 8601. */
  madeAt: text,
  /** Whether it is a target, in which what was done in others is merged: nobody works in it, and it has no files. */
  isTarget: optional(flag),
  /** The target that what is done in it is merged in; `check`: what the two come to is tested in it, and it is removed then. */
  partOf: optional(object({ target: text, as: oneOf("lane", "lead", "check", "base") })),
  /** What git ignores and was brought along, below the top. @default {[]} */
  brought: optional(listOf(text)),
  /** The first of its ports. */
  portBase: optional(number),
  /** Whether its setup was done. @default {false} */
  isSetUp: optional(flag),
  /** Whether agents may have worked in it. @default {false} */
  isUsed: optional(flag),
  /** What was in it after each turn that has changed a file, the oldest first; numbered from 1. @default {[]} */
  turns: optional(listOf(object({ number, commit: text, of: text, at: text }))),
  /** Whose turn it is of which nothing is to stay, and the number of the turn before it. */
  apart: optional(object({ of: text, after: number })),
});

/** A clone, and where it came from. */
export type Workspace = ValueOf<typeof WORKSPACE>;

/** Whether something is tried in a workspace, and no agent works there. */
export function isTrial(partOf: Workspace["partOf"]): boolean {
  return partOf?.as === "check" || partOf?.as === "base";
}

/** Where workspaces are: what is known of them where no agent in a sandbox can write, and beside it what agents work in. */
interface Places {
  readonly known: string;
  readonly stores: string;
  readonly trees: string;
  readonly ports: string;
}

/** @throws {UsageError} where the person has no state folder */
export function placesOf(state = stateFolder()): Places {
  if (state === undefined) {
    throw new UsageError(`Cannot keep workspaces: ${NO_STATE_FOLDER}`, { hint: STATE_FOLDER_HINT });
  }
  const own = { known: `${state}/workspaces`, stores: `${state}/stores`, ports: `${state}/ports` };
  return { ...own, trees: realPathOf(`${state}-workspaces`) };
}

/** Folders are known by their real paths. */
function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

export async function noteWorkspace(workspace: Workspace): Promise<void> {
  const { known } = placesOf();
  makeOwnFolder(known);
  await replaceFile(`${known}/${workspace.name}.json`, `${JSON.stringify(workspace, null, 2)}\n`);
}

/** All of them, the oldest first; one that cannot be read is passed by. */
export function listWorkspaces(): readonly Workspace[] {
  const state = stateFolder();
  if (state === undefined) return [];
  const { known } = placesOf(state);
  const names = namesIn(known).filter((name) => name.endsWith(".json"));
  const all = names.flatMap((name) => readAt(`${known}/${name}`) ?? []);
  return all.toSorted((one, other) => one.madeAt < other.madeAt ? -1 : 1);
}

export function findWorkspace(name: string): Workspace | undefined {
  return NAME.test(name) ? readAt(`${placesOf().known}/${name}.json`) : undefined;
}

/** The workspace that a folder is in. */
export function workspaceAround(folder: string): Workspace | undefined {
  const state = stateFolder();
  const { trees } = state === undefined ? { trees: undefined } : placesOf(state);
  if (trees === undefined || !folder.startsWith(`${trees}/`)) return undefined;
  return findWorkspace(folder.slice(trees.length + 1).split("/", 1)[0] ?? "");
}

/** The folders of the other workspaces that are there, and stay there for long enough to be hidden. */
export function treesBeside(own: Workspace | undefined): readonly string[] {
  if (stateFolder() === undefined) return [];
  const { trees } = placesOf();
  return namesIn(trees).filter((name) => name !== own?.name).map((name) => `${trees}/${name}`)
    .filter((tree) => !isLeftEmpty(tree, LISTED_MS));
}

/** Whoever starts a sandbox has mounted by then what was listed for it. */
const LISTED_MS = 30_000;
const KEPT_MS = 2 * LISTED_MS;

/**
 * Removes what is in the folder of a workspace, and the folders of those that were emptied long before: a sandbox that is about
 * to start would not find what it is to hide.
 */
export async function emptyTree(tree: string): Promise<void> {
  for (const name of namesIn(tree)) await removeTree(`${tree}/${name}`);
  const { known, trees } = placesOf();
  for (const name of namesIn(trees)) {
    const isKnown = lstatOrUndefined(`${known}/${name}.json`) !== undefined;
    if (!isKnown && isLeftEmpty(`${trees}/${name}`, KEPT_MS)) await Deno.remove(`${trees}/${name}`).catch(() => {});
  }
}

/** Whether a folder was emptied so long ago, at least. */
function isLeftEmpty(tree: string, ms: number): boolean {
  const { isDirectory = false, mtime } = lstatOrUndefined(tree) ?? {};
  return isDirectory && namesIn(tree).length === 0 && mtime instanceof Date && Date.now() - mtime.getTime() > ms;
}

/** Folders in which runs work, with the workspaces that are of them. */
export function withWorkspaces(workdirs: readonly string[]): readonly string[] {
  // Targets, too: the run of a fleet's job is in one.
  const apart = listWorkspaces().filter(({ origin }) => workdirs.includes(origin));
  return [...new Set([...workdirs, ...apart.map(({ workdir }) => workdir)])];
}

/** The folder that a person knows: what they trust there is trusted in its clone, as long as it is the same. */
export function folderOfPerson(folder: string): string {
  return workspaceAround(folder)?.origin ?? folder;
}

/** The folders of a clone, and those of the person that it is of; `undefined` for a folder that is in none. */
export function cloneOf(folder: string) {
  const workspace = workspaceAround(folder);
  if (workspace === undefined) return undefined;
  const { origin, top, tree, workdir } = workspace;
  return { folders: [tree, workdir], of: [top, origin] };
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;

const MAX_NAME = 32;

/**
 * Takes a name that no workspace has, made of a task: `fix-the-rounding`. The clone's folder is there from then on, so that
 * nobody else takes it.
 *
 * @param taken names that are not free either: of workspaces that are gone, whose refs are still there
 */
export function takeName(task: string, taken: ReadonlySet<string>): string {
  const { known, trees } = placesOf();
  const first = nameOf(task);
  for (let number = 1;; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (taken.has(name) || lstatOrUndefined(`${known}/${name}.json`) !== undefined) continue;
    try {
      Deno.mkdirSync(`${trees}/${name}`, { mode: 0o700 });
      return name;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

/** A name made of a task's first words. */
export function nameOf(task: string): string {
  const words = task.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let name = "";
  for (const word of words) {
    const longer = name === "" ? word.slice(0, MAX_NAME) : `${name}-${word}`;
    if (longer.length > MAX_NAME) break;
    name = longer;
  }
  return name === "" ? "work" : name;
}

/** What is noted in a file of a workspace; `undefined` where it cannot be read. */
export function readAt(path: string): Workspace | undefined {
  try {
    const noted = parseJsonObject(readRegularText(path, { maxBytes: 64 * 1024 }));
    return WORKSPACE(noted) ? noted : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}
