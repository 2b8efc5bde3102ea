import { removeTree } from "../base/ports/own_files.ts";
import { dirname } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { isPlainFile, lstatOrUndefined } from "../base/ports/files.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { lastLines } from "../base/text/lines.ts";
import { git, inFolder } from "./git.ts";

/** A file of the repository's that names, in the syntax of `.gitignore`, what of it is to be brought along. */
const INCLUDE_FILE = ".worktreeinclude";

/**
 * Brings what git ignores from a person's checkout into a clone of it: what the patterns name, and what the repository's
 * `.worktreeinclude` does. What is there already stays as it is.
 *
 * @param patterns in the syntax of `.gitignore`
 * @returns what was brought, below the top; a folder ends with `/`
 */
export async function bringIgnored(
  { tree, ...folder }: Folder & { readonly tree: string },
  { patterns, signal }: { readonly patterns: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const brought: string[] = [];
  for (const path of await namedIn(folder, { patterns, signal })) {
    if (await copyInto(path, { from: folder.top, into: tree, signal })) brought.push(path);
  }
  return brought;
}

type Folder = Parameters<typeof inFolder>[0];

async function namedIn(
  folder: Folder,
  { patterns, signal }: { readonly patterns: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const named = [
    ...patterns.map((pattern) => `--exclude=${pattern}`),
    ...(isPlainFile(`${folder.top}/${INCLUDE_FILE}`) ? [`--exclude-from=${INCLUDE_FILE}`] : []),
  ];
  if (named.length === 0) return [];
  const list = ["ls-files", "--others", "--ignored", "--directory", "-z"];
  const listed = await git([...list, ...named], { ...inFolder(folder), signal });
  return listed.split("\0").filter((path) => path !== "" && !isOurs(path));
}

/**
 * What of that has changed in a checkout since a file was written, by the times that no program can set.
 *
 * @param than absolute path of that file
 * @throws {RuntimeError} where that cannot be told
 */
export async function namedSince(
  folder: Folder,
  { patterns, than, signal }: {
    readonly patterns: readonly string[];
    readonly than: string;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[]> {
  const { top } = folder;
  const paths = await namedIn(folder, { patterns, signal });
  if (paths.length === 0) return [];
  const { code, stderr, stdout } = await systemProcessRunner.run({
    argv: ["find", ...paths.map((path) => `${top}/${path}`), "-newercm", than, "-print0"],
    signal,
    timeoutMs: LIMIT_MS,
  });
  if (code !== 0) throw new RuntimeError(`Cannot tell what has changed in ${top}: ${lastLines(stderr, 1)[0] ?? ""}`);
  return stdout.split("\0").filter((path) => path !== "").map((path) => path.slice(top.length + 1));
}

/**
 * What of a checkout the patterns name, below its top.
 *
 * @returns `paths`: what git ignores; `known`: what is in commits, or would be in the next one
 */
export async function ignoredIn(
  top: string,
  { patterns, signal }: { readonly patterns: readonly string[]; readonly signal: AbortSignal },
): Promise<{ readonly paths: readonly string[]; readonly known: readonly string[] }> {
  const named = patterns.map((pattern) => `--exclude=${pattern}`);
  const list = async (...args: readonly string[]) => {
    const listed = await git(["ls-files", "--ignored", "-z", ...args], { cwd: top, signal });
    return listed.split("\0").filter((path) => path !== "" && !isOurs(path));
  };
  const [tracked, others, ignored] = await Promise.all([
    list("--cached", ...named),
    list("--others", ...named),
    list("--others", "--exclude-standard"),
  ]);
  const isIgnored = new Set(ignored);
  return {
    paths: others.filter((path) => isIgnored.has(path)),
    known: [...tracked, ...others.filter((path) => !isIgnored.has(path))],
  };
}

/** What panewright itself keeps in a folder. */
export function isOurs(path: string): boolean {
  return /(?:^|\/)(?:\.panewright|\.git|\.tmp\/agent-responses)(?:\/|$)/.test(path);
}

/**
 * Copies a file or a folder as it is, also links and times; by reference where the file system can.
 *
 * @returns false where something of that name is there, or its place is behind a link: it could lead anywhere
 * @throws {RuntimeError} with the words of `cp`
 */
export async function copyInto(
  path: string,
  { from, into, replaces = false, signal }: {
    readonly from: string;
    readonly into: string;
    /** Whether what is there gives way. @default {false} */
    readonly replaces?: boolean;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const name = path.replace(/\/$/, "");
  if (!makePlace(dirname(name), into)) return false;
  if (lstatOrUndefined(`${into}/${name}`) !== undefined) {
    if (!replaces) return false;
    await removeTree(`${into}/${name}`);
  }
  const { code, stderr } = await systemProcessRunner.run({
    argv: ["cp", "-a", "--", `${from}/${name}`, `${into}/${name}`],
    signal,
    timeoutMs: LIMIT_MS,
  });
  if (code === 0) return true;
  throw new RuntimeError(`Cannot copy ${from}/${name}: ${lastLines(stderr, 1)[0] ?? `cp ended with ${code}`}`);
}

const LIMIT_MS = 10 * 60_000;

/** Makes a folder below another one, unless a link, or something else, is in its way. */
function makePlace(path: string, into: string): boolean {
  if (path === ".") return true;
  let place = into;
  for (const name of path.split("/")) {
    place = `${place}/${name}`;
    const there = lstatOrUndefined(place);
    if (there === undefined) Deno.mkdirSync(place);
    else if (!there.isDirectory) return false;
  }
  return true;
}
