import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { Job } from "./job.ts";
import { inside } from "./inside.ts";
import type { JobPlace } from "./tree.ts";

/**
 * The command line that a job is: made here, of the few things that its submitter says, as flags could have panewright do
 * what its worker has not agreed to.
 *
 * @throws {UsageError} where a file of the job is outside of its checkout, or its text is a file of this machine
 */
export function commandOf(job: Job, place: JobPlace): readonly string[] {
  const { command, config, pipeline, task, taskFile } = job;
  const flags = [
    ...["--trust"],
    ...(pipeline === undefined ? [] : ["--pipeline", pipeline]),
    ...(config === undefined ? [] : ["--config", inside(config, place)]),
  ];
  if (command === "run") {
    // As an argument, a text could name a config, or a folder.
    const own = config === undefined ? [] : ["--", inside(config, place)];
    return ["run", "--trust", ...(task === undefined ? [] : ["--prompt", task]), ...own];
  }
  if (taskFile !== undefined) return ["exec", "--no-input", ...flags, "--", inside(taskFile, place)];
  if (task === undefined) throw new UsageError("Cannot work on a job without a task");
  if (task === "-" || lstatOrUndefined(resolve(place.workdir, task)) !== undefined) {
    throw new UsageError("Cannot work on a job whose task is the name of a file here: its text is to say what to do");
  }
  return ["exec", "--no-input", ...flags, "--", task];
}

/** The config that a job goes by. */
export function configOf({ config = "panewright.jsonc" }: Job, place: JobPlace): string {
  return inside(config, place);
}
