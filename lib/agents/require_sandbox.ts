import { UsageError } from "../base/errors.ts";
import type { Provider } from "./provider.ts";
import type { SandboxTrial } from "./sandbox.ts";

export async function requireSandbox(
  { id, label, sandbox: support }: Provider,
  { name, ...trial }: SandboxTrial & { readonly name: string },
): Promise<void> {
  // What is around it holds without its help.
  if (trial.sandbox.around !== undefined) return;
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

const NO_SANDBOX_HINT =
  'Without a sandbox ("sandbox": "off"), give an allow list and permissions.default: ask, so that a person decides about the rest.';
