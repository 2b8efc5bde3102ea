import { resolve } from "@std/path/posix";
import type { Host } from "../base/ports/host.ts";
import type { ProcessRunner } from "../base/ports/process.ts";
import type { AgentLaunch, SandboxRequest } from "./launch_plan.ts";
import { realPathSnapshot } from "../base/ports/real_path.ts";

export type { SandboxRequest } from "./launch_plan.ts";

/** The machine on which a sandbox is to be switched on. */
export interface SandboxGround {
  readonly host: Host;
  readonly processRunner: ProcessRunner;
  readonly signal?: AbortSignal;
}

export interface SandboxTrial extends SandboxGround, AgentLaunch {
  readonly sandbox: SandboxRequest;
}

export interface SandboxSupport {
  findLoosening(args: readonly string[]): string | undefined;
  /** Asks the CLI, before it gets any work, whether its sandbox is on as it was asked for. */
  findProblem(trial: SandboxTrial): Promise<string | undefined>;
  /**
   * What of the machine is in its way, where that shows sooner than the CLI itself can tell.
   *
   * @returns as `findProblem`
   * @default {findProblem}
   */
  findObstacle?(ground: SandboxGround): Promise<string | undefined>;
  /** What makes it available on a machine, as full sentences. */
  readonly remedy: string;
}

export interface SandboxReport {
  readonly turns: number;
  readonly problem?: string;
}

/** How long a CLI may take to tell of its sandbox. */
export const SANDBOX_TRIAL_MS = 60_000;

/**
 * The folders in which commands may write: the working directory and those that are named, also by their real paths.
 */
export function writableFolders({ writable }: SandboxRequest, workdir: string): readonly string[] {
  const realPath = realPathSnapshot();
  return [workdir, ...writable].flatMap((path) => [resolve(path), realPath(path) ?? resolve(path)]);
}

export function pathsOutside(paths: readonly string[], folders: readonly string[]): readonly string[] {
  const isInside = (path: string) => folders.some((folder) => `${path}/`.startsWith(`${folder}/`));
  return paths.filter((path) => path.startsWith("~") || !isInside(resolve(folders[0] ?? "/", path)));
}
