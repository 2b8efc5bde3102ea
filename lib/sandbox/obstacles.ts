import { systemHost } from "../base/ports/host.ts";
import type { Host } from "../base/ports/host.ts";
import type { ProcessRunner } from "../base/ports/process.ts";
import { present } from "../base/schema.ts";

/** Why this machine cannot hold an agent in a sandbox, and what helps. */
export interface SandboxObstacle {
  readonly problem: string;
  /** As full sentences. */
  readonly remedy: string;
}

interface Ground {
  readonly host?: Host;
  readonly processRunner: ProcessRunner;
  readonly signal?: AbortSignal;
}

const PROGRAMS = { bwrap: "bubblewrap", socat: "socat", rg: "ripgrep", bash: "bash", find: "findutils" } as const;

const TRIAL_MS = 20_000;

/** What a sandbox around whole agents lacks on this machine; `undefined` where a program runs in one. */
export async function findSandboxObstacle(
  { host = systemHost(), processRunner, signal }: Ground,
): Promise<SandboxObstacle | undefined> {
  if (host.os !== "linux") {
    return { problem: `there is none for ${host.os} yet`, remedy: 'Use "sandbox": "commands", or a Linux machine.' };
  }
  const find = (program: string) => host.path.find((folder) => host.realFile(`${folder}/${program}`) !== undefined);
  const missing = Object.entries(PROGRAMS).filter(([program]) => find(program) === undefined);
  if (missing.length > 0) {
    return {
      problem: `there is no ${missing.map(([program]) => program).join(", ")} on PATH`,
      remedy: `Install what is missing: apt-get install ${missing.map(([, name]) => name).join(" ")}.`,
    };
  }
  const { code, stderr } = await processRunner.run({
    argv: ["bwrap", "--ro-bind", "/", "/", ...UNSHARED, "--dev", "/dev", "--proc", "/proc", "true"],
    timeoutMs: TRIAL_MS,
    ...present({ signal }),
  });
  if (code === 0) return undefined;
  const said = stderr.trim().split("\n").at(-1) ?? "";
  return {
    problem: `bubblewrap cannot work here: ${said === "" ? `code ${code}` : said}`,
    remedy: await remedyOf(host),
  };
}

const UNSHARED = ["--unshare-user", "--unshare-net", "--unshare-pid"] as const;

/** What bars user namespaces on the machine at hand. */
async function remedyOf({ realFile }: Host): Promise<string> {
  const read = (path: string) => Deno.readTextFile(path).then((text) => text.trim(), () => undefined);
  if (await read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1") {
    return "AppArmor bars user namespaces here (Ubuntu 24.04): allow them for bwrap with a profile in /etc/apparmor.d, " +
      "or for all: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.";
  }
  if (await read("/proc/sys/kernel/unprivileged_userns_clone") === "0") {
    return "The kernel bars user namespaces: sysctl -w kernel.unprivileged_userns_clone=1.";
  }
  if (await read("/proc/sys/user/max_user_namespaces") === "0") {
    return "The kernel allows no user namespaces: sysctl -w user.max_user_namespaces=15000.";
  }
  if (realFile("/.dockerenv") !== undefined || realFile("/run/.containerenv") !== undefined) {
    return "This is a container whose seccomp profile bars user namespaces: start it with --security-opt seccomp=unconfined " +
      "--security-opt systempaths=unconfined, or with a profile that allows unshare and mount.";
  }
  return "It needs user namespaces of the kernel, with mounts in them.";
}
