import { AssertionError } from "@std/assert";
import { dirname } from "@std/path/posix";
import { denoDirectory } from "./run_panewright.ts";
import { runProgram } from "./program.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Makes the one executable file of the bundle in `dist/`, and returns its path in the folder. */
export async function buildPacked(folder: string): Promise<string> {
  return await build("pack.ts", `${folder}/panewright`);
}

/** Makes the Debian package of the bundle in `dist/`, and returns its path below the folder. */
export async function buildDeb(folder: string): Promise<string> {
  return await build("deb.ts", folder);
}

/** Makes the container image of the bundle in `dist/` on a system, and returns the path of its archive in the folder. */
export async function buildImage(folder: string, { system }: { readonly system: string }): Promise<string> {
  return await build("image.ts", `${folder}/panewright.oci.tar`, `--system=${system}`);
}

/** Makes the npm package of the bundle in `dist/`, and returns the path of its tarball below the folder. */
export async function buildPackage(folder: string): Promise<string> {
  return await build("package.ts", folder);
}

/** The scripts take where to put what they make, and print its path. */
async function build(script: string, output: string, ...more: readonly string[]): Promise<string> {
  const permissions = ["--allow-read", "--allow-write", "--allow-run", "--allow-env=GITHUB_REPOSITORY"];
  const { code, stdout, stderr } = await runProgram(
    [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, `${ROOT}.ci/${script}`, output, ...more],
    {
      cwd: ROOT,
      env: { HOME: dirname(output), PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", DENO_DIR: denoDirectory() },
      timeoutMs: 120_000,
    },
  );
  if (code !== 0) throw new AssertionError(`${script} ended with ${code}:\n${stderr}`);
  return stdout.trim();
}
