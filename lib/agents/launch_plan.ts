import type { SandboxRequest } from "./sandbox.ts";

export interface AgentLaunch {
  readonly workdir: string;
  /** Program and leading arguments, instead of the provider's own program. Its flags are still added. */
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
  readonly sandbox?: SandboxRequest | undefined;
}

export interface LaunchPlan {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}
