import type { SandboxGround } from "./sandbox.ts";
import type { AgentLaunch } from "./launch_plan.ts";

export interface TypedInputTrial extends SandboxGround {
  readonly launch: AgentLaunch;
}

/**
 * What is known of an agent's CLI that lets it type into commands that run, such as a shell: no hook tells of that, so
 * that no policy decides about it.
 */
export interface TypedInput {
  /** Asks the CLI, before it gets any work, whether it is kept from that. */
  findProblem(trial: TypedInputTrial): Promise<string | undefined>;
}
