import { resolve } from "@std/path/posix";
import { present } from "../base/schema.ts";
import type { PossibleFolders } from "./folders.ts";
import { isSystemFile, protectedPart, secretPart } from "./protected_paths.ts";

/** What is known of the machine. Without it, `~` and links are not followed, nor are repositories looked for. */
export interface Ground {
  /** Absolute path of the folder in which the agent works, links resolved. */
  readonly workdir: string;
  /** Absolute path of the folder in which a command begins. @default {the working directory} */
  readonly cwd?: string;
  /** Further folders in which commands may write. @default {[]} */
  readonly writable?: readonly string[];
  /** The home folder. Absolute. */
  readonly home?: string;
  /**
   * An absolute path with the links on it resolved, as far as it exists.
   *
   * @returns `undefined` where that cannot be known
   */
  readonly realPath?: (path: string) => string | undefined;
  /** Whether git may take a folder for a repository of its own; also where that is not known. */
  readonly mayHoldRepository?: (folder: string) => boolean;
}

interface Destination {
  readonly place: "inside" | "outside" | "unknown";
  /** The absolute paths that it may come down to. */
  readonly paths: readonly string[];
  /** What of it only a person may allow to be written. */
  readonly protected?: string;
  /** What of it only a person may allow to be read. */
  readonly secret?: string;
  readonly everything: boolean;
}

interface PathUse {
  readonly folders: PossibleFolders;
  readonly does: "read" | "write" | "remove";
}

/**
 * Where a path leads: in the working directory or one that is writable, elsewhere, or not known.
 *
 * What panewright keeps in `.panewright` counts as outside; so does the working directory itself where it would be
 * removed. What the system brings may be read.
 */
export function whereto(path: string, { folders, does }: PathUse, ground: Ground): Destination {
  const { workdir, home, writable = [], realPath = (given: string) => given } = ground;
  const written = path === "~" || path.startsWith("~/")
    ? home === undefined ? undefined : `${home}${path.slice(1)}`
    : path;
  const from = written?.startsWith("/") ? ["/"] : folders;
  const named = { protected: protectedPart(path), secret: secretPart(path) };
  if (written === undefined || written.startsWith("~") || from === undefined) {
    return { place: "unknown", paths: [], everything: false, ...present(named) };
  }
  const absolute = [...new Set(from.map((folder) => resolve(folder, written)))];
  // `rm -r link/` removes what the link leads to.
  const followed = does === "remove" && !/\/\.?$/.test(written) ? does : "write";
  const real = absolute.map((one) => realOf(one, followed, realPath));
  const known = real.filter((one) => one !== undefined);
  const paths = [...new Set([...absolute, ...known])];
  const firstOf = (partOf: (path: string) => string | undefined) =>
    paths.map((one) => partOf(below(one, workdir))).find((part) => part !== undefined);
  const found = {
    paths,
    everything: absolute.some((one) => isEverything(one, workdir)),
    ...present({ protected: firstOf(protectedPart), secret: firstOf(secretPart) }),
  };
  const roots = [...writable, ...writable.map((one) => realPath(one) ?? one)];
  if (known.length < real.length) {
    const inside = absolute.some((one) => isInside(one, { workdir, roots, does }));
    return { ...found, place: inside ? "unknown" : "outside" };
  }
  const insides = new Set(known.map((one) => isInside(one, { workdir, roots, does })));
  return { ...found, place: insides.size > 1 ? "unknown" : insides.has(true) ? "inside" : "outside" };
}

/** The part of a path that the working directory's own place does not matter for. */
function below(path: string, workdir: string): string {
  return path.startsWith(`${workdir}/`) ? path.slice(workdir.length) : path;
}

/** The path without links; what is removed is the link itself. Name patterns are left as they are. */
function realOf(path: string, does: PathUse["does"], realPath: (path: string) => string | undefined) {
  const pattern = path.search(/\/[^/]*[*?[{]/);
  const cut = pattern !== -1 ? pattern : does === "remove" ? path.lastIndexOf("/") : path.length;
  const real = realPath(path.slice(0, cut) || "/");
  return real === undefined ? undefined : resolve(`${real}/${path.slice(cut)}`);
}

/** Names that say nothing but that they are long enough: `*`, `?*`, `[a-z]*`, `*.*`, `!(x)`, `{*,.*}`. */
const ANY_NAME = String.raw`(?:[*?.,{}]|\[[^\]/]*\]|[@!?*+]\([^)/]*\))*`;
const EVERYTHING = new RegExp(String.raw`^(?:/(?=[^/]*[*(])${ANY_NAME})+$`);

/** `/w/*`, `/w/**`, `/w/?*`: everything in the working directory. */
function isEverything(path: string, workdir: string): boolean {
  if (path === workdir || workdir.startsWith(path === "/" ? path : `${path}/`)) return true;
  return path.startsWith(`${workdir}/`) && EVERYTHING.test(path.slice(workdir.length).replaceAll(/\[:\w+:\]/g, "x"));
}

function isInside(
  path: string,
  { workdir, roots, does }: {
    readonly workdir: string;
    readonly roots: readonly string[];
    readonly does: PathUse["does"];
  },
): boolean {
  const own = `${workdir}/.panewright`;
  if (does === "read") {
    if (isSystemFile(path)) return true;
  } else if (path === own || path.startsWith(`${own}/`)) return false;
  return [workdir, ...roots].some((root) =>
    path.startsWith(root.endsWith("/") ? root : `${root}/`) || (path === root && does !== "remove")
  );
}
