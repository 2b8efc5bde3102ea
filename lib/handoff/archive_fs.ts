import { dirname } from "@std/path/posix";
import { lstatOrUndefined, removeIfThere } from "../ports/files.ts";

/** What the archive asks of the file system, so that a test can stop between any two steps. All paths are absolute. */
export interface ArchiveFs {
  mkdir(path: string): void;
  list(path: string): readonly string[];
  /** Creates an empty file. False where something is already. */
  create(path: string): boolean;
  write(path: string, bytes: Uint8Array): void;
  /** @throws an error with the code `EXDEV` across file systems */
  rename(from: string, to: string): void;
  /** Copies a regular file to a path where nothing is. */
  copy(from: string, to: string): void;
  remove(path: string): void;
  /** Puts a file's content, or a folder's entries, on the disk. */
  sync(path: string): void;
}

/** What a system says that cannot sync folders, or may not read a file. Its own care has to do then. */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set(["EACCES", "EBADF", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"]);

/** The files of this machine. */
export const systemFs: ArchiveFs = {
  mkdir(path) {
    const isNew = lstatOrUndefined(path) === undefined;
    Deno.mkdirSync(path, { recursive: true });
    if (isNew) this.sync(dirname(path));
  },
  list: (path) => [...Deno.readDirSync(path)].map(({ name }) => name),
  create(path) {
    try {
      Deno.openSync(path, { write: true, createNew: true }).close();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  },
  write: (path, bytes) => Deno.writeFileSync(path, bytes, { createNew: true, mode: 0o600 }),
  rename: (from, to) => Deno.renameSync(from, to),
  copy(from, to) {
    using source = Deno.openSync(from, { read: true });
    // What is open must be what stands there: a link would be followed.
    const [open, there] = [source.statSync(), Deno.lstatSync(from)];
    if (!there.isFile || there.ino !== open.ino || there.dev !== open.dev) throw new Error("it is not a regular file");
    using copy = Deno.openSync(to, { write: true, createNew: true, mode: 0o600 });
    const chunk = new Uint8Array(64 * 1024);
    for (let read = source.readSync(chunk); read !== null; read = source.readSync(chunk)) {
      for (let written = 0; written < read;) written += copy.writeSync(chunk.subarray(written, read));
    }
  },
  remove: removeIfThere,
  sync(path) {
    const info = Deno.lstatSync(path);
    // Neither a link nor a pipe has content of its own to be synced, and a pipe would keep us waiting.
    if (!info.isFile && !info.isDirectory) return;
    try {
      using file = Deno.openSync(path, { read: true });
      file.syncSync();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && CANNOT_SYNC.has(error.code))) throw error;
    }
  },
};
