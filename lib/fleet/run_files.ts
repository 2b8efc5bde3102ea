import { dirname } from "@std/path/posix";
import { walk } from "@std/fs";
import { hashOfLine } from "../journal/chain.ts";
import { RuntimeError } from "../base/errors.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { readRegularFile } from "../base/ports/regular_file.ts";
import { claimRunEntry } from "../run/claim_run_entry.ts";
import { findRunEntry } from "../run/run_entry.ts";
import { prevOf } from "./record_line.ts";
import { isRunId, makePanewrightFolder } from "../run/run_folder.ts";

/** What a run keeps besides its journal: in its folder and in its entry of the state folder. */
export interface RunPlaces {
  readonly id: string;
  readonly workdir: string;
}

/** The journal comes from the log; locks, programs and what waits to be told to people belong to a machine. */
const STAYS =
  /^(?:run\/(?:journal\.ndjson|bin|outbox|buttons|detached\.log)|entry\/(?:journal\.ndjson|place|taker|job|stop|checkout))(?:[./]|$)|(?:^|\/)owner\.lock$/;

/** What grows while an agent works, and is of use only once it has ended. */
const GROWS = /^run\/(?:agents|steps)\//;

/** A response may have 10 MiB; what is larger is told, and stays. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface SeenFile {
  readonly path: string;
  /** Absolute. */
  readonly at: string;
  /** What it is another one by. */
  readonly version: string;
}

/** The files of a run, by the paths under which they are kept. */
export async function filesOfRun(
  { id, workdir }: RunPlaces,
  { whole }: { readonly whole: boolean },
): Promise<readonly SeenFile[]> {
  const folder = `${workdir}/.panewright/runs/${id}`;
  const entry = findRunEntry({ id, path: folder });
  const found: SeenFile[] = [];
  for (const [name, root] of [["run", folder], ["entry", entry]] as const) {
    if (root === undefined) continue;
    for await (const { path: at, isFile } of walk(root, { includeDirs: false })) {
      const path = `${name}${at.slice(root.length)}`;
      if (!isFile || STAYS.test(path) || (!whole && GROWS.test(path))) continue;
      const { size, mtime } = await Deno.lstat(at);
      if (size <= MAX_BYTES) found.push({ path, at, version: `${size} ${mtime?.getTime() ?? 0}` });
    }
  }
  return found;
}

export function readRunFile({ at }: SeenFile): Uint8Array<ArrayBuffer> {
  return readRegularFile(at, { maxBytes: MAX_BYTES });
}

/**
 * Puts a run where a worker continues it: its files, and the journal that is believed.
 *
 * @param lines the journal's, which are checked to follow one another
 * @throws {RuntimeError} when they do not
 */
export async function restoreRun(
  { id, workdir }: RunPlaces,
  { lines, files }: {
    readonly lines: readonly string[];
    readonly files: AsyncIterable<readonly [string, Uint8Array]>;
  },
): Promise<RunRoots> {
  if (!isRunId(id)) throw new RuntimeError(`Cannot restore run "${id}": it is not the name of a run`);
  requireChain(id, lines);
  const runs = `${await makePanewrightFolder(workdir)}/runs`;
  const folder = `${runs}/${id}`;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const roots = { run: folder, entry: await claimRunEntry({ id, path: folder }) };
  await restoreRunFiles(id, { roots, files });
  const text = lines.map((line) => `${line}\n`).join("");
  for (const root of Object.values(roots)) await replaceFile(`${root}/journal.ndjson`, text);
  return roots;
}

/** Where a run is kept here: its folder, and its entry in the state folder. */
export interface RunRoots {
  readonly run: string;
  readonly entry: string;
}

/** @throws {RuntimeError} for a path that leads out of the run's own folders */
export async function restoreRunFiles(
  id: string,
  { roots, files }: {
    readonly roots: RunRoots;
    readonly files: AsyncIterable<readonly [string, Uint8Array]>;
  },
): Promise<void> {
  for await (const [path, bytes] of files) {
    const [name, ...rest] = path.split("/");
    const root = name === "run" || name === "entry" ? roots[name] : undefined;
    if (
      root === undefined || STAYS.test(path) || rest.length === 0 ||
      rest.some((part) => part === "" || part === "." || part === "..")
    ) {
      throw new RuntimeError(`Cannot restore run ${id}: it has a file "${path}"`);
    }
    const at = [root, ...rest].join("/");
    await Deno.mkdir(dirname(at), { recursive: true, mode: 0o700 });
    await Deno.writeFile(at, bytes, { mode: 0o600 });
  }
}

function requireChain(id: string, lines: readonly string[]): void {
  let before = hashOfLine(new Uint8Array());
  for (const [at, line] of lines.entries()) {
    if (prevOf(line) !== before) {
      throw new RuntimeError(
        `Cannot restore run ${id}: record ${at + 1} of its journal does not follow the one before`,
      );
    }
    before = hashOfLine(new TextEncoder().encode(line));
  }
}
