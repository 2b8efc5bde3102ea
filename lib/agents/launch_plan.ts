/** How an agent is started: an argv array, the variables to set, and the folder to start in. */
export interface LaunchPlan {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd: string;
}
