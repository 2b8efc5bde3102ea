import { dirname, resolve } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { removeIfThere } from "../base/ports/files.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { parseJsonObject } from "../base/text/json.ts";
import type { SandboxRefusal } from "./open_sandbox.ts";
import { harmlessSettings, UNFINISHED } from "./git_settings.ts";
import { listed } from "./own_folders.ts";
import { type Obeyed, setAside } from "./set_aside.ts";

/** What keeps git from obeying, outside, what programs in a sandbox have made. */
export interface GitGuard {
  /** What git obeys of the repositories that were there before: it is to be only read inside. */
  readonly readOnly: readonly string[];
  /**
   * Sets aside what came to be there since; `by` says when that was.
   *
   * @throws {RuntimeError} where something stays
   */
  disarm(by: string): Promise<void>;
  /** Forgets what was there before. */
  forget(): void;
}

interface GuardOptions {
  /** The folder where it is kept what was there before, also for a sandbox that is opened after this process was killed. */
  readonly place: string;
  readonly onRefusal: (refusal: SandboxRefusal) => void;
}

/** bubblewrap takes some thousand arguments, three for each. */
const MOST_READ_ONLY = 300;

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Notes what git obeys of the repositories in folders: their settings, hooks, and what leads to those of others.
 *
 * A program inside can make a repository below, with settings that have git run something; and, with `git add`, have
 * the next `git status` of the person look into it. No mount keeps a file from being made whose folder is not there.
 */
export async function openGitGuard(
  named: readonly string[],
  { place, onRefusal }: GuardOptions,
): Promise<GitGuard> {
  const folders = named.map((folder) => realPath(folder) ?? folder);
  const file = `${place}/git-${(await sha256Hex(folders.join("\0"))).slice(0, 16)}.json`;
  const passed = folders.flatMap((folder) => [
    `${folder}/.git/objects`,
    ...(isGitFolder(folder) ? [`${folder}/objects`] : []),
  ]);
  const look = () => obeyedBelow(folders, { passed });
  const now = await look();
  const before = keptAt(file);
  const hashes = now.map(async ({ path, text }) => [path, await sha256Hex(text)] as const);
  const known = before ?? Object.fromEntries(await Promise.all(hashes));
  if (before === undefined) await Deno.writeTextFile(file, JSON.stringify(known), { mode: 0o600 });
  const isKnown = async ({ path, text }: Found) => known[path] !== undefined && known[path] === await sha256Hex(text);
  const readOnly: string[] = [];
  const isHeld = (path: string) => readOnly.some((held) => `${path}/`.startsWith(`${held}/`));
  for (const found of now.filter(({ isWrittenOn }) => isWrittenOn !== true)) {
    if (readOnly.length < MOST_READ_ONLY && !isHeld(found.path) && await isKnown(found)) readOnly.push(found.path);
  }
  async function find() {
    const all: Obeyed[] = [];
    for (const found of await look()) {
      const { path, text, kept } = found;
      // What can only be read inside was changed by somebody else.
      if (kept !== text && !isHeld(path) && !await isKnown(found)) all.push({ path, kept });
    }
    return all;
  }
  const disarm = (by: string) => setAside(find, { folders, readOnly, onRefusal: (what) => onRefusal({ by, what }) });
  if (before !== undefined) await disarm("the run that was killed");
  return {
    readOnly,
    disarm,
    forget: () => removeIfThere(file),
  };
}

interface Found extends Obeyed {
  readonly text: string;
  /** Whether git itself must write it inside, as what a person has begun is to be finished there. */
  readonly isWrittenOn?: true;
}

function keptAt(file: string): Record<string, string> | undefined {
  try {
    return parseJsonObject(Deno.readTextFileSync(file)) as Record<string, string> | undefined;
  } catch {
    return undefined;
  }
}

