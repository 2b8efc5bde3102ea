import { UsageError } from "../base/errors.ts";
import type { SandboxGround } from "./sandbox.ts";
import type { AgentLaunch } from "./launch_plan.ts";
import type { Provider } from "./provider.ts";

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

/**
 * Refuses an agent whose calls are to be judged where its CLI may type into commands.
 *
 * @returns what is not held, where that is accepted
 */
export async function requireHeldInput(
  { label, typedInput }: Provider,
  { name, isAccepted, ...trial }: TypedInputTrial & { readonly name: string; readonly isAccepted: boolean },
): Promise<string | undefined> {
  const problem = await typedInput?.findProblem(trial);
  if (problem === undefined) return undefined;
  const what = `permissions.deny and permissions.ask do not hold what ${label} types into running commands: ${problem}`;
  if (isAccepted) return what;
  throw new UsageError(`Cannot start ${name}: ${what}`, {
    hint: `Update ${label}, or accept that by name: "permissions": { "accept_typed_input": true }.`,
  });
}
