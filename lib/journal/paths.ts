import { relative, resolve } from "@std/path/posix";

/**
 * The version of the records' format; it stands in the first record of each journal, and again where a later version
 * continues it. In version 1 all paths were absolute; before version 3 lines were not chained, and the file in the working
 * directory was the journal itself.
 */
export const JOURNAL_VERSION = 3;

export const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

export type MapPath = (path: string) => string;

/**
 * How paths stand in a journal: relative to the run's folder, so that a project can be carried elsewhere with its runs.
 * One that has nothing in common with that folder but the root stays as it is: it is not carried along.
 *
 * @param folder the run's folder, absolute
 */
export function storedPaths(folder: string): MapPath {
  return (path) => path.split("/")[1] === folder.split("/")[1] ? relative(folder, path) || "." : path;
}

/**
 * The absolute paths of those in a journal. Journals of version 1 have absolute ones: where the project was carried
 * since, what was in its old place is taken to be in the new one.
 *
 * @param folder the run's folder, absolute
 * @param workdir the working directory, as the journal has it
 */
export function readPaths(folder: string, workdir: string): MapPath {
  const place = workdirOf(folder);
  return (path) => {
    if (!path.startsWith("/")) return resolve(folder, path);
    if (place === undefined || !workdir.startsWith("/") || workdir === place) return path;
    return path === workdir || path.startsWith(`${workdir}/`) ? `${place}${path.slice(workdir.length)}` : path;
  };
}

/** The working directory that a run's folder is in; `undefined` where no folder of a run can be. */
export function workdirOf(folder: string): string | undefined {
  const found = /^(.*)\/\.panewright\/runs\/[^/]+$/.exec(folder);
  return found === null ? undefined : found[1] || "/";
}
