export interface SandboxRequest {
  /** Absolute paths of the folders besides the working directory in which commands may write. */
  readonly writable: readonly string[];
  /**
   * Absolute paths of folders: of the working directory commands write to these only, where the CLI can see to that.
   * All of it by default.
   */
  readonly within?: readonly [string, ...string[]];
  /** The sandbox of the operating system that the whole agent is in; its CLI's own is off then. */
  readonly around?: AroundAgent;
}

/** A sandbox around a whole program. */
export interface AroundAgent {
  /** How the program is started inside. */
  confine(plan: LaunchPlan, signal?: AbortSignal): Promise<LaunchPlan>;
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

/** How a program is started: in the sandbox around it, where it is to have one. */
export async function confined(
  plan: LaunchPlan,
  { sandbox, signal }: { readonly sandbox?: SandboxRequest | undefined; readonly signal?: AbortSignal | undefined },
): Promise<LaunchPlan> {
  return await sandbox?.around?.confine(plan, signal) ?? plan;
}
