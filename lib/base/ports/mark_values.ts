import { type ProcessRunner, systemProcessRunner } from "./process.ts";

/**
 * The distinct values of these variables in the environments of this user's processes, in one reading.
 *
 * Linux only: elsewhere the environments of other processes cannot be read, and the result is empty.
 *
 * @param names of variables: letters, digits and `_`
 */
export async function listMarkValues(
  names: readonly string[],
  runner: ProcessRunner = systemProcessRunner,
): Promise<ReadonlySet<string>> {
  if (Deno.build.os !== "linux") return new Set();
  // An environment is a list of entries that end with a zero byte, which `-z` reads as lines.
  const { stdout } = await runner.run({
    argv: [
      ...["find", "/proc", "-maxdepth", "2", "-path", "/proc/[0-9]*/environ", "-user", String(Deno.uid() ?? 0)],
      ...["-exec", "grep", "-zashE", `^(${names.join("|")})=`, "{}", "+"],
    ] as [string, ...string[]],
    // This process's own working directory may have been removed.
    cwd: "/",
    maxOutputBytes: 16 * 1024 * 1024,
  });
  return new Set(stdout.split("\0").flatMap((entry) => entry.replace(/^\w+=/, "") || []));
}
