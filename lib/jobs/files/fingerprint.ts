import { dirname, resolve } from "@std/path/posix";
import type { ProcessRunner } from "../../base/ports/process.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { letOthersWork, listByGit, lstatOf, UntoldError, walkFiles } from "./list.ts";

interface FingerprintOptions {
  /** Absolute. */
  readonly workdir: string;
  /** Files that have changed since then, in milliseconds since the epoch, are compared by content. */
  readonly sinceMs: number;
  /** Folders that do not count, relative to the working directory. */
  readonly except: readonly string[];
  readonly signal?: AbortSignal;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
  /** Above this number of files nothing is told. @default {100000} */
  readonly maxFiles?: number;
}

const MAX_FILES = 100_000;

/** How much is read of files that were written meanwhile; what is beyond it is told apart by times and size. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_BYTES_OF_FILE = 8 * 1024 * 1024;

/**
 * A fingerprint of the files in a working directory: those that git does not ignore, or all of them where there is no
 * git. Two that are the same mean that no file has changed.
 *
 * Files that were not touched since `sinceMs` are told apart by size and time, the others by their content, so that
 * what was changed and changed back is the same again. git only lists names: nothing that a repository could configure
 * is run, and no link is followed.
 *
 * @returns SHA-256, hexadecimal; `undefined` where it cannot be told
 * @throws the signal's reason when it is aborted
 */
export async function fingerprintFiles(options: FingerprintOptions): Promise<string | undefined> {
  try {
    const look = new Look(options);
    const listed = await listByGit({ ...options, folder: options.workdir });
    if (listed === undefined) await look.addFolder("");
    else await look.addNames(listed.names);
    return await look.fingerprint();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof UntoldError) return undefined;
    throw error;
  }
}

class Look {
  readonly #options: FingerprintOptions;
  readonly #entries: string[] = [];
  readonly #folders = new Map<string, boolean>();
  #count = 0;
  #bytesLeft = MAX_BYTES;

  constructor(options: FingerprintOptions) {
    this.#options = options;
  }

  async addNames(names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      this.#options.signal?.throwIfAborted();
      await letOthersWork(index);
      await this.#add(name);
    }
  }

  /** Adds what is below a folder, but no repository's own records. */
  async addFolder(name: string): Promise<void> {
    const { maxFiles = MAX_FILES, signal } = this.#options;
    const start = this.#path(name);
    const nameOf = (path: string) => `${name === "" ? "" : `${name}/`}${path.slice(start.length + 1)}`;
    const skips = (path: string) => path.endsWith("/.git") || this.#isLeftOut(nameOf(path));
    for await (const { path, info } of walkFiles(start, { maxFiles, skips, ...(signal ? { signal } : {}) })) {
      if (info.isDirectory) throw new UntoldError(`${path} cannot be read`);
      await this.#note(nameOf(path), info);
    }
  }

  async fingerprint(): Promise<string> {
    return await sha256Hex(this.#entries.toSorted().join("\n"));
  }

  async #add(name: string): Promise<void> {
    if (this.#isLeftOut(name)) return;
    const info = this.#isInFolders(name) ? lstatOf(this.#path(name)) : undefined;
    if (info?.isDirectory) await this.addFolder(name);
    else await this.#note(name, info);
  }

  #isLeftOut(name: string): boolean {
    return this.#options.except.some((folder) => name === folder || name.startsWith(`${folder}/`));
  }

  async #note(name: string, info: Deno.FileInfo | undefined): Promise<void> {
    const { maxFiles = MAX_FILES } = this.#options;
    if (++this.#count > maxFiles) throw new UntoldError("there are too many files");
    this.#entries.push(JSON.stringify([name, info === undefined ? "gone" : await this.#describe(name, info)]));
  }

  /** Whether a file's folders are folders up to the working directory, and none of them a link. */
  #isInFolders(name: string): boolean {
    const folder = dirname(name);
    if (folder === ".") return true;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const isReal = this.#isInFolders(folder) && lstatOf(this.#path(folder))?.isDirectory === true;
    this.#folders.set(folder, isReal);
    return isReal;
  }

  async #describe(name: string, info: Deno.FileInfo): Promise<readonly unknown[]> {
    const { size, mtime, ctime, mode } = info;
    if (info.isSymlink) return ["link", await Deno.readLink(this.#path(name)).catch(() => "")];
    if (!info.isFile) return ["other"];
    const times = [mtime?.getTime() ?? NaN, ctime?.getTime() ?? NaN];
    const about = ["file", ((mode ?? 0) & 0o111) !== 0, size];
    const isOld = times.every((time) => time < this.#options.sinceMs);
    if (isOld || size > Math.min(MAX_BYTES_OF_FILE, this.#bytesLeft)) return [...about, ...times];
    this.#bytesLeft -= size;
    return [...about, await this.#contentOf(name, size) ?? times];
  }

  async #contentOf(name: string, size: number): Promise<string | undefined> {
    try {
      return await sha256Hex(readRegularFile(this.#path(name), { maxBytes: size }));
    } catch {
      return undefined;
    }
  }

  #path(name: string): string {
    return resolve(this.#options.workdir, name);
  }
}
