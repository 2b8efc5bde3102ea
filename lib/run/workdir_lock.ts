import { UsageError } from "../base/errors.ts";
import { readLockOwner, tryLockFile } from "../base/ports/lock_file.ts";

/**
 * Takes a working directory for one review loop, until it is disposed of. Two loops in one directory would read each
 * other's response files.
 *
 * @throws {UsageError} when another living run holds the directory; its process id is named
 */
export async function lockWorkdir(workdir: string, options: { readonly runId: string }): Promise<Disposable> {
  const path = `${workdir}/.panewright/review-loop.lock`;
  const lock = await tryLockFile(path, `run ${options.runId} (process ${Deno.pid})`);
  if (lock !== undefined) return lock;
  throw new UsageError(
    `Cannot start a run in ${workdir}: ${readLockOwner(path) || "another run"} is at work there`,
    {
      code: "busy",
      hint: "Wait for it, stop it, or use another working directory: two runs would read each other's responses.",
    },
  );
}
