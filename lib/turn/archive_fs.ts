import { dirname } from "@std/path/posix";
import { lstatOrUndefined, removeIfThere } from "../base/ports/files.ts";
import { openRegularFile } from "../base/ports/regular_file.ts";

/** What a system says that cannot sync folders, or may not read a file. Its own care has to do then. */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set(["EACCES", "EBADF", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"]);

export const systemFs = {
  mkdir(path: string): void {
    const isNew = lstatOrUndefined(path) === undefined;
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    if (isNew) this.sync(dirname(path));
  },
  list: (path: string): readonly string[] => [...Deno.readDirSync(path)].map(({ name }) => name),
  create(path: string): boolean {
    try {
      Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  },
  write: (path: string, bytes: Uint8Array): void => Deno.writeFileSync(path, bytes, { createNew: true, mode: 0o600 }),
  rename: (from: string, to: string): void => Deno.renameSync(from, to),
  copy(from: string, to: string): void {
    using source = openRegularFile(from, { access: "read" });
    using copy = Deno.openSync(to, { write: true, createNew: true, mode: 0o600 });
    const chunk = new Uint8Array(64 * 1024);
    for (let offset = 0;;) {
      const read = source.readAt(offset, chunk);
      if (read === 0) break;
      for (let written = 0; written < read;) written += copy.writeSync(chunk.subarray(written, read));
      offset += read;
    }
  },
  remove: removeIfThere,
  sync(path: string): void {
    const info = Deno.lstatSync(path);
    // Neither a link nor a pipe has content of its own to be synced, and a pipe would keep us waiting.
    if (!info.isFile && !info.isDirectory) return;
    try {
      if (info.isFile) {
        using file = openRegularFile(path, { access: "read" });
        file.sync();
      } else {
        using folder = Deno.openSync(path, { read: true });
        folder.syncSync();
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && CANNOT_SYNC.has(error.code))) throw error;
    }
  },
};

/** What the archive asks of the file system, so that a test can stop between any two steps. */
export type ArchiveFs = typeof systemFs;
