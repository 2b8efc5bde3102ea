export interface SandboxRequest {
  /** Absolute paths of the folders besides the working directory in which commands may write. */
  readonly writable: readonly string[];
  /**
   * Absolute paths of folders: of the working directory commands write to these only, where the CLI can see to that.
   * All of it by default.
   */
  readonly within?: readonly [string, ...string[]];
}

/** What an agent is to be started with, whatever drives it; everything optional comes from the configuration. */
export interface AgentLaunch {
  /** Absolute path of the folder that the agent works in. */
  readonly workdir: string;
  /** Program and leading arguments, instead of the provider's own program. Its flags are still added. */
  readonly command?: readonly [string, ...string[]] | undefined;
  /** Arguments added after the provider's own. */
  readonly args?: readonly string[];
  /** Variables set for the agent, besides those that it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
  /** The CLI's own sandbox, switched on; missing where the agent starts as the CLI's settings say. */
  readonly sandbox?: SandboxRequest | undefined;
}

export interface LaunchPlan {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}
