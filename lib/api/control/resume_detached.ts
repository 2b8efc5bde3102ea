import { dirname } from "@std/path/posix";
import type { RunFolder } from "../../run/run_folder.ts";
import type { Actor } from "./act.ts";
import { type DetachedRun, type DetachOptions, startDetached } from "./detach.ts";

/** How a run is to be resumed. */
interface ResumeRequest extends Pick<Actor, "by"> {
  /** Caps that it may go up to from now on, by name: `max_turns`. */
  readonly raise?: Readonly<Record<string, number>>;
}

/**
 * Resumes a run in a process of its own, and waits until its first record is on the disk.
 *
 * @throws {PanewrightError} as `panewright resume` refuses it. `busy`: a process executes it; `run_over`; `needs_trust`
 */
export async function resumeDetached(
  { id, path }: RunFolder,
  { by, raise = {} }: ResumeRequest,
  options: DetachOptions = {},
): Promise<Omit<DetachedRun, "isNew">> {
  const flags = Object.entries(raise).map(([name, value]) => `--raise=${name}=${value}`);
  const cwd = dirname(dirname(dirname(path)));
  const { runId, folder } = await startDetached({ command: "resume", flags, positionals: [id], cwd, by }, options);
  return { runId, folder };
}