async function obeyedBelow(folders: readonly string[], search: Search): Promise<readonly Found[]> {
  const found: Found[] = [];
  const isBelow = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  const seen = new Set<string>();
  const examine = (folder: string) => {
    if (seen.has(folder)) return;
    seen.add(folder);
    found.push(...obeyedIn(folder, { isTree: (path) => isBelow(`${realPath(resolve(folder, path)) ?? ""}/`) }));
  };
  for (const path of await repositoriesBelow(folders, search)) {
    // By a name that is not UTF-8 nothing can be looked at.
    if (path.includes("\ufffd")) found.push({ path, text: path, kept: "" });
    if (path.endsWith("/HEAD")) {
      examine(dirname(path));
      continue;
    }
    // What stands in the place of a repository's folder leads to it.
    const info = lookAt(path);
    if (info === undefined || info.isDirectory) continue;
    const target = info.isSymlink ? realPath(path) : info.isFile ? gitFolderIn(path) : undefined;
    if (target === undefined) continue;
    if (isBelow(target)) examine(target);
    else found.push({ path, text: target, kept: "" });
  }
  return found;
}

interface Search {
  /** Where git keeps objects: thousands of files, none of which it obeys. */
  readonly passed: readonly string[];
}

/** The paths of all that is named `.git` or `HEAD`. */
async function repositoriesBelow(folders: readonly string[], { passed }: Search): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const objects = passed.flatMap((path) => ["-o", "-path", path.replaceAll(/[\\*?[]/g, "\\$&")]);
  const { code, stdout, truncated } = await systemProcessRunner.run({
    argv: [
      ...["find", ...folders, "(", ...objects.slice(1), ")", "-prune"] as const,
      ...["-o", "(", "-name", ".git", "-o", "-name", "HEAD", ")", "-print0"],
    ] as [string, ...string[]],
    maxOutputBytes: MOST_BYTES,
  });
  // 1 tells of a folder that cannot be read: no git of this person goes there.
  if (code > 1 || truncated) {
    const why = truncated ? "there are too many repositories" : `find has ended with code ${code}`;
    throw new RuntimeError(`Cannot tell what git would obey: ${why}`);
  }
  return stdout.split("\0").filter((path) => path !== "");
}

function has(folder: string, name: string): boolean {
  return lookAt(`${folder}/${name}`) !== undefined;
}

function isGitFolder(folder: string): boolean {
  return has(folder, "HEAD") && (has(folder, "commondir") || has(folder, "objects") && has(folder, "refs"));
}

/** What git obeys of one repository. */
function* obeyedIn(
  folder: string,
  { isTree }: { readonly isTree: (path: string) => boolean },
): Generator<Found> {
  if (!isGitFolder(folder)) return;
  if (has(folder, "commondir")) {
    const path = `${folder}/commondir`;
    const text = textOf(path);
    // Each further working tree has one.
    yield { path, text, kept: IN_WORKTREES.test(folder) && text.trim() === "../.." ? text : "" };
  }
  for (const path of [`${folder}/config`, `${folder}/config.worktree`]) {
    if (lookAt(path) === undefined) continue;
    const text = textOf(path);
    yield { path, text, kept: harmlessSettings(text, isTree) };
  }
  for (const [name, harmless] of Object.entries(UNFINISHED).filter(([name]) => has(folder, name))) {
    const path = `${folder}/${name}`;
    const text = textOf(path);
    yield { path, text, kept: text.split("\n").filter((line) => harmless.test(line)).join("\n"), isWrittenOn: true };
  }
  const hooks = `${folder}/hooks`;
  const info = lookAt(hooks);
  if (info?.isSymlink) return yield { path: hooks, text: `link to ${realPath(hooks)}`, kept: "" };
  // A file holds none: the library shows one in the place of a folder that is not to be made.
  if (!info?.isDirectory) return;
  yield { path: hooks, text: "", kept: "" };
  for (const { name } of listed(hooks)) {
    if (!UNKNOWN_TO_GIT.test(name)) yield { path: `${hooks}/${name}`, text: textOf(`${hooks}/${name}`), kept: "" };
  }
}

/** Hooks as git brings them, and as they are set aside. */
const UNKNOWN_TO_GIT = /\.(?:sample|refused\d*)$|^.{100}/s;

const IN_WORKTREES = /\/worktrees\/[^/]+$/;

/** The folder that a file in the place of one names. */
function gitFolderIn(path: string): string | undefined {
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path))?.[1];
  return named === undefined ? undefined : realPath(resolve(dirname(path), named));
}

const MOST_TEXT = 1024 * 1024;

/** What cannot be read has no text that is known. */
function textOf(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MOST_TEXT });
  } catch {
    return `not read: ${path}`;
  }
}

/** What cannot be looked at by us cannot be obeyed by a git of the same person, either. */
function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
