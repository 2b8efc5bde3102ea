import { UsageError } from "../errors.ts";

/**
 * Takes a working directory for one review loop, until it is disposed of.
 *
 * Two loops in one directory would read each other's response files. The lock is the operating system's (flock), so a
 * process that is killed leaves none behind; the file beside it only names the owner for the message.
 *
 * @throws {UsageError} when another living run holds the directory; its process id is named
 */
export async function lockWorkdir(workdir: string, options: { readonly runId: string }): Promise<Disposable> {
  const path = `${workdir}/.panewright/review-loop.lock`;
  const file = await Deno.open(path, { create: true, read: true, write: true });
  if (!await file.tryLock(true)) {
    file.close();
    throw new UsageError(`Cannot start a run in ${workdir}: ${await readOwner(path)} is at work there`, {
      hint: "Wait for it, stop it, or use another working directory: two runs would read each other's responses.",
    });
  }
  await file.truncate(0);
  await file.write(new TextEncoder().encode(`run ${options.runId} (process ${Deno.pid})`));
  return {
    [Symbol.dispose]() {
      file.truncateSync(0);
      file.close();
    },
  };
}

async function readOwner(path: string): Promise<string> {
  return await Deno.readTextFile(path) || "another run";
}
