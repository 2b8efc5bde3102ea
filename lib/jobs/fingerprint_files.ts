import { dirname, resolve } from "@std/path/posix";
import { type ProcessRunner, systemProcessRunner } from "../ports/process.ts";
import { readRegularFile } from "../ports/regular_file.ts";
import { sha256Hex } from "../text/digest.ts";

/** How the files of a folder are looked at. */
export interface FingerprintOptions {
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

/** A configuration of the repository's can lead git to a file that never ends. */
const GIT_TIMEOUT_MS = 20_000;

/** How many files are asked for at a time. */
const AT_A_TIME = 64;

/** Not told: too many files, git does not answer, or something cannot be looked at. */
class UntoldError extends Error {}

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
    const names = await listByGit(options);
    if (names === undefined) await look.addFolder("");
    else await look.addNames(names);
    return await look.fingerprint();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof UntoldError) return undefined;
    throw error;
  }
}

/**
 * The files that git tracks or would track; a repository or submodule below is one name, that of its folder.
 *
 * @returns `undefined` where git is missing, or the folder is in no repository or ignored by it
 */
async function listByGit(options: FingerprintOptions): Promise<readonly string[] | undefined> {
  try {
    const [list, ignored] = await Promise.all([
      git(options, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]),
      git(options, ["check-ignore", "--quiet", "."]),
    ]);
    if (list.timedOut || ignored.timedOut || list.truncated) throw new UntoldError("git does not answer");
    if (list.code !== 0 || ignored.code === 0) return undefined;
    const names = list.stdout.split("\0").filter((name) => name !== "");
    if (names.some((name) => name.includes("\ufffd"))) throw new UntoldError("a name is not UTF-8");
    return names;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof UntoldError || options.signal?.aborted) throw error;
    // Such as a program that may not be started: what is watched beside a run must not end it.
    throw new UntoldError("git cannot be asked", { cause: error });
  }
}

function git({ workdir, signal, processRunner = systemProcessRunner }: FingerprintOptions, args: readonly string[]) {
  return processRunner.run({
    argv: ["git", "-c", "core.fsmonitor=false", ...args],
    cwd: workdir,
    // In a partial clone, git would fetch what is missing with a command that the configuration names.
    env: { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" },
    timeoutMs: GIT_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024 * 1024,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** One look at the files. */
class Look {
  readonly #options: FingerprintOptions;
  readonly #entries: string[] = [];
  readonly #folders = new Map<string, Promise<boolean>>();
  #count = 0;
  #bytesLeft = MAX_BYTES;

  constructor(options: FingerprintOptions) {
    this.#options = options;
  }

  async addNames(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += AT_A_TIME) {
      this.#options.signal?.throwIfAborted();
      const some = names.slice(at, at + AT_A_TIME).map((name) => this.#add(name.replace(/\/$/, "")));
      // Where one cannot be looked at, the looks at the others have ended as well.
      const failed = (await Promise.allSettled(some)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    }
  }

  /** Adds what is below a folder, but no repository's own records. */
  async addFolder(name: string): Promise<void> {
    const entries = await Array.fromAsync(Deno.readDir(this.#path(name))).catch(() => {
      throw new UntoldError(`${name} cannot be read`);
    });
    const names = entries.filter((entry) => entry.name !== ".git").map((entry) =>
      name === "" ? entry.name : `${name}/${entry.name}`
    );
    await this.addNames(names);
  }

  async fingerprint(): Promise<string> {
    return await sha256Hex(this.#entries.toSorted().join("\n"));
  }

  async #add(name: string): Promise<void> {
    const { except, maxFiles = MAX_FILES } = this.#options;
    if (except.some((folder) => name === folder || name.startsWith(`${folder}/`))) return;
    if (++this.#count > maxFiles) throw new UntoldError("there are too many files");
    const info = await this.#isInFolders(name) ? await lstat(this.#path(name)) : undefined;
    if (info?.isDirectory) return await this.addFolder(name);
    this.#entries.push(JSON.stringify([name, info === undefined ? "gone" : await this.#describe(name, info)]));
  }

  /** Whether a file's folders are folders up to the working directory, and none of them a link. */
  #isInFolders(name: string): Promise<boolean> {
    const folder = dirname(name);
    if (folder === ".") return Promise.resolve(true);
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const found = this.#isInFolders(folder).then(async (isReal) =>
      isReal && (await lstat(this.#path(folder)))?.isDirectory === true
    );
    this.#folders.set(folder, found);
    return found;
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

async function lstat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw new UntoldError(`${path} cannot be looked at`, { cause: error });
  }
}
