import { UsageError } from "../base/errors.ts";
import type { Provider } from "./provider.ts";
import type { TypedInputTrial } from "./typed_input.ts";

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
