import { exists } from "@std/fs";
import { type CommandResult, systemProcessRunner } from "../../lib/base/ports/process.ts";

/** How a program is run in the minimal system. */
export interface InRootOptions {
  /** The project: the only folder of the machine that is there, as /project, besides the panewright that is tried. */
  readonly project: string;
  /** The one file that is tried, as /usr/local/bin/panewright. @default what the system has */
  readonly executable?: string;
  /** The system. @default {await minimalRoot()} */
  readonly root?: string;
  /** Variables besides PATH. Nothing of the environment of the tests is passed. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether /root, the home folder, can be written. What else is not /tmp or /project cannot. */
  readonly home: "writable" | "read-only";
}

/** Making and entering a system takes programs of the administrator's, whose folders are not in everybody's PATH. */
const PATH = `${Deno.env.get("PATH") ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`;

/** Where a release of Debian says what it is called. */
const CODENAME = /^VERSION_CODENAME=(\w+)$/m;

/**
 * The folder of a minimal Debian system with tmux: what `mmdebstrap --variant=minbase` makes. It has no Node, Deno or git.
 *
 * It is made once, from the release that the machine itself has, in `.cache` of the repository.
 *
 * @throws {Error} when mmdebstrap is missing or cannot make it
 */
export async function minimalRoot(): Promise<string> {
  const codename = (await Deno.readTextFile("/etc/os-release")).match(CODENAME)?.[1] ?? "bookworm";
  const cache = new URL("../../.cache", import.meta.url).pathname;
  const folder = `${cache}/minimal-root-${codename}`;
  if (await exists(folder)) return folder;
  await Deno.mkdir(cache, { recursive: true });
  const staging = await Deno.makeTempDir({ dir: cache, prefix: ".minimal-root-" });
  const { code, stderr } = await systemProcessRunner.run({
    argv: ["mmdebstrap", "--quiet", "--variant=minbase", "--include=tmux", codename, staging],
    env: { PATH },
    timeoutMs: 10 * 60_000,
  });
  if (code !== 0) throw new Error(`Cannot make a minimal system: mmdebstrap exited with ${code}\n${stderr}`);
  await Deno.mkdir(`${staging}/project`);
  await Deno.writeTextFile(`${staging}/usr/local/bin/panewright`, "");
  await Deno.chmod(staging, 0o755);
  await Deno.rename(staging, folder).catch(async (error) => {
    // Another test has made it meanwhile.
    await Deno.remove(staging, { recursive: true });
    if (!await exists(folder)) throw error;
  });
  return folder;
}

/** Runs in namespaces of its own, with $0 the system, $1 the project, $2 the executable, $3 what the home folder is. */
const ENTER = `set -e
root=$0 project=$1 executable=$2 home=$3
shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
if [ "$home" = writable ]; then mount -t tmpfs -o mode=0700 tmpfs "$root/root"; fi
mount --bind "$project" "$root/project"
if [ -n "$executable" ]; then mount --bind "$executable" "$root/usr/local/bin/panewright"; fi
exec chroot "$root" /bin/sh -c 'cd /project && exec "$@"' sh "$@"
`;

/**
 * Runs a program in the minimal system, with no network and no process but its own, and a file system that is read-only
 * but for /tmp, the project and, where that is asked for, the home folder. Its processes end with it.
 */
export async function runInRoot(
  argv: readonly [string, ...string[]],
  { project, executable = "", root, env, home }: InRootOptions,
): Promise<CommandResult> {
  const variables = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", ...env }).map(([name, value]) =>
    `${name}=${value}`
  );
  const namespaces = ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child"] as const;
  return await systemProcessRunner.run({
    argv: [
      ...namespaces,
      ...["sh", "-c", ENTER, root ?? await minimalRoot(), project, executable, home],
      ...["env", "-i", ...variables, ...argv],
    ],
    // A variable of this process that names another test's sandbox would have that one end these programs.
    clearEnv: true,
    env: { PATH },
    timeoutMs: 120_000,
  });
}
