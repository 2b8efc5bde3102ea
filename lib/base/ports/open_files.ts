import { type ProcessRunner, systemProcessRunner } from "./process.ts";

/**
 * The files that processes have open, as absolute paths; a process that has ended has none.
 *
 * Linux only: elsewhere the result is empty. /proc is read through `find` and `readlink`, since Deno grants it to
 * `--allow-all` only.
 */
export async function listOpenFiles(
  pids: readonly number[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<string[]> {
  if (Deno.build.os !== "linux" || pids.length === 0) return [];
  const folders = pids.map((pid) => `/proc/${pid}/fd`);
  const { stdout } = await runner.run({
    argv: ["find", ...folders, "-maxdepth", "1", "-type", "l", "-exec", "readlink", "{}", "+"],
  });
  return [...new Set(stdout.split("\n").filter((path) => path.startsWith("/")))];
}

/**
 * Whether a process has a file open, by whatever name; false where it has ended, or is another user's.
 *
 * Linux only: elsewhere it is false.
 */
export async function hasFileOpen(
  pid: number,
  path: string,
  runner: ProcessRunner = systemProcessRunner,
): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const { stdout } = await runner.run({
    argv: ["find", "-L", `/proc/${pid}/fd`, "-maxdepth", "1", "-samefile", path],
  });
  return stdout.trim() !== "";
}
