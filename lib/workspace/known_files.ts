import { RuntimeError, UsageError } from "../base/errors.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { git, inStore } from "./git.ts";
import { placesOfRepository, plainFolder, storePathOf } from "./open_workspace.ts";
import { keptIndexOf } from "./own_index.ts";
import { placesOf, workspaceAround } from "./workspace.ts";

/** What a file was when it was looked at last. Times are in milliseconds since the epoch, as Deno tells them. */
export interface KnownFile {
  /** As what git has it, byte for byte. */
  readonly blob: string;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
}

/** What our last look at a folder's files says of them. */
export interface KnownFiles {
  /** The folders with the objects of their contents. */
  readonly objects: readonly string[];
  /** By absolute path. */
  readonly files: ReadonlyMap<string, KnownFile>;
}

/** Whether nobody has worked in a workspace since it was made, as far as we know: says so once. */
export function takeFresh(folder: string): boolean {
  const workspace = workspaceAround(folder);
  if (workspace === undefined) return false;
  try {
    Deno.removeSync(`${placesOf().known}/${workspace.name}.fresh`);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/**
 * What is known of the files around a folder without reading them: what the index says that our looks are made with, which no
 * agent can write. A file with the same times has the same content.
 *
 * @param options.isFresh whether nobody has changed a file since that look began. @default {false}
 * @returns `undefined` where nothing is known, or git cannot say it
 */
export async function knownFiles(
  folder: string,
  { isFresh = false, signal }: { readonly isFresh?: boolean; readonly signal: AbortSignal },
): Promise<KnownFiles | undefined> {
  try {
    const { index, objects, store, top } = await lookOf(folder, signal);
    const lookedAt = lstatOrUndefined(index)?.mtime?.getTime();
    if (lookedAt === undefined) return undefined;
    const ask = inStore(store, signal, objects);
    const said = await git(["ls-files", "-z", "--stage", "--debug"], {
      ...{ ...ask, env: { ...ask.env, GIT_INDEX_FILE: index } },
    });
    const entries = [...said.matchAll(ENTRY)].flatMap(({ groups = {} }) => {
      const { blob = "", mode = "", name = "", stage, ...numbers } = groups;
      if (!mode.startsWith("100") || stage !== "0") return [];
      const of = (key: string) => Number(numbers[key]);
      // Deno tells the time of an inode's last change in whole seconds (2.9).
      const ctime = of("ctime") * 1000;
      const mtime = of("mtime") * 1000 + Math.trunc(of("mtimeNs") / 1_000_000);
      // What was changed in the second of the look may have been changed again, later in it.
      const isRecent = !isFresh && ctime + TIME_STEP_MS > lookedAt;
      return isRecent
        ? []
        : [[`${top}/${name}`, { blob, size: of("size"), mtime, ctime, inode: of("inode") }] as const];
    });
    const sizes = await sizesOf(entries.map(([, { blob }]) => blob), ask);
    return {
      objects: [`${store}/objects`, ...objects === undefined ? [] : [objects]],
      // Of another size is what git changes on its way in, such as the ends of lines.
      files: new Map(entries.filter(([, { size }], at) => sizes[at] === size)),
    };
  } catch (error) {
    signal.throwIfAborted();
    if ([RuntimeError, UsageError, Deno.errors.NotFound].some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}

/** A second, and a tick of the clock that file systems go by. */
const TIME_STEP_MS = 1020;

/** What `git ls-files --stage --debug` says of a file. */
const ENTRY =
  /(?<=^|\n)(?<mode>\d{6}) (?<blob>[0-9a-f]+) (?<stage>\d)\t(?<name>[^\0]+)\0 +ctime: (?<ctime>\d+):\d+\n +mtime: (?<mtime>\d+):(?<mtimeNs>\d+)\n +dev: \d+\tino: (?<inode>\d+)\n.*\n +size: (?<size>\d+)\t/g;

/** The index of our last look at a folder, and where the objects are that it names. */
async function lookOf(folder: string, signal: AbortSignal) {
  const workspace = workspaceAround(folder);
  if (workspace !== undefined) {
    const { name, store, tree } = workspace;
    return { index: `${placesOf().known}/${name}.kept`, store, top: tree, objects: undefined };
  }
  const { objects, top } = await placesOfRepository(folder, signal).catch((error) => {
    if (error instanceof UsageError) return plainFolder(folder);
    throw error;
  });
  const store = await storePathOf(objects);
  return { index: await keptIndexOf({ store, top }), store, top, objects };
}

/** How many bytes are in contents; `NaN` for one that is not there. */
async function sizesOf(blobs: readonly string[], ask: ReturnType<typeof inStore>): Promise<readonly number[]> {
  const stdin = blobs.map((blob) => `${blob}\n`).join("");
  const said = await git(["cat-file", "--batch-check=%(objectsize)", "--buffer"], { ...ask, stdin });
  return said.split("\n").map(Number);
}
