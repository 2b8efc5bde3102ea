import { responseDirFor } from "../../lib/turn/response_files.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import type { Sandbox } from "../support/sandbox.ts";

/** Where the response files of a job are. */
export interface ResponsePlace {
  readonly responsesDir: string;
  /** The program that each command is started through, with its first arguments; none where nothing needs one. */
  readonly through: readonly string[];
}

/** The usual place: in the mount of the run's folder, where a response is archived by a rename. */
export function sameMount({ project }: Pick<Sandbox, "project">): ResponsePlace {
  return { responsesDir: responseDirFor(project), through: [] };
}

/**
 * Binds the folder `$1` to `$2` and becomes the rest of its arguments. The mount ends with the processes that see it.
 */
const MOUNT = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh"] as const;

/**
 * The project's folder `.tmp` as a mount of its own. Linux refuses to rename from one mount to another, also on one
 * file system (rename(2), EXDEV), so a response is archived by a copy.
 */
export async function otherMount({ project, root }: Pick<Sandbox, "project" | "root">): Promise<ResponsePlace> {
  const folder = `${root}/other-mount`;
  await Deno.mkdir(folder);
  await Deno.mkdir(`${project}/.tmp`);
  return {
    responsesDir: responseDirFor(project).replace(`${project}/.tmp`, folder),
    through: [...MOUNT, folder, `${project}/.tmp`],
  };
}

/** Why responses cannot be put on another mount here; undefined where they can. */
export async function whyOnlyOneMount(): Promise<string | undefined> {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["from", "to"]) await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/from/seen`, "");
    const argv = [...MOUNT, `${folder}/from`, `${folder}/to`, "test", "-e", `${folder}/to/seen`] as const;
    const { code, stderr } = await systemProcessRunner.run({ argv });
    return code === 0 ? undefined : `a folder cannot be mounted, which takes root on Linux: ${stderr.trim()}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
