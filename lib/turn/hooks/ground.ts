import type { Clock } from "../../base/ports/clock.ts";
import type { HookTrial, TrialWay } from "../../agents/hook_trial.ts";
import type { Provider } from "../../agents/provider.ts";

export interface TrialOptions {
  readonly way: TrialWay;
  /** Program and leading arguments, instead of the provider's own program. */
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly version: string;
  readonly searchPath: string;
  /** @default {60} */
  readonly limitSeconds?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What has been seen of the CLI. */
export interface Seen {
  /** Its model was asked, and has had commands run. */
  told: boolean;
  /** Commands that its hooks have asked about, and those whose permission they have asked for. */
  readonly heard: Set<string>;
  readonly permission: Set<string>;
  taken: boolean;
  ended: boolean;
  /** The commands that have run. */
  readonly ran: Set<string>;
}

/** Where a trial is played: nothing of the person's is in it. */
export interface TrialGround extends TrialOptions {
  readonly provider: Provider;
  readonly trial: HookTrial;
  readonly seen: Seen;
  readonly root: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The commands only make a file of that name. */
export function hasRun(project: string, command: string): boolean {
  try {
    return Deno.lstatSync(`${project}/${command.slice(command.indexOf(" ") + 1)}`).isFile;
  } catch {
    return false;
  }
}

/** Starts a program with these variables, and of its own only those that are kept. */
export function cleanArgv({ argv, env, kept }: {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly kept: readonly string[];
}): readonly [string, ...string[]] {
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const names = kept.map((name) => `"${name}=$${name}"`).join(" ");
  return ["/bin/sh", "-c", `exec env -i ${names} "$@"`, "sh", ...set, ...argv];
}
