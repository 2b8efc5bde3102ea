import { resolve } from "@std/path/posix";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { defaultArchiveDir, moveToArchive } from "./archive.ts";
import { lstatOrUndefined, removeIfThere } from "../base/ports/files.ts";
import { errorText } from "../base/text/error_text.ts";
import { type BuiltInRole, isBuiltIn, isRoleName, type Role, ROLES } from "../base/roles.ts";

// Looks and moves are synchronous on purpose: each costs microseconds, and no other task of ours can come between the
// look at a file and what is done with it.

export const RESPONSE_FOLDER = ".tmp/agent-responses";

const RESPONSE_DIR_PARTS = [".tmp", RESPONSE_FOLDER] as const;

const RESPONSE_FILES: Readonly<Record<BuiltInRole, string>> = {
  analyst: "analyst_summary.md",
  analyst_review: "analyst_review.md",
  programmer: "programmer_summary.md",
  programmer_review: "programmer_review.md",
  tester: "test_result.md",
};

export function responseDirFor(workdir: string): string {
  return resolve(workdir, RESPONSE_DIR_PARTS[1]);
}

/**
 * The absolute path of the response file of one of the five roles. The file names are those of the seeds.
 *
 * @throws {UsageError} when none of them has this name
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(responsePathFor("/job", "tester"), "/job/.tmp/agent-responses/test_result.md");
 * ```
 */
export function responsePathFor(workdir: string, role: Role): string {
  if (isBuiltIn(role)) return responsePathOf(workdir, role);
  throw new UsageError(`Cannot name the response file of "${role}": no role has this name`, {
    hint: `Roles are: ${ROLES.join(", ")}.`,
  });
}

/** The absolute path of a role's response file, also of one that a configuration makes. */
export function responsePathOf(workdir: string, role: Role): string {
  if (!isRoleName(role)) throw new UsageError(`Cannot name the response file of "${role}": no role has this name`);
  return `${responseDirFor(workdir)}/${responseFileOf(role)}`;
}

/** Its name in the folder of responses. */
export function responseFileOf(role: Role): string {
  return isBuiltIn(role) ? RESPONSE_FILES[role] : `${role}_response.md`;
}

export const PROBE_PREFIX = ".dispatch-";

/**
 * Creates the response folder and its parents where they are missing, and removes what a killed process left there
 * besides responses.
 *
 * @throws {RuntimeError} when it cannot be created, or leads out of the working directory
 */
export function ensureResponseDir(workdir: string): Promise<void> {
  return Promise.try(() => {
    const root = resolve(workdir);
    try {
      Deno.mkdirSync(root, { recursive: true });
      for (const part of RESPONSE_DIR_PARTS) {
        if (lstatOrUndefined(`${root}/${part}`) === undefined) Deno.mkdirSync(`${root}/${part}`);
        const problem = findFolderProblem(root, part);
        if (problem === undefined) continue;
        throw new RuntimeError(`Cannot use ${responseDirFor(root)}: ${problem}`, { hint: REMOVE_IT_HINT });
      }
      const dir = responseDirFor(root);
      for (const { name, isFile } of Deno.readDirSync(dir)) {
        if (isFile && name.startsWith(PROBE_PREFIX)) removeIfThere(`${dir}/${name}`);
      }
    } catch (error) {
      if (error instanceof RuntimeError) throw error;
      throw new RuntimeError(`Cannot create ${responseDirFor(root)}: ${errorText(error)}`, { cause: error });
    }
  });
}

/**
 * Takes away what an earlier turn left at a role's response path: it is moved to the archive as `NNN-<role>-stale.md`.
 * A missing file is not an error.
 *
 * @throws {RuntimeError} when something other than a regular file is there, or the folder leads out of the working
 * directory
 */
export function clearStaleResponse(
  workdir: string,
  role: Role,
  options: { readonly archiveDir?: string } = {},
): Promise<void> {
  return Promise.try(() => {
    archiveStaleResponse(workdir, role, options.archiveDir ?? defaultArchiveDir(resolve(workdir)));
  });
}

export function archiveStaleResponse(workdir: string, role: Role, archiveDir: string): string | undefined {
  const path = responsePathOf(workdir, role);
  const { problem, info } = lookAtResponsePath(workdir, role);
  if (problem !== undefined) throw new RuntimeError(`Cannot clear ${path}: ${problem}`, { hint: REMOVE_IT_HINT });
  return info === undefined ? undefined : moveToArchive(path, { archiveDir, label: `${role}-stale` });
}

export const REMOVE_IT_HINT = "Remove it, or put a regular file or folder in its place.";

export function lookAtResponsePath(workdir: string, role: Role): {
  readonly info?: Deno.FileInfo;
  /**
   * Why nothing may be read or moved there: it is not a regular file, or a folder on the way is a symbolic link out of
   * the working directory.
   */
  readonly problem?: string;
} {
  const root = resolve(workdir);
  for (const part of RESPONSE_DIR_PARTS) {
    const problem = findFolderProblem(root, part);
    if (problem !== undefined) return { problem };
  }
  const info = lstatOrUndefined(responsePathOf(root, role));
  if (info === undefined) return {};
  if (info.isFile) return { info };
  return { info, problem: `it is ${kindOf(info)}` };
}

function kindOf({ isSymlink, isDirectory, isFifo }: Deno.FileInfo): string {
  if (isSymlink) return "a symbolic link";
  if (isDirectory) return "a folder";
  return isFifo ? "a FIFO" : "not a regular file";
}

function findFolderProblem(root: string, part: string): string | undefined {
  const path = `${root}/${part}`;
  const info = lstatOrUndefined(path);
  if (info === undefined || info.isDirectory) return undefined;
  if (!info.isSymlink) return `${path} is not a folder`;
  const target = realPathOrUndefined(path);
  if (target === undefined) return `${path} is a symbolic link that leads nowhere`;
  if (!target.startsWith(`${Deno.realPathSync(root)}/`)) {
    return `${path} is a symbolic link that leads out of the working directory, to ${target}`;
  }
  return Deno.statSync(target).isDirectory ? undefined : `${path} does not lead to a folder`;
}

function realPathOrUndefined(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
