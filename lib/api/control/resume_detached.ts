import { dirname } from "@std/path/posix";
import type { RunFolder } from "../../run/run_folder.ts";
import type { Actor } from "./act.ts";
import { type DetachedRun, type DetachOptions, startDetached } from "./detach.ts";

interface ResumeRequest extends Pick<Actor, "by"> {
  /** Caps that it may go up to from now on, by name: `max_turns`. */
  readonly raise?: Readonly<Record<string, number>>;
}

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
