import { UsageError } from "../base/errors.ts";
import type { Provider } from "./provider.ts";
import type { SandboxTrial } from "./sandbox.ts";

/**
 * Lets an agent be started whose CLI says that its own sandbox is on.
 *
 * @param name who is to be started, for the message
 * @throws {UsageError} when it is not, or the CLI does not tell
 */
export async function requireSandbox(
  { id, label, sandbox: support }: Provider,
  { name, ...trial }: SandboxTrial & { readonly name: string },
): Promise<void> {
  if (support === undefined) {
    throw new UsageError(`Cannot start ${name} in a sandbox: ${id} brings none`, { hint: NO_SANDBOX_HINT });
  }
  const loosening = support.findLoosening(trial.args ?? []);
  const problem = loosening === undefined ? await support.findProblem(trial) : `its argument ${loosening} changes it`;
  if (problem === undefined) return;
  throw new UsageError(`Cannot start ${name} in a sandbox: that of ${label} is not on: ${problem}`, {
    hint: `${support.remedy}\n${NO_SANDBOX_HINT}`,
  });
}

/** What a person can do who wants no sandbox. */
const NO_SANDBOX_HINT =
  'Without a sandbox ("sandbox": "off"), give an allow list and permissions.default: ask, so that a person decides about the rest.';
