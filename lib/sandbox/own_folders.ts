import { lstatOrUndefined } from "../base/ports/files.ts";
import { shellJoin } from "../shell/quote.ts";

/** A folder that a program has to itself. */
export interface OwnFolder {
  readonly path: string;
  /** What is there outside, and can be read inside. */
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly path: string;
  /** Where it leads, if it is a link. */
  readonly link?: string;
}

/** Folders that programs write to whatever TMPDIR says. Inside they are in memory, and go with the program. */
const FOLDERS = ["/tmp", "/var/tmp"] as const;

/** How many entries of each are there inside, too: each is a mount. */
const MOST_ENTRIES = 256;

/** Which folders a program has to itself: none that it may write outside, too. */
export function ownFolders(writable: readonly string[]): readonly string[] {
  return FOLDERS.filter((folder) =>
    lstatOrUndefined(folder)?.isDirectory === true && !writable.some((path) => isAtOrBelow(folder, path))
  );
}

/** @param needed paths that must be there inside, too: they come first */
export function ownFolderAt(path: string, needed: readonly string[]): OwnFolder {
  return { path, entries: entriesOf(path, needed) };
}

/** What bubblewrap is told of them, as it reads it from a file: no list of processes is to name all that is there. */
export function mountsOf(folders: readonly OwnFolder[]): string {
  return folders.flatMap(({ entries, path }) => ["--tmpfs", path, ...entries.flatMap(mountOf)])
    .map((word) => `${word}\0`).join("");
}

/**
 * Has the library's command of bubblewrap read {@linkcode mountsOf} where they lie below all that it mounts there itself.
 *
 * @returns a command of another form as it is: what is in those folders can only be read then
 */
export function readingMounts(command: string): string {
  return command.replace(ROOT, `${ROOT}--args ${MOUNTS_FD} `);
}

const ROOT = "--ro-bind / / ";

/**
 * Has the library's command of bubblewrap show an empty file where it would show a device, which cannot be copied, read
 * or added to git; and other files where it has mounted all else.
 *
 * @param files by the paths where they are shown
 */
export function showing(command: string, { empty, files }: Shown): string {
  const at = command.indexOf(LAST);
  if (at < 0) return command;
  const words = Object.entries(files).flatMap(([path, file]) => ["--ro-bind", file, path]);
  const before = command.slice(0, at).replaceAll(DEVICE, `--ro-bind ${shellJoin([empty])} `);
  return `${before} ${shellJoin(words)}${command.slice(at)}`;
}

interface Shown {
  /** A file without content. */
  readonly empty: string;
  readonly files: Readonly<Record<string, string>>;
}

const LAST = " --dev /dev ";
const DEVICE = "--ro-bind /dev/null ";

/** Where bubblewrap reads them: of one digit, as shells want it; the library has 9. */
export const MOUNTS_FD = 8;

/** It may be gone when the program begins. */
function mountOf({ link, path }: Entry): readonly string[] {
  return link === undefined ? ["--ro-bind-try", path, path] : ["--symlink", link, path];
}

/** Whether what a program writes to a path is in such a folder. */
export function isOwn(path: string, folders: readonly OwnFolder[]): boolean {
  return folders.some((folder) =>
    isAtOrBelow(path, folder.path) && !folder.entries.some((entry) => isAtOrBelow(path, entry.path))
  );
}

function entriesOf(folder: string, needed: readonly string[]): readonly Entry[] {
  const paths = listed(folder).map((entry) => ({ ...entry, path: `${folder}/${entry.name}` }));
  const isNeeded = ({ path }: Entry) => needed.some((one) => isAtOrBelow(one, path));
  return [...paths.filter(isNeeded), ...paths.filter((entry) => !isNeeded(entry))].slice(0, MOST_ENTRIES)
    .flatMap(({ path, isDirectory, isFile, isSymlink }) =>
      isDirectory || isFile ? [{ path }] : isSymlink ? linkAt(path) : []
    );
}

/** What is in a folder; nothing where it cannot be read. */
export function listed(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch {
    // What is in it cannot be read outside, either.
    return [];
  }
}

function linkAt(path: string): readonly Entry[] {
  try {
    return [{ path, link: Deno.readLinkSync(path) }];
  } catch {
    return [];
  }
}

function isAtOrBelow(path: string, folder: string): boolean {
  return `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
