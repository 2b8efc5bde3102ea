import { dirname } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { type Fault, faultOfEnvironment, killSelf } from "../base/ports/fault.ts";
import { lstatOrUndefined, removeIfThere } from "../base/ports/files.ts";
import { errorText } from "../base/text/error_text.ts";
import { type ArchiveFs, systemFs } from "./archive_fs.ts";

export function defaultArchiveDir(workdir: string, startedAtMs = performance.timeOrigin): string {
  const [date, time] = new Date(startedAtMs).toISOString().slice(0, 19).split("T") as [string, string];
  return `${workdir}/.tmp/${date.replaceAll("-", "")}-${time.replaceAll(":", "")}`;
}

interface ArchiveOptions {
  readonly archiveDir: string;
  readonly label: string;
  readonly fs?: ArchiveFs;
}

/**
 * Moves a file to `<archiveDir>/NNN-<label>.md`, NNN being one more than the highest number there, 001 at first. It is
 * on the disk there, and gone from its old place, when this returns.
 *
 * Nothing is ever overwritten: the new name is reserved by creating it empty. Whatever stops this, the file stands
 * whole at its old place or under the new name, or at both; across file systems, where it is copied, the copy gets its
 * name when it is on the disk. {@linkcode tidyArchive} removes what was left half done. The file keeps its identity on
 * one file system.
 */
export function moveToArchive(source: string, options: ArchiveOptions): string {
  const { archiveDir, fs = systemFs } = options;
  try {
    const name = reserveNext(options);
    let isCopied = false;
    fill(name, () => {
      fs.sync(source);
      strike(name, "before");
      try {
        fs.rename(source, name.path);
      } catch (error) {
        if (!isCrossDevice(error)) throw error;
        writeAside(name, (partial) => fs.copy(source, partial));
        isCopied = true;
      }
    });
    if (isCopied) fs.remove(source);
    else strike(name, "in");
    fs.sync(dirname(source));
    strike(name, "after");
    return name.path;
  } catch (error) {
    throw new RuntimeError(`Cannot archive ${source} in ${archiveDir}: ${errorText(error)}`, { cause: error });
  }
}

export function writeToArchive(
  text: string,
  options: ArchiveOptions,
): { readonly path: string; readonly bytes: number } {
  const { archiveDir, fs = systemFs } = options;
  const bytes = new TextEncoder().encode(text);
  try {
    const name = reserveNext(options);
    fill(name, () => writeAside(name, (partial) => fs.write(partial, bytes)));
    return { path: name.path, bytes: bytes.length };
  } catch (error) {
    throw new RuntimeError(`Cannot write in ${archiveDir}: ${errorText(error)}`, { cause: error });
  }
}

/** What a file is called that is being copied or written: no name of the archive begins with a dot. */
const PARTIAL_NAME = /^\.\d{3,9}-.*\.partial$/;

/**
 * Removes what a process that was killed left half done: unfinished copies, and names that were only reserved. Only for
 * an archive that no other process writes.
 */
export function tidyArchive(
  archiveDir: string,
  { known }: { readonly known: ReadonlySet<string> },
): readonly string[] {
  if (lstatOrUndefined(archiveDir) === undefined) return [];
  return systemFs.list(archiveDir).filter((name) => {
    const path = `${archiveDir}/${name}`;
    const isHalfDone = PARTIAL_NAME.test(name) || (/^\d{3,9}-/.test(name) && lstatOrUndefined(path)?.size === 0);
    if (isHalfDone && !known.has(name)) removeIfThere(path);
    return !isHalfDone || known.has(name);
  }).toSorted();
}

interface ReservedName {
  readonly archiveDir: string;
  readonly path: string;
  readonly number: number;
  readonly fs: ArchiveFs;
}

function reserveNext({ archiveDir, label, fs = systemFs }: ArchiveOptions): ReservedName {
  fs.mkdir(archiveDir);
  const numbers = fs.list(archiveDir).map((name) => Number(/^(\d{3,9})-/.exec(name)?.[1] ?? 0));
  for (let number = Math.max(0, ...numbers) + 1;; number++) {
    const path = `${archiveDir}/${String(number).padStart(3, "0")}-${label}.md`;
    if (fs.create(path)) return { archiveDir, path, number, fs };
  }
}

function fill({ archiveDir, path, fs }: ReservedName, put: () => void): void {
  try {
    put();
  } catch (error) {
    fs.remove(path);
    throw error;
  }
  fs.sync(archiveDir);
}

function writeAside(name: ReservedName, write: (partial: string) => void): void {
  const { archiveDir, path, fs } = name;
  const partial = `${archiveDir}/.${path.slice(archiveDir.length + 1)}.partial`;
  fs.remove(partial);
  try {
    write(partial);
    strike(name, "in");
    fs.sync(partial);
    fs.rename(partial, path);
  } catch (error) {
    fs.remove(partial);
    throw error;
  }
}

function strike({ number }: ReservedName, when: Fault["when"]): void {
  const fault = faultOfEnvironment("archive");
  if (fault?.when === when && number >= fault.number) killSelf();
}

function isCrossDevice(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EXDEV";
}
