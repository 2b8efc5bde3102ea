import { responseDirFor } from "../../lib/handoff/response_files.ts";
import { systemProcessRunner } from "../../lib/ports/process.ts";
import type { Sandbox } from "../support/sandbox.ts";

/** Where the response files of a job are. */
export interface ResponsePlace extends AsyncDisposable {
  readonly responsesDir: string;
  /** The program that each command is started through, with its first arguments; none where nothing needs one. */
  readonly through: readonly string[];
}

/** The usual place: on the file system of the run's folder, where a response is archived by a rename. */
export function sameFileSystem({ project }: Pick<Sandbox, "project">): ResponsePlace {
  return { responsesDir: responseDirFor(project), through: [], [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** A file system in memory that most Linux systems have. */
const OTHER_FILE_SYSTEM = "/dev/shm";

/** Binds `$1` to `$2` and becomes the rest of its arguments. The mount ends with the processes that see it. */
const MOUNT = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh"] as const;

/** The folder `.tmp` of a project on another file system than the run's folder: a response is archived by a copy. */
export async function otherFileSystem({ project }: Pick<Sandbox, "project">): Promise<ResponsePlace> {
  const folder = await Deno.makeTempDir({ dir: OTHER_FILE_SYSTEM, prefix: "pw-chaos-" });
  await Deno.mkdir(`${project}/.tmp`, { recursive: true });
  return {
    responsesDir: responseDirFor(project).replace(`${project}/.tmp`, folder),
    through: [...MOUNT, folder, `${project}/.tmp`],
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Why responses cannot be put on another file system here; undefined where they can. */
export async function whyOnlyOneFileSystem(): Promise<string | undefined> {
  const temp = await Deno.makeTempDir();
  try {
    const [here, there] = await Promise.all([temp, OTHER_FILE_SYSTEM].map((path) => Deno.stat(path)));
    if (here?.dev === there?.dev) return `${OTHER_FILE_SYSTEM} is on the file system of ${temp}`;
    const { code, stderr } = await systemProcessRunner.run({
      argv: [...MOUNT, OTHER_FILE_SYSTEM, temp, "test", temp, "-ef", OTHER_FILE_SYSTEM],
    });
    return code === 0 ? undefined : `a folder cannot be mounted (it takes root on Linux): ${stderr.trim()}`;
  } catch (error) {
    return String(error);
  } finally {
    await Deno.remove(temp);
  }
}
