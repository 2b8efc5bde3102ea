import type { MeetRun } from "../control/meet_run.ts";
import { UsageError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { findRun, listRunIds } from "../../run/find_run.ts";
import type { RunFolder } from "../../run/run_folder.ts";

/** The folders that a server works in, absolute, without links. */
type Workdirs = readonly [string, ...string[]];

/** What a server's tools may look at. */
export interface Served {
  readonly workdirs: Workdirs;
  /** Takes secrets out of what is told of a run. */
  readonly redactor: Redactor;
  /** Told of each run before anything of it is given away. */
  readonly meetRun?: MeetRun | undefined;
}

/** The folder that is meant, where one is named or there is only one. */
export function workdirOf(named: string | undefined, workdirs: Workdirs): string {
  if (named !== undefined && !workdirs.includes(named)) {
    throw new UsageError(`Cannot work in ${named}: this server works in ${workdirs.join(", ")}`, {
      code: "bad_input",
      hint: "A person starts it for another folder with --wd.",
    });
  }
  if (named === undefined && workdirs.length > 1) {
    throw new UsageError("Cannot tell which project is meant: name it with workdir", {
      code: "bad_input",
      hint: `This server works in ${workdirs.join(", ")}.`,
    });
  }
  return named ?? workdirs[0];
}

/** A run by its whole id: a part of it could mean another one tomorrow. */
export async function findServed(
  { run, workdir }: { readonly run: string; readonly workdir?: string | undefined },
  { workdirs, meetRun }: Pick<Served, "workdirs" | "meetRun">,
): Promise<RunFolder> {
  const meant = workdir === undefined ? workdirs : [workdirOf(workdir, workdirs)];
  const found: string[] = [];
  for (const folder of meant) if ((await listRunIds(folder)).includes(run)) found.push(folder);
  const [only, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`Cannot tell which run ${run} is meant: ${found.join(", ")} have one each`, {
      code: "bad_input",
      hint: "Name the project with workdir.",
    });
  }
  if (only !== undefined) {
    const folder = await findRun(only, run);
    await meetRun?.(folder);
    return folder;
  }
  throw new UsageError(`Cannot find the run "${run}" in ${meant.join(", ")}`, {
    code: "unknown_run",
    hint: "The tool runs lists the runs.",
  });
}
